#pragma once
// Value: one scalar with its type, for the edges of the system: literals, constants folded by the
// planner, cells of small results, tests. Columns of data are Vectors; nothing here is meant for
// a per-row loop.

#include <cstdint>
#include <string>
#include <string_view>

#include "store/column/type.h"

namespace evq {

class Value {
 public:
  Value() = default;  // a bare null

  static Value null(Type type = Type::kNull);
  static Value boolean(bool flag);
  static Value integer(std::int64_t number);
  static Value real(double number);
  static Value string(std::string text);
  static Value datetime(std::int64_t nanoseconds);
  static Value timespan(std::int64_t nanoseconds);
  // `bytes` in the encoding of dynamic.h; a dynamic null becomes a null Value.
  static Value dynamic(std::string bytes);

  Type type() const { return type_; }
  bool is_null() const { return null_; }

  // Each accessor needs a non-null value of a fitting type.
  bool as_bool() const { return number_.integer != 0; }
  std::int64_t as_integer() const { return number_.integer; }  // long, datetime, timespan
  double as_real() const { return number_.real; }
  std::string_view as_text() const { return text_; }  // string text, or dynamic bytes

  // Same type, both null or the same value; NaN equals NaN. Not APL's ==.
  friend bool operator==(const Value& a, const Value& b);

  // For messages and goldens: null, true, 1, 0.5, text, 2024-05-01T00:00:00Z, 1h30m0s, JSON.
  std::string to_text() const;

 private:
  union Number {
    std::int64_t integer;
    double real;
  };

  Type type_ = Type::kNull;
  bool null_ = true;
  Number number_{.integer = 0};
  std::string text_;
};

}  // namespace evq
