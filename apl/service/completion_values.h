#pragma once
// FieldValues: the frequent values of a field, from a sample of the newest events, for completion.
// Kept per field for a short while. One thread at a time; the source must outlive it.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/service/completion_source.h"

namespace evq {

struct FieldValue {
  std::string text;
  std::string share;  // of the sample: "31%"
};

class FieldValues {
 public:
  explicit FieldValues(CompletionSource& source) : source_(source) {}

  // Returns values, most frequent first; empty for types that nobody compares by value, and for
  // fields whose values hardly ever repeat, such as ids.
  const std::vector<FieldValue>& find(const std::string& dataset, const std::string& field,
                                      Type type);

 private:
  struct Known {
    std::int64_t found_ns = 0;
    std::vector<FieldValue> values;
  };
  Result<std::vector<FieldValue>> sample(const std::string& dataset, const std::string& field);

  CompletionSource& source_;
  std::map<std::pair<std::string, std::string>, Known> known_;
};

}  // namespace evq
