#pragma once
// Numbers for people: short, with a unit, never exact. For exact text see store/base/told_number.h
// and number.h.
// All functions are pure and independent of the locale.

#include <cstdint>
#include <string>
#include <string_view>

namespace evq {

// Writes three digits and a decimal prefix: 0, 12, 1.5k, 20M, 0.05, 1e-07. Not a number gives "-".
std::string quantity_text(double value);
// Writes a label of an axis whose values go up to `magnitude` in steps of `step`: all labels get
// the same prefix and as many decimals as tell them apart.
std::string tick_text(double value, double magnitude, double step);
// Writes decimal units: 999 B, 1.5 kB, 3.2 GB.
std::string bytes_text(std::uint64_t bytes);
// Writes 1 row, 48,211 rows.
std::string counted_text(std::uint64_t count, std::string_view noun);
// Writes 41 ms, 1.2 s, 2:05, 1:02:05.
std::string elapsed_text(std::int64_t milliseconds);

}  // namespace evq
