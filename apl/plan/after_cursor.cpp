#include "apl/plan/after_cursor.h"

#include <utility>
#include <vector>

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
  return binder.filter(binder.filter(std::move(input), std::move(bound)), std::move(predicate));
}

}  // namespace evq::plan
