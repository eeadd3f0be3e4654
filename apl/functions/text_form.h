#pragma once
// The text form of every value, as tostring(), strcat(), search and implicit conversions give it:
// null is empty, reals as Go's FormatFloat prints them (1, 0.1, 1e+21), datetimes RFC 3339 with
// nanoseconds, timespans as Go durations (1m20s), arrays and bags as compact JSON.

#include <string>

#include "store/column/dynamic.h"
#include "store/column/vector.h"

namespace evq {

void append_text_form(DynamicView value, std::string* out);
// The value at `slot`, of any type; nothing for null.
void append_text_form(const Values& values, std::size_t slot, std::string* out);
// Every row as text; null rows stay null. Strings are passed through.
Vector text_forms(const Vector& vector);

}  // namespace evq
