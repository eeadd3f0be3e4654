#include "apl/functions/genai_prices.h"

#include <algorithm>
#include <array>

namespace evq {
namespace {

constexpr std::array<ModelPrice, 22> kPrices = {{
    {"claude-3-5-haiku", 0.8, 4},
    {"claude-3-5-sonnet", 3, 15},
    {"claude-3-7-sonnet", 3, 15},
    {"claude-3-haiku", 0.25, 1.25},
    {"claude-3-opus", 15, 75},
    {"claude-opus-4", 15, 75},
    {"claude-sonnet-4", 3, 15},
    {"gemini-1.5-flash", 0.075, 0.3},
    {"gemini-1.5-pro", 1.25, 5},
    {"gemini-2.0-flash", 0.1, 0.4},
    {"gemini-2.5-pro", 1.25, 10},
    {"gpt-3.5-turbo", 0.5, 1.5},
    {"gpt-4", 30, 60},
    {"gpt-4-turbo", 10, 30},
    {"gpt-4.1", 2, 8},
    {"gpt-4.1-mini", 0.4, 1.6},
    {"gpt-4.1-nano", 0.1, 0.4},
    {"gpt-4o", 2.5, 10},
    {"gpt-4o-mini", 0.15, 0.6},
    {"o1", 15, 60},
    {"o1-mini", 1.1, 4.4},
    {"o3-mini", 1.1, 4.4},
}};

// Whether what follows a model's name, from the hyphen on, tells one of its releases: a date or a
// number of several digits, in parts or not, behind "preview" or not; or the latest one. Anything
// else names another model, as the "pro" of o1-pro does.
bool is_release(std::string_view suffix) {
  if (suffix == "-latest") {
    return true;
  }
  if (suffix.starts_with("-preview")) {
    suffix.remove_prefix(std::string_view("-preview").size());
  }
  while (suffix.starts_with('-')) {
    const std::size_t digits = std::min(suffix.find_first_not_of("0123456789", 1), suffix.size());
    if (digits < 3) {
      return false;
    }
    suffix.remove_prefix(digits);
  }
  return suffix.empty();
}

// The name itself, or with a release behind it: "gpt-4-0613" is gpt-4.
bool names_model(std::string_view name, std::string_view model) {
  return name.starts_with(model) && is_release(name.substr(model.size()));
}

}  // namespace

std::optional<ModelPrice> price_of_model(std::string_view name) {
  std::optional<ModelPrice> best;
  for (const ModelPrice& price : kPrices) {
    if (names_model(name, price.model) &&
        (!best.has_value() || price.model.size() > best->model.size())) {
      best = price;
    }
  }
  return best;
}

}  // namespace evq
