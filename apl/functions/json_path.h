#pragma once
// JsonPath: the paths of extract_json(), array_extract() and of the bag functions,
// "$.a['b'][0][*]". Compiled from text, then followed through dynamic values. `*` stands for every
// element or value; negative indexes count from the end. Immutable after parsing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/column/dynamic.h"

namespace evq {

struct JsonPathStep {
  enum class Kind : std::uint8_t { kKey, kIndex, kAll };
  Kind kind = Kind::kKey;
  std::string key;
  std::int64_t index = 0;
};

class JsonPath {
 public:
  // Parses a path; nullopt if it is none. The leading `$` may be left out; "$" alone has no steps.
  static std::optional<JsonPath> parse(std::string_view text);
  // Parses the path of a row. Rows mostly have one path: the thread's last is kept, and is valid
  // until its next call. Null when the text is no path.
  static const JsonPath* of_row(std::string_view text);

  const std::vector<JsonPathStep>& steps() const { return steps_; }
  // Returns every value the path leads to, in order, from `root` or, without the first steps, from
  // what these have led to.
  std::vector<DynamicView> matches(DynamicView root, std::size_t followed = 0) const;

 private:
  std::vector<JsonPathStep> steps_;
};

}  // namespace evq
