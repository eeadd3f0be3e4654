#pragma once
// Parameters of a query, declare query_parameters(name:type), whose values come with the request:
// as JSON, which has neither datetimes nor timespans. For the Binder alone.

#include "apl/plan/binding.h"
#include "apl/plan/expr.h"
#include "apl/syntax/ast.h"
#include "store/base/result.h"

namespace evq::plan {

class Binder;

// The value that the request gives for `parameter` as a constant of the declared type: a text is
// read as one, a number is spelt where a text is declared. Fails where the value is none of the
// type.
Result<ExprPtr> parameter_value(const Binder& binder, const ast::Parameter& parameter,
                                const Value& given);

}  // namespace evq::plan
