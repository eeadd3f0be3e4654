#include "apl/plan/number_hint.h"

#include <algorithm>

#include "store/base/ascii.h"
#include "store/base/timespan.h"

namespace evq::plan {
namespace {

bool is_number_with_unit(std::string_view name) {
  return !name.empty() && is_digit(name[0]) &&
         name.find_first_not_of("0123456789") != std::string_view::npos;
}

// What a number with letters behind it lacks, or what it is called where it is another language's.
std::string unit_hint(std::string_view name) {
  const std::size_t digits = std::min(name.find_first_not_of("0123456789_"), name.size());
  const std::string_view unit = name.substr(digits);
  const std::string letters = ascii_lower(unit);
  const std::string number(name.substr(0, digits));
  if (unit == "\u00b5s" || unit == "\u03bcs") {
    return "microseconds are written " + number + "us";
  }
  if (unit == "D" || unit == "H" || unit == "S" || unit == "W") {
    return "units of time are lower case: " + number + letters;
  }
  if (name[0] == '0' && digits == 1 && letters.starts_with('x')) {
    return letters.size() == 1 ? "digits are missing: 0x1f"
                               : "hexadecimal digits are 0 to 9 and a to f";
  }
  if (name[0] == '0' && digits == 1 && (letters.starts_with('b') || letters.starts_with('o')) &&
      letters.size() > 1 && is_digit(letters[1])) {
    return std::string("there are no ") + (letters[0] == 'b' ? "binary" : "octal") +
           " literals: write it in decimal, or as 0x1f";
  }
  if (letters == "e") {
    return "digits are missing: " + std::string(name) + "3";
  }
  // Of thousands and of types, as other languages write them behind a number.
  constexpr std::string_view kMarks = "bdfgklmtu";
  if (name.find('_') != std::string_view::npos ||
      (unit.size() == 1 && kMarks.find(letters) != std::string_view::npos)) {
    return "numbers are written out, without marks: 1000";
  }
  if (!letters.starts_with('y') && !letters.starts_with("mo")) {
    return "units of time are w, d, h, m, s, ms, us and ns";
  }
  const std::string part = letters.starts_with('y') ? "year" : "month";
  return "units of time are d, h, m, s, ms; " + part + "s: startof" + part +
         "(time), datetime_add('" + part + "', 3, time)";
}

// "2h + 30m" of 2h30m, which no literal is; empty for other names.
std::string sum_of_spans(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) { return is_digit(c) || is_letter(c); });
  if (!plain || !is_number_with_unit(name) || !parse_timespan(name).has_value()) {
    return {};
  }
  std::string sum;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && is_digit(name[i]) && !is_digit(name[i - 1])) {
      sum += " + ";
    }
    sum.push_back(name[i]);
  }
  return sum.size() == name.size() ? std::string() : sum;
}

}  // namespace

std::string number_hint(std::string_view name) {
  if (const std::string sum = sum_of_spans(name); !sum.empty()) {
    return "a timespan has one unit: " + sum + ", or totimespan('" + std::string(name) + "')";
  }
  if (name.size() == 3 && name.ends_with("xx") && is_digit(name[0])) {
    const std::string class_digit(1, name[0]);
    return "write between (" + class_digit + "00 .. " + class_digit + "99)";
  }
  return is_number_with_unit(name) ? unit_hint(name) : std::string();
}

}  // namespace evq::plan
