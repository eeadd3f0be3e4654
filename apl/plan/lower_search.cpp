// search and find: text in any field, of one table or of several that become one stream.

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/field_name.h"
#include "apl/plan/name_patterns.h"
#include "apl/plan/stacking.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

// Of search and find, without a list of tables.
ast::TableItem every_table(Span span) {
  return ast::NamePattern{{"", ""}, span};
}

std::span<const ast::TableItem> tables_or(std::span<const ast::TableItem> named,
                                          const ast::TableItem& every) {
  return named.empty() ? std::span(&every, 1) : named;
}

}  // namespace

Result<Relation> Binder::lower(const ast::Search& source, Span span) {
  const ast::TableItem every = every_table(span);
  EVQ_TRY_ASSIGN(std::vector<Relation> inputs,
                 union_inputs(tables_or(source.tables, every), Fuzzy::kNo));
  return search_tables(std::move(inputs), source);
}

// Each table is searched over its own fields; a field that only others have, also a virtual one, is
// null in it.
Result<std::vector<ExprPtr>> Binder::bind_searches(const ast::Expr& predicate, ast::SearchKind kind,
                                                   const std::vector<Relation>& tables) {
  std::vector<Field> fields;
  std::set<std::string_view> virtuals;
  for (const Relation& table : tables) {
    std::ranges::copy(table.schema().fields(), std::back_inserter(fields));
    for (const VirtualField& field : table.virtual_fields) {
      virtuals.insert(field.name);
    }
  }
  const std::size_t columns = fields.size();
  std::vector<Field> outer = std::exchange(searched_fields_, std::move(fields));
  const Meanwhile cases(&case_sensitive_, kind == ast::SearchKind::kCaseSensitive);
  std::vector<ExprPtr> predicates;
  for (const Relation& table : tables) {
    searched_fields_.resize(columns);
    for (const std::string_view name : virtuals) {
      if (!table.knows(name)) {
        searched_fields_.push_back({std::string(name), Type::kDynamic});
      }
    }
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_search(predicate, table));
    predicates.push_back(std::move(bound));
  }
  searched_fields_ = std::move(outer);
  return predicates;
}

// Filtered before the tables become one.
Result<Relation> Binder::search_tables(std::vector<Relation> inputs, const ast::Search& search) {
  EVQ_TRY_ASSIGN(std::vector<ExprPtr> predicates,
                 bind_searches(*search.predicate, search.kind, inputs));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = filter(std::move(inputs[i]), std::move(predicates[i]));
  }
  ast::Union with_table;
  with_table.with_source = ast::Name{"$table", {}, true};
  return union_of(std::move(inputs), with_table);
}

Result<Relation> Binder::lower(const ast::Search& op, Span span, Relation input) {
  if (!op.tables.empty()) {
    return diag::unsupported_feature(span, "a list of datasets behind '|'",
                                     "it stands at the start of a query: search in (web) 'x'");
  }
  const Meanwhile cases(&case_sensitive_, op.kind == ast::SearchKind::kCaseSensitive);
  EVQ_TRY_ASSIGN(ExprPtr predicate, bind_search(*op.predicate, input));
  return filter(std::move(input), std::move(predicate));
}

namespace {

// attributes.user.id, which is one field or a part of one.
std::vector<PathStep> path_steps(const ast::Name& name) {
  std::vector<PathStep> steps;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != name.text.size(); begin = end + 1) {
    end = std::min(name.text.find('.', begin), name.text.size());
    steps.push_back({name.text.substr(begin, end - begin), name.span});
  }
  return steps;
}

}  // namespace

// What find's project leaves of all columns: the table's name, the fields named, and with
// pack_all() one bag, pack_, of the others that are not null.
Result<std::vector<NamedColumn>> Binder::found_columns(const ast::Find& source,
                                                       const Relation& output,
                                                       std::vector<NamedColumn> all, Span span) {
  std::vector<NamedColumn> chosen;
  for (const ast::ColumnSpec& spec : source.columns) {
    if (spec.name.text == all[0].name ||
        std::ranges::find(chosen, spec.name.text, &NamedColumn::name) != chosen.end()) {
      return diag::duplicate_name(spec.name.span, spec.name.text, "find");
    }
    ExprPtr value;
    if (!spec.name.quoted) {
      EVQ_TRY_ASSIGN(value, bind_steps(path_steps(spec.name), &output));
    }
    if (value == nullptr &&
        (find_field(output.schema(), spec.name.text).has_value() || output.knows(spec.name.text))) {
      EVQ_TRY_ASSIGN(value, bind_name(spec.name, spec.name.span, &output));
    }
    if (value == nullptr) {
      value = make_constant(Value::null(spec.type));
    } else if (spec.type != Type::kNull && value->type != spec.type) {
      EVQ_TRY_ASSIGN(value, convert(std::move(value), spec.type, spec.type_span));
    }
    chosen.push_back({spec.name.text, std::move(value)});
  }
  if (source.pack_rest) {
    std::vector<ExprPtr> args;
    args.push_back(make_constant(Value::boolean(true), span));
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (std::ranges::find(chosen, all[i].name, &NamedColumn::name) == chosen.end()) {
        args.push_back(make_constant(Value::string(all[i].name), span));
        args.push_back(std::move(all[i].expr));
      }
    }
    EVQ_TRY_ASSIGN(ExprPtr bag, call("pack_all", std::move(args), span));
    chosen.push_back({UniqueNames(chosen).take("pack_"), std::move(bag)});
  }
  chosen.insert(chosen.begin(), std::move(all[0]));
  return chosen;
}

Result<Relation> Binder::lower(const ast::Find& source, Span span) {
  ast::Union all;
  all.with_source = source.with_source.value_or(ast::Name{"source_", span, true});
  const ast::TableItem every = every_table(span);
  EVQ_TRY_ASSIGN(std::vector<Relation> inputs,
                 union_inputs(tables_or(source.tables, every), Fuzzy::kNo));
  EVQ_TRY_ASSIGN(std::vector<ExprPtr> predicates,
                 bind_searches(*source.predicate, ast::SearchKind::kDefault, inputs));
  // Tables without a row to find leave no columns; when all are, they tell those of no rows.
  const auto may_match = [](const ExprPtr& predicate) {
    const bool is_true = predicate->is_constant() && predicate->constant == Value::boolean(true);
    return is_true || reads_column(*predicate);
  };
  const bool none = std::ranges::none_of(predicates, may_match);
  std::vector<Relation> matching;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (none || may_match(predicates[i])) {
      matching.push_back(filter(std::move(inputs[i]), std::move(predicates[i])));
    }
  }
  EVQ_TRY_ASSIGN(Relation output, union_of(std::move(matching), all));
  std::vector<NamedColumn> columns = pass_through(output);
  if (!source.columns.empty() || source.pack_rest) {
    EVQ_TRY_ASSIGN(columns, found_columns(source, output, std::move(columns), span));
  }
  const NamePatterns away(source.away);
  std::erase_if(columns, [&](const NamedColumn& column) { return away.match(column.name); });
  return project(std::move(output), std::move(columns));
}

namespace {

// What a search term asks of a text: "x" has, "x*" hasprefix, "*x" hassuffix, "*x*" contains, with
// other wildcards a regular expression.
struct SearchPattern {
  std::string kind;
  std::string text;
};

SearchPattern search_pattern(std::string_view term) {
  const auto inner_wildcard = [](std::string_view text) {
    return text.find_first_of("*?") != std::string_view::npos;
  };
  std::string_view core = term;
  const bool front = core.starts_with('*');
  if (front) {
    core.remove_prefix(1);
  }
  const bool back = core.ends_with('*');
  if (back) {
    core.remove_suffix(1);
  }
  if (!inner_wildcard(core)) {
    return {front ? (back ? "contains" : "hassuffix") : (back ? "hasprefix" : "has"),
            std::string(core)};
  }
  // RE2's \b knows words of ASCII only: beside other letters it says what \b means of them.
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  std::string pattern;
  if (!front) {
    pattern = is_ascii(core.front()) ? "\\b" : "(?:^|[^\\pL\\pN_])";
  }
  for (const char c : core) {
    if (c == '*') {
      pattern += ".*";
    } else if (c == '?') {
      pattern += ".";
    } else {
      if (std::string_view("\\^$.|+()[]{}").find(c) != std::string_view::npos) {
        pattern.push_back('\\');
      }
      pattern.push_back(c);
    }
  }
  if (!back) {
    pattern += is_ascii(core.back()) ? "\\b" : "(?:$|[^\\pL\\pN_])";
  }
  return {"regex", std::move(pattern)};
}

}  // namespace

Result<ExprPtr> Binder::search_term(std::string_view term, const Relation& input, const Expr* field,
                                    Span span) {
  if (term == "*") {
    return make_constant(Value::boolean(true), span);
  }
  SearchPattern pattern = search_pattern(term);
  if (case_sensitive_) {
    pattern.kind += "_cs";
  }
  return search_fields(pattern.kind, pattern.text, input, field, span);
}

Result<ExprPtr> Binder::search_fields(std::string_view kind, std::string_view text,
                                      const Relation& input, const Expr* field, Span span) {
  if (Status few = note_expressions(field != nullptr ? 1 : input.schema().size(), span);
      !few.ok()) {
    Error error = std::move(few).take_error();
    if (error.code == ErrorCode::kCompile) {
      error.hint =
          "each word is searched for in every field: name the field, or project some first";
    }
    return error;
  }
  std::vector<ExprPtr> args;
  args.push_back(make_constant(Value::string(std::string(text)), span));
  args.push_back(make_constant(Value::string(std::string(kind)), span));
  if (field != nullptr) {
    args.push_back(clone(*field));
  }
  for (std::size_t i = 0; field == nullptr && i < input.schema().size(); ++i) {
    const Field& candidate = input.schema()[i];
    if (!is_hidden(candidate.name)) {
      args.push_back(make_column(i, candidate.type, span));
    }
  }
  return call("op_search", std::move(args), span);
}

Result<ExprPtr> Binder::bind_search(const ast::Expr& predicate, const Relation& input) {
  if (std::holds_alternative<ast::Star>(predicate.node)) {
    return make_constant(Value::boolean(true), predicate.span);
  }
  if (const auto* literal = std::get_if<ast::Literal>(&predicate.node)) {
    if (literal->value.type() == Type::kBool) {
      return make_constant(literal->value, predicate.span);
    }
    return search_term(literal->value.to_text(), input, nullptr, predicate.span);
  }
  if (const auto* logical = std::get_if<ast::Logical>(&predicate.node)) {
    std::vector<ExprPtr> args;
    for (const ast::ExprPtr& operand : logical->operands) {
      EVQ_TRY_ASSIGN(ExprPtr bound, bind_search(*operand, input));
      args.push_back(std::move(bound));
    }
    return call(logical->is_or ? "op_or" : "op_and", std::move(args), predicate.span);
  }
  if (const auto* unary = std::get_if<ast::Unary>(&predicate.node);
      unary != nullptr && unary->op == ast::UnaryOp::kNot) {
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_search(*unary->operand, input));
    std::vector<ExprPtr> args;
    args.push_back(std::move(bound));
    return call("not", std::move(args), predicate.span);
  }
  if (const auto* term = std::get_if<ast::SearchTerm>(&predicate.node)) {
    EVQ_TRY_ASSIGN(ExprPtr field, bind_expr(*term->field, &input));
    EVQ_TRY_ASSIGN(const Value text, bind_constant(*term->term, "a search term"));
    if (field->is_constant() && field->constant.is_null()) {
      return make_constant(Value::boolean(false), predicate.span);
    }
    return search_term(text.to_text(), input, field.get(), predicate.span);
  }
  auto bound = bind_predicate(predicate, &input, "search");
  const auto* word = std::get_if<ast::FieldRef>(&predicate.node);
  if (!bound.ok() && word != nullptr) {
    Error error = std::move(bound).take_error();
    if (error.span != predicate.span) {
      return error;  // of what a let has the name stand for
    }
    error.hint = "a text to search for stands in quotes: search '" + word->name.text + "'";
    return error;
  }
  return bound;
}

}  // namespace evq::plan
