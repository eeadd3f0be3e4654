#include <algorithm>
#include <charconv>
#include <cstdint>

#include <CLI/CLI.hpp>

#include "cli/option_checks.h"
#include "cli/option_values.h"

namespace evq {
namespace {

std::string listed_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

// As a validator tells it: nothing, or the message and the hint below it.
std::string mistake_of(const Status& checked) {
  return checked.ok() ? std::string() : checked.error().message + "\n" + checked.error().hint;
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> words, std::string file_hint, bool lists_all) {
  std::string type = "{";
  for (const std::string& word : words) {
    type += (type.size() == 1 ? "" : ",") + word;
  }
  return CLI::Validator(
      [words = std::move(words), hint = std::move(file_hint),
       lists_all](std::string& text) -> std::string {
        if (std::ranges::find(words, text) != words.end()) {
          return {};
        }
        const std::vector<std::string_view> views(words.begin(), words.end());
        const std::string_view near = meant_form(text, views);
        const bool file = !hint.empty() && text.find_first_of("./") != std::string::npos;
        return "'" + text + "' is not one of its words\n" +
               (file                        ? hint
                : near.empty() || lists_all ? "there are " + listed_words(words)
                                            : "did you mean '" + std::string(near) + "'?");
      },
      type + "}");
}

CLI::Validator duration_or_time() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (lacks_unit(text)) {
          return mistake_of(unit_error(text));
        }
        return mistake_of(
            check_time(text, "a duration", "write 15m, 1h, 7d or 1w2d12h, or a time"));
      },
      "DURATION");
}

CLI::Validator point_in_time() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (is_hardly_a_time(text)) {
          return mistake_of(unit_error(text));
        }
        return mistake_of(check_time(
            text, "a time", "write RFC 3339 such as 2024-05-01T12:00:00Z, now, now-6h, or -7d"));
      },
      "TIME");
}

CLI::Validator some_seconds() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const std::optional<double> seconds = parse_seconds(text);
        if (!seconds.has_value()) {
          return "'" + text + "' is not a number of seconds\nwrite 30, 0.5, 30s or 5m";
        }
        text = std::to_string(*seconds);
        return {};
      },
      "SECONDS");
}

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        std::uint64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc::result_out_of_range) {
          return "'" + text + "' is too large";
        }
        if (error == std::errc() && at == end) {
          return {};
        }
        const bool negative = text.size() > 1 && text[0] == '-' &&
                              text.find_first_not_of("0123456789", 1) == std::string::npos;
        return "'" + text +
               (negative ? "' is negative\nwrite 0 or more" : "' is not a whole number");
      },
      "");
}

CLI::Validator size_of_memory() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        return parse_size(text).ok() ? std::string()
                                     : "'" + text + "' is not a size\nwrite 512M or 2G";
      },
      "SIZE");
}

}  // namespace evq
