#include "http/parameters.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "store/base/ascii.h"

namespace evq {
namespace {

// How a switch is written, in any case: as Splunk's clients do it, whose words those of others are
// among.
struct SwitchWords {
  std::string_view on;
  std::string_view off;
};

constexpr std::array kSwitchWords = {SwitchWords{"true", "false"}, SwitchWords{"t", "f"},
                                     SwitchWords{"yes", "no"},     SwitchWords{"y", "n"},
                                     SwitchWords{"on", "off"},     SwitchWords{"1", "0"}};

std::string switch_words_text() {
  std::string text;
  for (const SwitchWords& words : kSwitchWords) {
    text += (text.empty() ? "" : ", ") + std::string(words.on) + "/" + std::string(words.off);
  }
  return text;
}

}  // namespace

Result<std::size_t> count_parameter(const HttpRequest& request, std::string_view name,
                                    std::size_t absent, std::size_t max) {
  const auto text = request.parameter(name);
  if (!text.has_value() || text->empty()) {
    return absent;
  }
  std::size_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || at != end || value > max) {
    return make_error(ErrorCode::kUsage,
                      std::string(name) + " must be a number up to " + std::to_string(max));
  }
  return value;
}

Result<std::size_t> list_limit(const HttpRequest& request, std::size_t absent) {
  EVQ_TRY_ASSIGN(const std::size_t limit, count_parameter(request, "limit", absent, 1000));
  if (limit == 0) {
    return make_error(ErrorCode::kUsage, "limit must be a number from 1 to 1000");
  }
  return limit;
}

Result<bool> switch_parameter(const HttpRequest& request, std::string_view name) {
  const std::string text = ascii_lower(request.parameter(name).value_or("false"));
  const bool is_on = std::ranges::find(kSwitchWords, text, &SwitchWords::on) != kSwitchWords.end();
  if (!is_on && std::ranges::find(kSwitchWords, text, &SwitchWords::off) == kSwitchWords.end()) {
    return make_error(ErrorCode::kUsage,
                      std::string(name) + " must be one of " + switch_words_text());
  }
  return is_on;
}

}  // namespace evq
