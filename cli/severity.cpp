#include "cli/severity.h"

#include <algorithm>
#include <span>
#include <string>

#include "store/base/ascii.h"
#include "store/block/format.h"

namespace evq {
namespace {

constexpr std::string_view kLevels[] = {"level",    "severity",  "severity_text", "severitytext",
                                        "loglevel", "log_level", "levelname",     "lvl"};
constexpr std::string_view kStatuses[] = {"status_code", "status", "statuscode", "http_status"};
constexpr std::string_view kMessages[] = {"message", "msg", "body", "log"};

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

bool is_among(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// "level" of "log.Level".
std::string last_part(std::string_view field) {
  return ascii_lower(field.substr(field.rfind('.') + 1));  // npos + 1 is 0
}

}  // namespace

bool tells_severity(std::string_view field) {
  return is_among(kLevels, last_part(field)) || is_among(kStatuses, last_part(field));
}

int reading_rank(std::string_view field) {
  return field == kTimeField                       ? 0
         : is_among(kLevels, last_part(field))     ? 1
         : is_among(kMessages, ascii_lower(field)) ? 2
                                                   : 3;
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
