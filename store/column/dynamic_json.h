#pragma once
// JSON text to and from dynamic values. Parsing is strict JSON. Integers within int64 become longs,
// other numbers reals, the nearest double; for numbers beyond the range of doubles see HugeNumbers.
// Nesting deeper than is allowed, by default kDynamicDepthMax, makes the text fail. Of repeated
// keys the last wins.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/base/limits.h"
#include "store/column/dynamic.h"

namespace evq {

// What becomes of numbers beyond the range of doubles: null inside of an array or an object, as in
// events, or the text fails, as it always does when it is nothing but such a number.
enum class HugeNumbers : std::uint8_t { kNull, kRefused };

// Parses one text after the other and reuses its buffers: make one per worker and call it for each
// row. One thread at a time.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();
  JsonReader(JsonReader&& other) noexcept;
  JsonReader& operator=(JsonReader&& other) noexcept;

  // Adds the value of a JSON text to `builder`. False when it is not JSON; the builder is then as
  // it was.
  bool read(std::string_view text, DynamicBuilder* builder,
            std::size_t depth_max = kDynamicDepthMax, HugeNumbers huge = HugeNumbers::kNull);
  // Adds the value alone that the keys lead to, each in the object before it, of a JSON text. False
  // when the text is not JSON or the keys lead nowhere; the builder is then as it was.
  bool read_path(std::string_view text, std::span<const std::string_view> keys,
                 DynamicBuilder* builder, std::size_t depth_max = kDynamicDepthMax);
  // Adds a bag of these members, as far as they are there, of a JSON text that is an object; there
  // may be others in it as well. False when it is none; the builder is then as it was.
  bool read_members(std::string_view text, std::span<const std::string_view> keys,
                    DynamicBuilder* builder, std::size_t depth_max = kDynamicDepthMax);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// The dynamic bytes of a JSON text; nothing when it is not JSON or has a number beyond the range of
// doubles. For single texts: it sets up a reader of its own.
std::optional<std::string> dynamic_from_json(std::string_view text,
                                             std::size_t depth_max = kDynamicDepthMax);

// The order of the keys of bags, at every level; kSorted, by code point, is the canonical form.
enum class KeyOrder : std::uint8_t { kAsStored, kSorted };
// Compact JSON text. Datetimes as RFC 3339 strings, timespans as Go durations, NaN and infinities
// as null.
void append_json(DynamicView value, std::string* out, KeyOrder keys = KeyOrder::kAsStored);
std::string json_from_dynamic(DynamicView value);

}  // namespace evq
