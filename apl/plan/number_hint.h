#pragma once
// What a name that begins with a digit may have meant where it is no field: a number with a unit
// that APL does not have, or several, or one as other languages write it. Pure; any thread may
// call.

#include <string>
#include <string_view>

namespace evq::plan {

// Empty for names that begin otherwise.
std::string number_hint(std::string_view name);

}  // namespace evq::plan
