#pragma once
// What makers of language models ask for tokens, in US dollars for a million of them, as they
// published it; those of some models only. Pure.

#include <optional>
#include <string_view>

namespace evq {

struct ModelPrice {
  std::string_view model;
  double input = 0;
  double output = 0;
};

// The price of a model, or of a release of one ("gpt-4-0613" is gpt-4); nullopt for others.
std::optional<ModelPrice> price_of_model(std::string_view name);

}  // namespace evq
