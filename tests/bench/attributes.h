#pragma once
// The 60 open attributes of the service log: from keys that almost every event carries down to one
// event in five hundred, of every type a tracing library emits. Immutable after construction.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/random.h"

namespace evq::bench {

enum class AttributeType : std::uint8_t { kPool, kInteger, kBoolean, kReal, kHex, kAddress, kPod };

struct Attribute {
  std::string_view key;
  AttributeType type;
  std::uint32_t distinct;  // 0: as many as there are events
  double frequency;        // share of the events that carry it
};

std::span<const Attribute> attributes();
std::span<const std::string_view> services();

// An IPv4 address made of a hash's bits.
std::string address_text(std::uint64_t bits);

class AttributeValues {
 public:
  // Draws the pools from `random` with words of `vocabulary`.
  AttributeValues(Random& random, const std::vector<std::string>& vocabulary);

  const std::vector<std::string>& pool(std::size_t attribute) const { return pools_[attribute]; }
  const std::vector<std::string>& pool(std::string_view key) const;

  // Appends one value as JSON or as a CSV cell.
  void append(std::string& out, std::size_t attribute, Random& random, bool json) const;

 private:
  std::vector<std::vector<std::string>> pools_;
  std::vector<WeightedChoice> choices_;
};

}  // namespace evq::bench
