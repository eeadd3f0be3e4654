// What names mean: a field, what a let or a parameter has made known, a virtual field or a map; and
// paths, whose first names may be those of one field.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/shared_draw.h"
#include "apl/plan/stacking.h"
#include "apl/plan/virtual_columns.h"
#include "apl/syntax/ast_printer.h"
#include "apl/syntax/parser.h"
#include "apl/syntax/words.h"
#include "store/base/limits.h"

namespace evq::plan {
namespace {

// The virtual fields on `path`, each named by the one before, are too many: as a rule because one
// comes again.
Error endless_virtual(Span span, std::span<const VirtualField* const> path) {
  Error error = diag::recursive_function(span, path.back()->name);
  error.hint = "a virtual field may use only fields that do not use it";
  for (auto first = path.begin(); first != path.end(); ++first) {
    const auto again = std::find_if(first + 1, path.end(), [&](const VirtualField* later) {
      return later->name == (*first)->name && later->expression == (*first)->expression;
    });
    if (again == path.end()) {
      continue;
    }
    error.message =
        "the virtual field '" + (*first)->name + "' refers to itself (" + (*first)->name;
    for (auto each = first + 1; each <= again; ++each) {
      error.message += " -> " + (*each)->name;
    }
    error.message += ")";
    return error;
  }
  error.message = "the virtual field '" + path.front()->name + "' leads to too many others";
  return error;
}

// Whether it is such an error, which has named every field on its way already.
bool names_virtual_path(const Error& error) {
  return error.id == "APL2029" && error.message.starts_with("the virtual field ");
}

// The constant key of a[…] when it is text.
std::optional<std::string> text_key(const ast::Expr& key) {
  if (const auto* literal = std::get_if<ast::Literal>(&key.node)) {
    if (literal->value.type() == Type::kString && !literal->value.is_null()) {
      return std::string(literal->value.as_text());
    }
  }
  return std::nullopt;
}

// The first `count` keys with dots between them; `inner_dot` stands for a dot within one.
std::string joined(std::span<const PathStep> steps, std::size_t count,
                   std::string_view inner_dot = ".") {
  std::string name = steps[0].key;
  for (std::size_t i = 1; i < count; ++i) {
    name.push_back('.');
    for (const char c : steps[i].key) {
      if (c == '.') {
        name += inner_dot;
      } else {
        name.push_back(c);
      }
    }
  }
  return name;
}

// What `steps` lead to from `value`.
Result<ExprPtr> inside(const Binder& binder, ExprPtr value, std::span<const PathStep> steps) {
  for (const PathStep& step : steps) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(value));
    args.push_back(make_constant(Value::string(step.key), step.span));
    EVQ_TRY_ASSIGN(value, binder.call("op_index", std::move(args), step.span));
  }
  return value;
}

std::string no_parts_hint(Type type) {
  return type == Type::kString ? "parse_json(…) reads JSON" : "";
}

bool may_have_parts(Type type) {
  return type == Type::kDynamic || type == Type::kNull;
}

// The names between the dots of ['a.b.c'].
std::vector<PathStep> split_name(std::string_view name, Span span) {
  std::vector<PathStep> steps;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    steps.push_back({std::string(name.substr(begin, end - begin)), span});
    begin = end + 1;
  }
  return steps;
}

// A scalar before [0], ['key'] or .key.
Error no_parts(Type type, Span span) {
  Error error = diag::wrong_argument_type(span, "[]", 1, "dynamic", type_name(type));
  error.message = "a " + std::string(type_name(type)) + " has no parts";
  error.hint = no_parts_hint(type);
  return error;
}

}  // namespace

bool collect_path(const ast::Expr& expr, std::vector<PathStep>* steps) {
  if (const auto* field = std::get_if<ast::FieldRef>(&expr.node)) {
    steps->push_back({field->name.text, expr.span});
    return true;
  }
  if (const auto* member = std::get_if<ast::Member>(&expr.node)) {
    if (!collect_path(*member->object, steps)) {
      return false;
    }
    steps->push_back({member->key.text, expr.span});
    return true;
  }
  if (const auto* index = std::get_if<ast::Index>(&expr.node)) {
    const std::optional<std::string> key = text_key(*index->key);
    if (!key.has_value() || !collect_path(*index->object, steps)) {
      return false;
    }
    steps->push_back({*key, expr.span, true});
    return true;
  }
  return false;
}

// In the body of a function and in a let, names known there come first: they were written without
// the fields in mind that there are where they are used.
Result<ExprPtr> Binder::bind_name(const ast::Name& name, Span span, const Relation* input) {
  if (const auto* own = environment_->find_scalar(name.text); own_names_first_ && own != nullptr) {
    return use_scalar(*own, name, input);
  }
  if (input != nullptr) {
    if (const auto at = find_field(input->schema(), name.text); at.has_value()) {
      return make_column(*at, input->schema()[*at].type, span);
    }
  }
  if (const Environment::Meaning* meaning = environment_->find(name.text); meaning != nullptr) {
    return use_scalar(*meaning, name, input);
  }
  if (input != nullptr) {
    const auto at = std::ranges::find(input->virtual_fields, name.text, &VirtualField::name);
    if (at != input->virtual_fields.end()) {
      if (const auto held = input->schema().find(virtual_column(name.text)); held.has_value()) {
        return make_column(*held, input->schema()[*held].type, span);
      }
      if (!at->expression.empty()) {
        return bind_virtual(*at, span, input);
      }
    }
    if (std::ranges::find(input->map_fields, name.text) != input->map_fields.end()) {
      return make_constant(Value::null(Type::kDynamic), span);  // declared, no event has it yet
    }
  }
  if (const std::optional<Type> elsewhere = type_elsewhere(name.text); elsewhere.has_value()) {
    return make_constant(Value::null(*elsewhere), span);
  }
  // In quotes a path, too, but only into what the query made: the fields of events are all known.
  if (const std::vector<PathStep> steps = split_name(name.text, span);
      input != nullptr && steps.size() > 1) {
    const std::optional<FieldOfPath> found = field_of_path(*input, steps);
    const Field* field = found.has_value() ? &input->schema()[found->column] : nullptr;
    if (field != nullptr && may_have_parts(field->type) && input->made_at(field->name) > 0) {
      return inside(*this, make_column(found->column, field->type, span),
                    std::span(steps).subspan(found->names));
    }
  }
  return unknown_field(input, name.text, span);
}

// Binds the field's text over the rows that named it. Spans of that text mean nothing in the query.
Result<ExprPtr> Binder::bind_virtual(const VirtualField& field, Span span, const Relation* input) {
  const auto bind_text = [&]() -> Result<ExprPtr> {
    if (depth_ >= kVirtualFieldDepthMax) {
      return endless_virtual(span, virtual_path_);
    }
    EVQ_TRY_ASSIGN(ast::ExprPtr parsed,
                   syntax::parse_expression(field.expression, context().now_ns));
    parsed_.push_back(std::move(parsed));
    const Meanwhile depth(&depth_, depth_ + 1);
    const Meanwhile own_names(&own_names_first_, false);
    return bind_expr(*parsed_.back(), input);
  };
  virtual_path_.push_back(&field);
  Result<ExprPtr> bound = bind_text();
  virtual_path_.pop_back();
  if (bound.ok()) {
    return bound;
  }
  Error error = std::move(bound).take_error();
  if (!names_virtual_path(error)) {
    error.message = "the virtual field '" + field.name + "': " + error.message;
  }
  error.span = span;
  return error;
}

// Gives the virtual fields of `relation` that the query may name columns of their own. A text that
// cannot be bound is told of where the field is named, not here.
void Binder::hold_virtual_fields(Relation* relation) {
  const std::vector<VirtualField> fields = relation->virtual_fields;
  for (const VirtualField& field : fields) {
    if (field.expression.empty() || find_field(relation->schema(), field.name).has_value() ||
        relation->schema().find(virtual_column(field.name)).has_value()) {
      continue;
    }
    if (query_text_.empty()) {
      query_text_ = syntax::print(*query_);
    }
    // A name that is written with escapes is not found as it is.
    if (syntax::is_plain_name(field.name) && query_text_.find(field.name) == std::string::npos) {
      continue;
    }
    if (auto value = bind_virtual(field, Span{}, relation); value.ok()) {
      *relation =
          append(std::move(*relation), virtual_column(field.name), std::move(value).value());
    }
  }
}

// An operator of lists of fields takes the columns that there are: a virtual field that it names
// becomes one of them, the last. Wildcards stand for fields that events have.
Result<Relation> Binder::show_virtual_fields(Relation input,
                                             std::span<const ast::NamePattern> fields) {
  if (input.virtual_fields.empty()) {
    return input;
  }
  for (const ast::NamePattern& field : fields) {
    const std::string name = field.text();
    if (field.is_wild() || find_field(input.schema(), name).has_value() ||
        std::ranges::find(input.virtual_fields, name, &VirtualField::name) ==
            input.virtual_fields.end()) {
      continue;
    }
    EVQ_TRY_ASSIGN(ExprPtr value, bind_name({name, field.span, true}, field.span, &input));
    EVQ_TRY(add_column(&input, name, std::move(value)));
  }
  return input;
}

Result<ExprPtr> Binder::use_scalar(const Environment::Meaning& meaning, const ast::Name& name,
                                   const Relation* input) {
  if (const auto* scalar = std::get_if<Environment::Scalar>(&meaning)) {
    EVQ_TRY(note_expressions(node_count(*scalar->expr), name.span));
    // The rows of a subquery are others than those that the argument is of.
    if (scalar->pipelines != pipelines_ && reads_column(*scalar->expr)) {
      return diag::constant_required(name.span, "'" + name.text + "' in a subquery");
    }
    return clone(*scalar->expr);
  }
  if (const auto* let = std::get_if<Environment::LetExpr>(&meaning)) {
    return use_let(*let, input);
  }
  if (const auto* function = std::get_if<Environment::Function>(&meaning);
      function != nullptr && std::holds_alternative<ast::ExprPtr>(function->lambda->body)) {
    return bind_lambda_call(*function, ast::Call{name, {}}, name.span, input);
  }
  return diag::scalar_expected(name.span, "the table '" + name.text + "'");
}

// A value of toscalar() is the same wherever its name is used.
Result<ExprPtr> Binder::use_let(const Environment::LetExpr& let, const Relation* input) {
  const auto* call = std::get_if<ast::Call>(&let.expr->node);
  const bool once = call != nullptr && call->function.text == "toscalar";
  const std::pair key(let.expr, let.defined_in);
  if (const auto known = scalars_.find(key); known != scalars_.end()) {
    return clone(*known->second);
  }
  const Environment* outer = std::exchange(environment_, let.defined_in);
  const bool own_names = std::exchange(own_names_first_, true);
  auto bound = bind_expr(*let.expr, input);
  own_names_first_ = own_names;
  environment_ = outer;
  if (once && bound.ok() && (*bound)->is_constant()) {
    scalars_.emplace(key, clone(**bound));
  }
  if (own_names || !bound.ok()) {
    return bound;
  }
  return share_draws(std::move(bound).value());
}

namespace {

// The field that has the first `count` names of a path as its own.
std::optional<std::size_t> field_named(const Schema& schema, std::span<const PathStep> steps,
                                       std::size_t count) {
  std::optional<std::size_t> at = find_field(schema, joined(steps, count));
  if (!at.has_value() && count > 1) {
    at = find_field(schema, joined(steps, count, "\\."));
  }
  return at;
}

// The field that rows without the bag have, which the first `count` names of the path are those of.
std::optional<FieldOfPath> field_beside_bag(const Relation& input, std::span<const PathStep> steps,
                                            std::size_t count) {
  for (std::size_t names = steps.size(); names > count; --names) {
    const auto at = field_named(input.schema(), steps, names);
    if (at.has_value() && (names == steps.size() || may_have_parts(input.schema()[*at].type))) {
      return FieldOfPath{names, *at};
    }
  }
  return std::nullopt;
}

}  // namespace

// A path into a map field means its value alone, never a flattened field of the same name: the two
// are different fields. Otherwise it is the longest flattened name that exists. What the query made
// itself comes before both, as long as it may have parts: the latest of it was meant, or that of
// which an index takes a part; of what was made at once, the bag.
std::optional<FieldOfPath> field_of_path(const Relation& input, std::span<const PathStep> steps) {
  std::optional<FieldOfPath> found;
  std::pair<std::uint32_t, bool> rank;
  for (std::size_t count = steps.size(); count > 0; --count) {
    const std::optional<std::size_t> at = field_named(input.schema(), steps, count);
    if (!at.has_value()) {
      continue;
    }
    const std::string name = joined(steps, count);
    const Type type = input.schema()[*at].type;
    const std::pair its_rank(input.made_at(input.schema()[*at].name),
                             std::ranges::find(input.map_fields, name) != input.map_fields.end());
    const bool is_made = its_rank.first > 0;
    const bool is_indexed = is_made && count < steps.size() && steps[count].by_index;
    const bool is_meant =
        its_rank > rank || is_indexed || (is_made && its_rank.first == rank.first);
    if (!found.has_value() || (may_have_parts(type) && is_meant)) {
      found = {count, *at};
      rank = its_rank;
    }
  }
  return found;
}

// That field, and accesses into its value; null when there is none.
Result<ExprPtr> Binder::bind_steps(std::span<const PathStep> steps, const Relation* input) const {
  const std::optional<FieldOfPath> found = field_of_path(*input, steps);
  if (!found.has_value()) {
    const auto is_map = [&](std::size_t count) {
      return std::ranges::find(input->map_fields, joined(steps, count)) != input->map_fields.end();
    };
    for (std::size_t count = 1; count <= steps.size(); ++count) {
      if (is_map(count)) {  // no event has it yet
        return make_constant(Value::null(Type::kDynamic), steps[0].span);
      }
    }
    return ExprPtr();
  }
  const auto [count, column] = *found;
  const Type type = input->schema()[column].type;
  if (count < steps.size() && !may_have_parts(type)) {
    Error error = unknown_field(input, joined(steps, steps.size()), steps.back().span);
    const std::string reads = no_parts_hint(type);
    error.hint =
        "'" + joined(steps, count) + "' is a " + std::string(type_name(type)) + " and has no parts";
    error.hint += reads.empty() ? "" : "; " + reads;
    return error;
  }
  ExprPtr whole = make_column(column, type, steps[count - 1].span);
  const auto beside = input->mixed_bags.contains(input->schema()[column].name)
                          ? field_beside_bag(*input, steps, count)
                          : std::nullopt;
  if (!beside.has_value()) {
    return inside(*this, std::move(whole), steps.subspan(count));
  }
  const Span span = steps.back().span;
  std::vector<ExprPtr> tested;
  tested.push_back(clone(*whole));
  ExprPtr field = make_column(beside->column, input->schema()[beside->column].type, span);
  std::vector<ExprPtr> either(3);
  EVQ_TRY_ASSIGN(either[0], call("isnull", std::move(tested), span));
  EVQ_TRY_ASSIGN(field, inside(*this, std::move(field), steps.subspan(beside->names)));
  either[1] = make_cast(std::move(field), Type::kDynamic);
  EVQ_TRY_ASSIGN(either[2], inside(*this, std::move(whole), steps.subspan(count)));
  return call("iff", std::move(either), span);
}

Result<ExprPtr> Binder::bind_path(const ast::Expr& expr, const Relation* input) {
  std::vector<PathStep> steps;
  if (input != nullptr && collect_path(expr, &steps) &&
      !(own_names_first_ && environment_->find_scalar(steps[0].key) != nullptr)) {
    const bool sided = sided_ != nullptr && steps.size() > 1 &&
                       (steps[0].key == "$left" || steps[0].key == "$right");
    if (sided) {
      steps.erase(steps.begin());
    }
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_steps(steps, input));
    if (bound != nullptr) {
      return bound;
    }
    for (std::size_t count = steps.size(); count > 0; --count) {
      if (const auto type = type_elsewhere(joined(steps, count)); type.has_value()) {
        return make_constant(Value::null(count == steps.size() ? *type : Type::kDynamic),
                             expr.span);
      }
    }
    const bool only_a_field = sided || environment_->find(steps[0].key) == nullptr;
    for (std::size_t count = only_a_field ? steps.size() : 0; count > 0; --count) {
      const std::string name = joined(steps, count);
      if (input->knows(name)) {
        const Span span = steps[count - 1].span;
        EVQ_TRY_ASSIGN(bound, bind_name({name, span, true}, span, input));
        return inside(*this, std::move(bound), std::span(steps).subspan(count));
      }
    }
    if (only_a_field) {
      return unknown_field(input, joined(steps, steps.size()), expr.span);
    }
  }
  const auto* member = std::get_if<ast::Member>(&expr.node);
  const auto* index = std::get_if<ast::Index>(&expr.node);
  const ast::Expr& object = member != nullptr ? *member->object : *index->object;
  std::vector<ExprPtr> args;
  EVQ_TRY_ASSIGN(ExprPtr bound_object, bind_expr(object, input));
  const Type type = bound_object->type;
  if (!may_have_parts(type)) {
    return no_parts(type, expr.span);
  }
  args.push_back(std::move(bound_object));
  if (member != nullptr) {
    args.push_back(make_constant(Value::string(member->key.text), member->key.span));
  } else {
    EVQ_TRY_ASSIGN(ExprPtr key, bind_expr(*index->key, input));
    args.push_back(std::move(key));
  }
  return call("op_index", std::move(args), expr.span);
}

}  // namespace evq::plan
