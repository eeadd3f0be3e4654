// Functions over the 64 bits of an integer.

#include <array>
#include <bit>
#include <optional>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

constexpr std::int64_t kWidth = 64;

std::int64_t and_bits(std::int64_t a, std::int64_t b) {
  return a & b;
}
std::int64_t or_bits(std::int64_t a, std::int64_t b) {
  return a | b;
}
std::int64_t xor_bits(std::int64_t a, std::int64_t b) {
  return a ^ b;
}
std::int64_t not_bits(std::int64_t a) {
  return ~a;
}
std::int64_t count_bits(std::int64_t a) {
  return std::popcount(static_cast<std::uint64_t>(a));
}

// A shift by more than the width shifts by the rest; a negative one is null.
std::optional<std::int64_t> shift_left(std::int64_t a, std::int64_t count) {
  if (count < 0) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << (count % kWidth));
}
std::optional<std::int64_t> shift_right(std::int64_t a, std::int64_t count) {
  if (count < 0) {
    return std::nullopt;
  }
  return a >> (count % kWidth);
}

constexpr std::array<ScalarFunction, 7> kBitFunctions = {{
    {.name = "binary_and",
     .category = "math",
     .summary = "The bits that both of two integers have.",
     .params = {{{"a", "An integer."}, {"b", "An integer."}}},
     .returns = "A long.",
     .examples = {{{"print binary_and(12, 10)", "8"}}},
     .overloads = {lift<and_bits>()},
     .result_name = ResultName::kArgument},
    {.name = "binary_not",
     .category = "math",
     .summary = "An integer with every bit turned around.",
     .params = {{{"a", "An integer."}}},
     .returns = "A long.",
     .examples = {{{"print binary_not(100)", "-101"}}},
     .overloads = {lift<not_bits>()},
     .result_name = ResultName::kArgument},
    {.name = "binary_or",
     .category = "math",
     .summary = "The bits that one or both of two integers have.",
     .params = {{{"a", "An integer."}, {"b", "An integer."}}},
     .returns = "A long.",
     .examples = {{{"print binary_or(12, 10)", "14"}}},
     .overloads = {lift<or_bits>()},
     .result_name = ResultName::kArgument},
    {.name = "binary_shift_left",
     .category = "math",
     .summary = "Moves the bits of an integer to the left.",
     .params = {{{"a", "An integer."}, {"count", "By how many bits, taken modulo 64."}}},
     .returns = "A long; null when `count` is negative.",
     .examples = {{{"print binary_shift_left(1, 4)", "16"}}},
     .overloads = {lift<shift_left>()},
     .result_name = ResultName::kArgument},
    {.name = "binary_shift_right",
     .category = "math",
     .summary = "Moves the bits of an integer to the right and keeps its sign.",
     .params = {{{"a", "An integer."}, {"count", "By how many bits, taken modulo 64."}}},
     .returns = "A long; null when `count` is negative.",
     .examples = {{{"print binary_shift_right(16, 3)", "2"}}},
     .overloads = {lift<shift_right>()},
     .result_name = ResultName::kArgument},
    {.name = "binary_xor",
     .category = "math",
     .summary = "The bits that exactly one of two integers has.",
     .params = {{{"a", "An integer."}, {"b", "An integer."}}},
     .returns = "A long.",
     .examples = {{{"print binary_xor(12, 10)", "6"}}},
     .overloads = {lift<xor_bits>()},
     .result_name = ResultName::kArgument},
    {.name = "bitset_count_ones",
     .category = "math",
     .summary = "How many bits of an integer are set.",
     .params = {{{"a", "An integer."}}},
     .returns = "A long.",
     .examples = {{{"print bitset_count_ones(42)", "3"}}},
     .overloads = {lift<count_bits>()},
     .result_name = ResultName::kArgument},
}};

}  // namespace

std::span<const ScalarFunction> bit_functions() {
  return kBitFunctions;
}

}  // namespace evq
