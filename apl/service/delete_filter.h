#pragma once
// The predicate of a delete as the store asks it, block by block: the filters of a query made of
// where and search only.

#include <memory>

#include "apl/plan/bind.h"
#include "apl/plan/plan.h"
#include "apl/service/request.h"
#include "apl/syntax/ast.h"
#include "store/base/memory_budget.h"
#include "store/store.h"

namespace evq {

// Binds a delete over the fields that `tables` shows: kUsage when it names several datasets; else
// errors as bind_query.
Result<plan::Plan> bind_delete(const ast::Query& query, plan::TableSource& tables,
                               const QueryVariables& variables, const EvalContext& context);

// Makes a filter of a plan by bind_delete(): filters over one scan. What a block takes while it is
// looked at is charged to the budget, which outlives the filter: kLimit where it does not fit.
Result<std::unique_ptr<RowFilter>> make_delete_filter(plan::Plan plan, const EvalContext& context,
                                                      MemoryBudget* budget);

}  // namespace evq
