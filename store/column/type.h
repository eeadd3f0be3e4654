#pragma once
// Type: the eight types a value of APL can have, and their physical form in memory.
// The numbers are on disk (segment headers, dynamic tags do not reuse them) and never change.

#include <cstdint>
#include <optional>
#include <string_view>

namespace evq {

enum class Type : std::uint8_t {
  kNull = 0,      // the type of a bare null; every value of it is null
  kBool = 1,      // std::uint8_t, 0 or 1
  kLong = 2,      // std::int64_t
  kReal = 3,      // double
  kString = 4,    // std::string_view into an arena, UTF-8
  kDatetime = 5,  // std::int64_t, nanoseconds since the Unix epoch, UTC
  kTimespan = 6,  // std::int64_t, nanoseconds
  kDynamic = 7,   // std::string_view over tagged bytes (dynamic.h)
};

inline constexpr int kTypeCount = 8;

// "long", "string", … as APL writes them; "null" for kNull.
std::string_view type_name(Type type);
// The inverse, aliases included (int, double, decimal, date, boolean, time, guid, object, …); never
// kNull.
std::optional<Type> type_from_name(std::string_view name);
// The type names of API answers: integer, float, boolean, array for dynamic, …
std::string_view api_type_name(Type type);

// How a type is held in memory.
enum class Physical : std::uint8_t { kNone, kByte, kInt64, kDouble, kView };

constexpr Physical physical_of(Type type) {
  switch (type) {
    case Type::kNull:
      return Physical::kNone;
    case Type::kBool:
      return Physical::kByte;
    case Type::kLong:
    case Type::kDatetime:
    case Type::kTimespan:
      return Physical::kInt64;
    case Type::kReal:
      return Physical::kDouble;
    case Type::kString:
    case Type::kDynamic:
      return Physical::kView;
  }
  return Physical::kNone;
}

constexpr bool is_numeric(Type type) {
  return type == Type::kLong || type == Type::kReal;
}

// The narrowest type that holds values of both without loss of meaning: equal types stay, null
// yields the other, long and real give real, anything else dynamic.
Type common_type(Type a, Type b);

}  // namespace evq
