// Operators that choose and compute columns: project and its family, extend.

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/name_patterns.h"
#include "apl/plan/natural_order.h"
#include "apl/plan/stacking.h"
#include "apl/syntax/words.h"
#include "store/base/allocation_meter.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

// extend x == 1, where x is no field yet.
Result<ExprPtr> explain_double_equals(Result<ExprPtr> bound, const ast::NamedExpr& item,
                                      const Relation& input) {
  const auto* binary = std::get_if<ast::Binary>(&item.value->node);
  const auto* field = binary != nullptr && binary->op == ast::BinaryOp::kEqual
                          ? std::get_if<ast::FieldRef>(&binary->left->node)
                          : nullptr;
  if (bound.ok() || field == nullptr || !item.names.empty() ||
      find_field(input.schema(), field->name.text).has_value()) {
    return bound;
  }
  Error error = std::move(bound).take_error();
  error.hint = "a name gets its value by =: " + field->name.text + " = …";
  return error;
}

}  // namespace

std::vector<std::string> Binder::item_names(const ast::NamedExpr& item, const Relation* input,
                                            int* unnamed) const {
  std::vector<std::string> names;
  for (const ast::Name& name : item.names) {
    names.push_back(name.text);
  }
  if (!names.empty()) {
    return names;
  }
  if (const auto* call = std::get_if<ast::Call>(&item.value->node)) {
    const ScalarFunction* row = find_function(call->function.text);
    if (row != nullptr && !row->parts.empty()) {
      const std::string argument =
          call->arguments.empty() ? std::string() : derived_name(*call->arguments[0].value, input);
      const std::string prefix =
          call->function.text + "_" + argument + (argument.empty() ? "" : "_");
      for (const std::string_view part : row->parts) {
        names.push_back(prefix + std::string(part));
      }
    }
  }
  if (names.empty()) {
    names.push_back(derived_name(*item.value, input));
    if (names[0].empty()) {
      names[0] = "Column" + std::to_string(++*unnamed);
    }
  }
  return names;
}

Result<std::vector<NamedColumn>> Binder::bind_named(const std::vector<ast::NamedExpr>& items,
                                                    Relation* input) {
  std::vector<NamedColumn> columns;
  UniqueNames taken;
  int unnamed = 0;
  for (const ast::NamedExpr& item : items) {
    const Meanwhile windows(&windowed_, input);
    auto value = explain_double_equals(bind_expr(*item.value, input), item, *input);
    if (!value.ok()) {
      std::vector<std::string_view> made;
      made.reserve(columns.size());
      for (const NamedColumn& column : columns) {
        made.push_back(column.name);
      }
      return diag::made_here(std::move(value).take_error(), made, "make it in an earlier | extend");
    }
    ExprPtr bound = std::move(value).value();
    std::vector<std::string> names = item_names(item, input, &unnamed);
    EVQ_TRY_ASSIGN(std::vector<ExprPtr> parts, parts_of(std::move(bound), names.size(), input));
    for (std::size_t i = 0; i < names.size(); ++i) {
      columns.push_back({taken.take(names[i]), std::move(parts[i])});
    }
  }
  return columns;
}

// (a, b) = value: the elements of an array, in order; one name is that of the value itself.
Result<std::vector<ExprPtr>> Binder::parts_of(ExprPtr value, std::size_t count, Relation* input) {
  std::vector<ExprPtr> parts;
  if (count == 1) {
    parts.push_back(std::move(value));
    return parts;
  }
  const Span span = value->span;
  EVQ_TRY_ASSIGN(value, computed_once(std::move(value), input));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<ExprPtr> args;
    args.push_back(clone(*value));
    args.push_back(make_constant(Value::integer(static_cast<std::int64_t>(i)), span));
    EVQ_TRY_ASSIGN(ExprPtr part, call("op_index", std::move(args), span));
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<Relation> Binder::lower(const ast::Project& op, Span /*span*/, Relation input) {
  for (const ast::NamedExpr& item : op.items) {
    if (std::holds_alternative<ast::Star>(item.value->node)) {
      Error error = diag::misplaced_star(item.value->span);
      error.hint = "| extend keeps every field and adds its own; project-keep takes patterns";
      return error;
    }
  }
  EVQ_TRY_ASSIGN(std::vector<NamedColumn> columns, bind_named(op.items, &input));
  return project(std::move(input), std::move(columns));
}

namespace {

// An assignment to an existing column removes it and appends the new one at the end.
void assign(std::vector<NamedColumn>* columns, UniqueNames* taken, NamedColumn column) {
  if (taken->is_taken(column.name)) {
    std::erase_if(*columns, [&](const NamedColumn& old) { return old.name == column.name; });
  }
  taken->note(column.name);
  columns->push_back(std::move(column));
}

}  // namespace

Result<Relation> Binder::lower(const ast::Extend& op, Span /*span*/, Relation input) {
  return extend(op.items, op.keep_invalid ? Invalid::kKeepsOld : Invalid::kNew, std::move(input));
}

Result<Relation> Binder::extend(const std::vector<ast::NamedExpr>& items, Invalid invalid,
                                Relation input) {
  int unnamed = 0;
  // Each expression sees the operator's input; where that fails, the columns made before it.
  Relation current = std::move(input);
  std::vector<NamedColumn> columns = pass_through(current);
  UniqueNames taken(current.schema());
  bool pending = false;
  for (const ast::NamedExpr& item : items) {
    const Meanwhile windows(&windowed_, &current);
    auto bound = bind_expr(*item.value, &current);
    if (!bound.ok() && pending) {
      EVQ_TRY(note_expressions(columns.size(), item.span));
      current = project(std::move(current), std::move(columns));
      columns = pass_through(current);
      bound = bind_expr(*item.value, &current);
    }
    bound = explain_double_equals(std::move(bound), item, current);
    if (!bound.ok()) {
      return std::move(bound).take_error();
    }
    ExprPtr value = std::move(bound).value();
    std::vector<std::string> names = item_names(item, &current, &unnamed);
    pending = true;
    EVQ_TRY_ASSIGN(std::vector<ExprPtr> parts, parts_of(std::move(value), names.size(), &current));
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string name = std::move(names[i]);
      if (item.names.empty() && taken.is_taken(name)) {
        name = taken.take(name);
      }
      ExprPtr part = std::move(parts[i]);
      if (invalid == Invalid::kKeepsOld) {
        ExprPtr old = make_constant(Value::null(part->type), item.span);
        if (const auto at = find_field(current.schema(), name); at.has_value()) {
          old = make_column(*at, current.schema()[*at].type, item.span);
        } else if (current.knows(name)) {
          EVQ_TRY_ASSIGN(old, bind_name({name, item.span, true}, item.span, &current));
        }
        std::vector<ExprPtr> args;
        args.push_back(std::move(part));
        args.push_back(std::move(old));
        EVQ_TRY_ASSIGN(part, call("op_valid_or", std::move(args), item.span));
      }
      assign(&columns, &taken, {std::move(name), std::move(part)});
    }
  }
  return project(std::move(current), std::move(columns));
}

namespace {

// What becomes of the columns that a project-keep or project-away lists; not so the others.
enum class Listed : std::uint8_t { kKept, kDropped };

Result<std::vector<NamedColumn>> columns_left(const Binder& binder, const Relation& input,
                                              const std::vector<ast::NamePattern>& patterns,
                                              Listed listed) {
  std::vector<NamedColumn> columns = pass_through(input);
  const UniqueNames known(columns);
  for (const ast::NamePattern& pattern : patterns) {
    if (!pattern.is_wild() && !known.is_taken(pattern.text())) {
      Error error = unknown_listed_field(binder, input, pattern.text(), pattern.span);
      constexpr std::string_view kKeep = "project-keep ";
      if (const std::size_t at = error.hint.find(kKeep);
          listed == Listed::kDropped && at != std::string::npos) {
        error.hint.replace(at, kKeep.size(), "project-away ");
      }
      return error;
    }
  }
  const NamePatterns names(patterns);
  AllocationMeter meter(nullptr, binder.context().control, "plan");
  EVQ_TRY(meter.guard([&] {
    std::erase_if(columns, [&](const NamedColumn& column) {
      return names.match(column.name) != (listed == Listed::kKept);
    });
  }));
  return columns;
}

}  // namespace

Result<Relation> Binder::lower(const ast::ProjectAway& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(input, show_virtual_fields(std::move(input), op.fields));
  EVQ_TRY_ASSIGN(
      std::vector<NamedColumn> columns,
      columns_left(*this, input, as_stored(input.schema(), op.fields), Listed::kDropped));
  return project(std::move(input), std::move(columns));
}

Result<Relation> Binder::lower(const ast::ProjectKeep& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(input, show_virtual_fields(std::move(input), op.fields));
  EVQ_TRY_ASSIGN(std::vector<NamedColumn> columns,
                 columns_left(*this, input, as_stored(input.schema(), op.fields), Listed::kKept));
  return project(std::move(input), std::move(columns));
}

Result<Relation> Binder::lower(const ast::ProjectRename& op, Span /*span*/, Relation input) {
  std::vector<ast::NamePattern> old;
  std::ranges::transform(op.items, std::back_inserter(old), &ast::RenameItem::from);
  EVQ_TRY_ASSIGN(input, show_virtual_fields(std::move(input), old));
  old = as_stored(input.schema(), std::move(old));
  std::vector<NamedColumn> columns = pass_through(input);
  const Schema before = input.schema();
  std::set<std::size_t> renamed;
  for (std::size_t i = 0; i < op.items.size(); ++i) {
    const ast::RenameItem& item = op.items[i];
    const std::string from = old[i].text();
    const auto at = before.find(from);
    if (!at.has_value() || is_hidden(from)) {
      Error error = unknown_listed_field(*this, input, from, item.from.span);
      if (before.find(item.to.text).has_value()) {
        error.hint = "the new name stands before the old one: " + syntax::quote_name(from) + " = " +
                     syntax::quote_name(item.to.text);
      }
      return error;
    }
    if (!renamed.insert(*at).second) {
      return diag::renamed_twice(item.from.span, from);
    }
    for (NamedColumn& column : columns) {
      if (column.expr->is_column() && column.expr->column == *at) {
        column.name = item.to.text;
      }
    }
  }
  for (auto item = op.items.rbegin(); item != op.items.rend(); ++item) {
    const std::string& name = item->to.text;
    if (std::ranges::count(columns, name, &NamedColumn::name) > 1) {
      const auto same = [&](const ast::RenameItem& other) { return other.to.text == name; };
      return std::ranges::count_if(op.items, same) > 1
                 ? diag::duplicate_name(item->to.span, name, "project-rename")
                 : diag::name_taken(item->to.span, name,
                                    "without it: | project-away " + syntax::quote_name(name) +
                                        " | project-rename …");
    }
  }
  return project(std::move(input), std::move(columns));
}

namespace {

// Columns that are taken out by their names, each once.
class ColumnPicker {
 public:
  explicit ColumnPicker(std::vector<NamedColumn> columns) : columns_(std::move(columns)) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      places_.emplace(columns_[i].name, i);
    }
  }

  // The column called `pattern`, or those that it matches and `others` does not name. Polls.
  std::vector<NamedColumn> take(const ast::NamePattern& pattern, const NamePatterns& others) {
    AllocationMeter::poll();
    std::vector<NamedColumn> taken;
    if (!pattern.is_wild()) {
      const auto at = places_.find(pattern.text());
      if (at != places_.end() && !is_taken(at->second)) {
        taken.push_back(std::move(columns_[at->second]));
      }
      return taken;
    }
    for (NamedColumn& column : columns_) {
      if (column.expr != nullptr && pattern.matches(column.name) && !others.has(column.name)) {
        taken.push_back({column.name, std::move(column.expr)});
      }
    }
    return taken;
  }
  bool knows(const std::string& name) const { return places_.contains(name); }
  // Those that nobody took, in their order.
  std::vector<NamedColumn> rest() && {
    std::erase_if(columns_, [](const NamedColumn& column) { return column.expr == nullptr; });
    return std::move(columns_);
  }

 private:
  bool is_taken(std::size_t place) const { return columns_[place].expr == nullptr; }

  std::vector<NamedColumn> columns_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

Result<Relation> Binder::lower(const ast::ProjectReorder& op, Span /*span*/, Relation input) {
  std::vector<ast::NamePattern> listed;
  std::ranges::transform(op.items, std::back_inserter(listed), &ast::ReorderItem::fields);
  EVQ_TRY_ASSIGN(input, show_virtual_fields(std::move(input), listed));
  listed = as_stored(input.schema(), std::move(listed));
  ColumnPicker picker(pass_through(input));
  NamePatterns named;
  for (const ast::NamePattern& fields : listed) {
    if (!fields.is_wild()) {
      if (!picker.knows(fields.text())) {
        return unknown_listed_field(*this, input, fields.text(), fields.span);
      }
      named.add(fields);
    }
  }
  std::vector<NamedColumn> columns;
  AllocationMeter meter(nullptr, context().control, "plan");
  EVQ_TRY(meter.guard([&] {
    for (std::size_t i = 0; i < listed.size(); ++i) {
      std::vector<NamedColumn> matches = picker.take(listed[i], named);
      sort_names(op.items[i].direction, &matches);
      std::ranges::move(matches, std::back_inserter(columns));
    }
  }));
  std::ranges::move(std::move(picker).rest(), std::back_inserter(columns));
  return project(std::move(input), std::move(columns));
}

namespace {

ast::NamePattern pattern_of(std::string_view text) {
  ast::NamePattern pattern{.parts = {""}, .span = {}};
  for (const char c : text) {
    if (c == '*') {
      pattern.parts.emplace_back();
    } else {
      pattern.parts.back().push_back(c);
    }
  }
  return pattern;
}

}  // namespace

Result<Relation> Binder::lower(const ast::ProjectByNames& op, Span /*span*/, Relation input) {
  std::vector<ast::NamePattern> wanted;
  AllocationMeter meter(nullptr, context().control, "plan");
  const auto want = [&](std::string_view text, Span span) {
    return meter.guard([&] {
      wanted.push_back(pattern_of(text));
      wanted.back().span = span;
    });
  };
  for (const ast::ExprPtr& item : op.names) {
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*item, "a field's name"));
    if (value.is_null()) {
      continue;
    }
    if (value.type() == Type::kString) {
      EVQ_TRY(want(value.as_text(), item->span));
    } else if (value.type() == Type::kDynamic) {
      DynamicView::Iterator names{DynamicView(value.as_text())};
      while (names.next()) {
        if (names.value().is_string()) {
          EVQ_TRY(want(names.value().as_string(), item->span));
        }
      }
    }
  }
  EVQ_TRY_ASSIGN(input, show_virtual_fields(std::move(input), wanted));
  wanted = as_stored(input.schema(), std::move(wanted));
  ColumnPicker picker(pass_through(input));
  std::vector<NamedColumn> columns;
  EVQ_TRY(meter.guard([&] {
    for (const ast::NamePattern& pattern : wanted) {
      std::ranges::move(picker.take(pattern, NamePatterns()), std::back_inserter(columns));
    }
  }));
  return project(std::move(input), std::move(columns));
}

}  // namespace evq::plan
