#include "cli/severity.h"

#include <algorithm>
#include <string>

#include "store/base/ascii.h"

namespace evq {
namespace {

constexpr std::string_view kFields[] = {"level",       "severity",  "severity_text", "severitytext",
                                        "loglevel",    "log_level", "levelname",     "lvl",
                                        "status_code", "status",    "statuscode",    "http_status"};

struct WordRow {
  std::string_view word;
  TextStyle style;
};

constexpr WordRow kWords[] = {
    {"error", TextStyle::kError},     {"err", TextStyle::kError},
    {"fatal", TextStyle::kError},     {"critical", TextStyle::kError},
    {"crit", TextStyle::kError},      {"alert", TextStyle::kError},
    {"emerg", TextStyle::kError},     {"emergency", TextStyle::kError},
    {"panic", TextStyle::kError},     {"severe", TextStyle::kError},
    {"failed", TextStyle::kError},    {"warn", TextStyle::kWarning},
    {"warning", TextStyle::kWarning}, {"debug", TextStyle::kDim},
    {"trace", TextStyle::kDim},       {"verbose", TextStyle::kDim},
};

constexpr std::size_t kWordBytesMax = 16;

}  // namespace

bool tells_severity(std::string_view field) {
  const std::size_t dot = field.rfind('.');
  const std::string name =
      ascii_lower(dot == std::string_view::npos ? field : field.substr(dot + 1));
  return std::ranges::find(kFields, name) != std::end(kFields);
}

TextStyle severity_style(std::string_view value) {
  if (value.size() == 3 && std::ranges::all_of(value, is_digit)) {
    return value[0] == '5'   ? TextStyle::kError
           : value[0] == '4' ? TextStyle::kWarning
                             : TextStyle::kPlain;
  }
  if (value.size() > kWordBytesMax) {
    return TextStyle::kPlain;
  }
  const auto* row = std::ranges::find(kWords, ascii_lower(value), &WordRow::word);
  return row != std::end(kWords) ? row->style : TextStyle::kPlain;
}

}  // namespace evq
