#include "apl/plan/after_cursor.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "apl/plan/optimizer.h"
#include "apl/plan/stacking.h"

namespace evq::plan {

Result<Relation> after_cursor(Binder& binder, const CursorBound& cursor,
                              const LocationBounds& bounds, Relation input) {
  const auto compare = [&](std::string_view function, std::string_view column,
                           Value bound) -> Result<ExprPtr> {
    const std::size_t at = *input.schema().find(column);
    std::vector<ExprPtr> args;
    args.push_back(make_column(at, input.schema()[at].type));
    args.push_back(make_constant(std::move(bound)));
    return binder.call(function, std::move(args), {});
  };
  const std::int64_t cut = cursor.descending == cursor.inclusive ? bounds.upper : bounds.lower;
  EVQ_TRY_ASSIGN(ExprPtr further, compare(cursor.descending ? "op_less" : "op_greater", kTimeColumn,
                                          Value::datetime(cursor.time)));
  EVQ_TRY_ASSIGN(ExprPtr same, compare("op_equal", kTimeColumn, Value::datetime(cursor.time)));
  EVQ_TRY_ASSIGN(ExprPtr row, compare(cursor.descending ? "op_less" : "op_greater_equal",
                                      kRowColumn, Value::integer(cut)));
  std::vector<ExprPtr> tie;
  tie.push_back(std::move(same));
  tie.push_back(std::move(row));
  EVQ_TRY_ASSIGN(ExprPtr tied, binder.call("op_and", std::move(tie), {}));
  std::vector<ExprPtr> either;
  either.push_back(std::move(further));
  either.push_back(std::move(tied));
  EVQ_TRY_ASSIGN(ExprPtr predicate, binder.call("op_or", std::move(either), {}));
  // A filter on the time alone lets whole blocks be skipped.
  EVQ_TRY_ASSIGN(ExprPtr bound, compare(cursor.descending ? "op_less_equal" : "op_greater_equal",
                                        kTimeColumn, Value::datetime(cursor.time)));
  const auto keep = [&](ExprPtr kept) {
    input = filter(std::move(input), std::move(kept));
    std::get<Filter>(input.node->op).of_page = true;
  };
  keep(std::move(bound));
  keep(std::move(predicate));
  return input;
}

std::shared_ptr<const Node> whole_plan(const std::shared_ptr<const Node>& plan, WholePlans* known) {
  if (const auto at = known->find(plan); at != known->end()) {
    return at->second;
  }
  bool changed = false;
  const auto replace = [&](std::shared_ptr<const Node>* part) {
    std::shared_ptr<const Node> whole = whole_plan(*part, known);
    changed = changed || whole != *part;
    *part = std::move(whole);
  };
  std::shared_ptr<const Node> made = rewrite_bottom_up(clone(*plan), [&](NodePtr node) -> NodePtr {
    if (const auto* filter = std::get_if<Filter>(&node->op); filter != nullptr && filter->of_page) {
      changed = true;
      return std::move(node->inputs[0]);
    }
    if (auto* scan = std::get_if<Scan>(&node->op)) {
      changed = changed || scan->arrived_from != 0 || scan->arrived_before != UINT64_MAX;
      scan->arrived_from = 0;
      scan->arrived_before = UINT64_MAX;
    } else if (auto* shared = std::get_if<Shared>(&node->op)) {
      replace(&shared->plan);
    } else if (auto* apply = std::get_if<Apply>(&node->op)) {
      replace(&apply->subplan);
    }
    return node;
  });
  return known->emplace(plan, changed ? made : plan).first->second;
}

}  // namespace evq::plan
