#pragma once
// Attributes of OpenTelemetry as JSON: lists of names with typed values become objects, with dotted
// names as nested objects. Records of one kind carry the same names in the same order, so the text
// around the values is made once for a list of names and kept. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/json_writer.h"
#include "store/column/dynamic.h"

namespace evq {

// An AnyValue of the JSON form, an object whose one member names its type, as JSON of that type:
// 3.0 of the doubleValue 3, and of one that is text its number, or null where it is NaN or an
// infinity. Null for what is no AnyValue; members that no type has are passed over.
void write_otlp_value(JsonWriter* json, DynamicView any);

// The integer of a number, or of a string: numbers of 64 bits are strings in the JSON form.
std::optional<std::int64_t> otlp_integer(DynamicView value);

class OtlpAttributes {
 public:
  enum class Names : std::uint8_t {
    kAll,          // all names are nested objects
    kConventions,  // those of OpenTelemetry's conventions are; others stand whole in `custom`
  };

  explicit OtlpAttributes(Names names) : split_(names) {}

  // Appends the member `key` with the object of `pairs`, a list of {key, value}; nothing when it is
  // empty. A name that is left out is empty. Of names that repeat the last counts. Where both `a`
  // and `a.b` are given, the first is `a._value`, with so many more underscores in front that no
  // other name has it. A name that is too long for a field, or beyond as many as an event may have,
  // stays whole, so that the object is neither deep nor much larger than its names.
  void write(std::string_view key, DynamicView pairs, JsonWriter* json);

 private:
  // The output for a list of names: pieces of text with the values' places between them.
  struct Shape {
    struct Step {
      std::size_t text_end;  // of what stands before the value, in `text`
      std::size_t pair;      // the value's
    };
    bool is_of(const std::vector<std::string_view>& list) const;

    std::string names;  // one after the other
    std::vector<std::size_t> name_ends;
    std::string text;
    std::vector<Step> steps;
  };
  class ShapeBuilder;

  const Shape& shape_of_names();

  const Names split_;
  std::vector<Shape> shapes_;  // the last one was used last or made last
  Shape unkept_;               // of too many names to be kept
  std::vector<std::string_view> names_;
  std::vector<DynamicView> values_;
};

}  // namespace evq
