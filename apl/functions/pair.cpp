// Pairs: "key:value" texts, as tags come in many logs.

#include <array>
#include <optional>
#include <string>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_search.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

constexpr std::string_view kSeparator = ":";

struct Pair {
  std::string_view key;
  std::string_view value;
};

// Split at the first separator; without one, all is value.
Pair split_pair(std::string_view text, std::string_view separator) {
  const std::size_t at = separator.empty() ? std::string_view::npos : find_text(text, separator, 0);
  if (at == std::string_view::npos) {
    return {"", text};
  }
  return {text.substr(0, at), text.substr(at + separator.size())};
}

DynamicBytes pair_bag(const Pair& pair, std::string_view separator) {
  DynamicBuilder out;
  out.begin_bag();
  out.key("key");
  out.add_string(pair.key);
  out.key("value");
  out.add_string(pair.value);
  out.key("separator");
  out.add_string(separator);
  out.end_bag();
  return {out.take()};
}

// `*` stands for any run of characters. Linear for the usual one star, never exponential: after a
// mismatch only the last star moves on.
bool matches_wildcards(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  PollCounter poll;
  while (t < text.size()) {
    poll.add();
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

DynamicBytes make_pair_bag(std::string_view key, std::string_view value,
                           std::optional<std::string_view> separator) {
  return pair_bag({key, value}, separator.value_or(kSeparator));
}

DynamicBytes parse_pair(std::string_view text, std::optional<std::string_view> separator) {
  return pair_bag(split_pair(text, separator.value_or(kSeparator)), separator.value_or(kSeparator));
}

// What an element says: a text of two parts, or a bag as pair() makes it.
std::optional<Pair> pair_of(DynamicView element, std::string_view separator) {
  if (element.is_string()) {
    return split_pair(element.as_string(), separator);
  }
  const std::optional<DynamicView> key = element.find("key");
  const std::optional<DynamicView> value = element.find("value");
  if (!key.has_value() || !key->is_string() || !value.has_value() || !value->is_string()) {
    return std::nullopt;
  }
  return Pair{key->as_string(), value->as_string()};
}

std::optional<DynamicBytes> find_pair(DynamicView array, std::string_view key_pattern,
                                      std::string_view value_pattern,
                                      std::optional<std::string_view> separator) {
  const std::string_view between = separator.value_or(kSeparator);
  DynamicView::Iterator each(array);
  while (array.is_array() && each.next()) {
    const std::optional<Pair> pair = pair_of(each.value(), between);
    if (pair.has_value() && matches_wildcards(key_pattern, pair->key) &&
        matches_wildcards(value_pattern, pair->value)) {
      return pair_bag(*pair, between);
    }
  }
  return std::nullopt;
}

constexpr std::array<ScalarFunction, 3> kPairFunctions = {{
    {.name = "find_pair",
     .category = "pair",
     .summary = "The first pair of an array whose key and value match patterns.",
     .params = {{{"array", "An array of texts such as 'key:value', or of what pair() gives."},
                 {"key_pattern", "The key; * stands for any characters."},
                 {"value_pattern", "The value; * stands for any characters."},
                 {"[separator]", "What parts key and value, ':' when left out."}}},
     .returns = "A bag of key, value and separator; null when no pair matches.",
     .examples = {{{"print find_pair(dynamic(['env:prod', 'host:db1']), 'host', '*')['value']",
                    "db1"}}},
     .overloads = {lift<find_pair>()}},
    {.name = "pair",
     .category = "pair",
     .summary = "A pair of a key and a value.",
     .params = {{{"key", "The key."},
                 {"value", "The value."},
                 {"[separator]", "What parts them in text, ':' when left out."}}},
     .returns = "A bag of key, value and separator.",
     .examples = {{{"print pair('host', 'db1')",
                    "{\"key\":\"host\",\"value\":\"db1\",\"separator\":\":\"}"}}},
     .overloads = {lift<make_pair_bag>()}},
    {.name = "parse_pair",
     .category = "pair",
     .summary = "Splits a text at the first separator into key and value.",
     .params = {{{"text", "A text such as 'key:value'."},
                 {"[separator]", "What parts key and value, ':' when left out."}}},
     .returns = "A bag of key, value and separator; without a separator in the text the key is "
                "empty and the value the whole text.",
     .examples = {{{"print parse_pair('host=db1', '=')",
                    "{\"key\":\"host\",\"value\":\"db1\",\"separator\":\"=\"}"}}},
     .overloads = {lift<parse_pair>()},
     .cost = CallCost::kPattern},
}};

}  // namespace

std::span<const ScalarFunction> pair_functions() {
  return kPairFunctions;
}

}  // namespace evq
