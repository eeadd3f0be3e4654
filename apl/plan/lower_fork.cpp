// fork and facet. In Kusto they answer with several tables; an answer here is one table for every
// client, so the tables become one, with a first column that says which of them a row is from.

#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"

namespace evq::plan {
namespace {

constexpr std::string_view kBranchColumn = "branch";
constexpr std::string_view kFacetColumn = "facet";

ast::Union named_by(std::string_view column) {
  ast::Union all;
  all.with_source = ast::Name{std::string(column), {}, true};
  return all;
}

}  // namespace

Result<Relation> Binder::lower(const ast::Fork& op, Span /*span*/, Relation input) {
  const std::shared_ptr<const Node> rows = std::move(input.node);
  std::vector<Relation> branches;
  for (std::size_t i = 0; i < op.branches.size(); ++i) {
    const ast::ForkBranch& branch = op.branches[i];
    EVQ_TRY_ASSIGN(Relation made, bind_operators(branch.body, read_shared(rows, input)));
    made = order_naturally(std::move(made), options_.event_order);
    made.name = branch.name.has_value() ? branch.name->text : "fork_" + std::to_string(i);
    branches.push_back(std::move(made));
  }
  return union_of(std::move(branches), named_by(kBranchColumn));
}

// One table a field: its values and how many rows have them, most frequent first. What `with` makes
// of the rows comes after them.
Result<Relation> Binder::lower(const ast::Facet& op, Span span, Relation input) {
  std::vector<ast::NamePattern> named;
  for (const ast::Name& field : op.fields) {
    named.push_back({.parts = {field.text}, .span = field.span});
  }
  EVQ_TRY_ASSIGN(input, show_virtual_fields(std::move(input), named));
  const std::shared_ptr<const Node> rows = std::move(input.node);
  ast::Expr count;
  count.span = span;
  count.node = ast::Call{ast::Name{"count", span, false}, {}};
  std::vector<Relation> tables;
  for (const ast::Name& field : op.fields) {
    Relation branch = read_shared(rows, input);
    EVQ_TRY_ASSIGN(const std::size_t at, find_column(branch, field));
    SummarizeParts parts;
    parts.bound_groups.push_back({"value", make_column(at, branch.schema()[at].type, field.span)});
    parts.aggregates.emplace_back(count);
    EVQ_TRY_ASSIGN(Relation table, summarize(std::move(parts), std::move(branch)));
    const Schema schema = table.schema();
    table.node =
        stack(std::move(table.node), Sort{{{1, {true, false}}, {0, {false, true}}}}, schema);
    table.ordered = true;
    table.name = field.text;
    tables.push_back(std::move(table));
  }
  if (!op.body.empty()) {
    EVQ_TRY_ASSIGN(Relation made, bind_operators(op.body, read_shared(rows, input)));
    made = order_naturally(std::move(made), options_.event_order);
    made.name = "with";
    tables.push_back(std::move(made));
  }
  return union_of(std::move(tables), named_by(kFacetColumn));
}

}  // namespace evq::plan
