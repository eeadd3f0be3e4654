#pragma once
// Slots of a vector as dynamic bytes, which is how lists, sets and counters keep values of any
// type. encode() gives a view that lives until the next call; dynamics are passed through. Reals
// that are grouped as one, such as -0.0 and 0.0, have the same bytes.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "store/column/dynamic.h"
#include "store/column/dynamic_bytes.h"
#include "store/column/vector.h"

namespace evq {

class ValueEncoder {
 public:
  std::string_view encode(const Values& values, std::size_t slot) {
    if (values.is_null(slot)) {
      return std::string_view("\0", 1);
    }
    builder_.clear();
    switch (values.type()) {
      case Type::kNull:
        return std::string_view("\0", 1);
      case Type::kBool:
        builder_.add_bool(values.data<std::uint8_t>()[slot] != 0);
        break;
      case Type::kLong:
        builder_.add_long(values.data<std::int64_t>()[slot]);
        break;
      case Type::kReal:
        builder_.add_real(one_of_equals(values.data<double>()[slot]));
        break;
      case Type::kString:
        builder_.add_string(values.data<std::string_view>()[slot]);
        break;
      case Type::kDatetime:
        builder_.add_datetime(values.data<std::int64_t>()[slot]);
        break;
      case Type::kTimespan:
        builder_.add_timespan(values.data<std::int64_t>()[slot]);
        break;
      case Type::kDynamic:
        return values.data<std::string_view>()[slot];
    }
    return builder_.bytes();
  }
  // Appends the bytes that encode() gives.
  void append(const Values& values, std::size_t slot, std::string* to) {
    if (values.type() == Type::kString && !values.is_null(slot)) {
      append_dynamic_string(values.data<std::string_view>()[slot], to);
    } else {
      to->append(encode(values, slot));
    }
  }

 private:
  static double one_of_equals(double value) {
    return value != value ? std::numeric_limits<double>::quiet_NaN() : value + 0.0;
  }

  DynamicBuilder builder_;
};

}  // namespace evq
