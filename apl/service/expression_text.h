#pragma once
// What requests say in APL inside of another form: the expressions of virtual fields. Pure; any
// thread.

#include <string_view>

#include "store/base/result.h"

namespace evq {

// kUsage unless the text of the virtual field `name` is one expression and nothing behind it.
// Fields are not looked at: the expression may be older than they are.
Status check_expression(std::string_view name, std::string_view text);

}  // namespace evq
