#pragma once
// MessageWriter: the service log's free text, ten templates of very different frequency, from a
// plain completion line to a rare panic with a stack over several lines. One thread; keeps
// references to the vocabulary and the attribute values it was made with.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/attributes.h"
#include "tests/bench/random.h"

namespace evq::bench {

// What a message may speak about.
struct Request {
  std::uint32_t service = 0;
  std::uint32_t status = 0;
  std::uint64_t micros = 0;
};

class MessageWriter {
 public:
  MessageWriter(const std::vector<std::string>& vocabulary, const AttributeValues& values)
      : vocabulary_(vocabulary), values_(values) {}

  void draw(std::string& out, const Request& request, Random& random) const;

 private:
  std::string completed(const Request& request, Random& random) const;
  std::string cache_miss(const Request& request, Random& random) const;
  std::string table_query(Random& random) const;
  std::string authenticated(Random& random) const;
  std::string prose(Random& random) const;
  std::string panic(Random& random) const;
  std::string payment(Random& random) const;
  std::string timeout(Random& random) const;
  std::string job(Random& random) const;
  std::string from_template(std::uint32_t index, const Request& request, Random& random) const;

  const std::vector<std::string>& vocabulary_;
  const AttributeValues& values_;
  WeightedChoice templates_{{34, 12, 14, 7, 16, 0.05, 6, 4, 6, 0.9}};
  WeightedChoice words_ = WeightedChoice::zipf(5000, 1.0, 3);
  WeightedChoice users_ = WeightedChoice::zipf(30000, 0.7, 5);
  WeightedChoice services_ = WeightedChoice::zipf(40, 0.9, 1.5);
};

}  // namespace evq::bench
