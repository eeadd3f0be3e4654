// Implicit conversions between types: what a call may do to its arguments without being asked.

#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "store/base/number.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

constexpr int kNullCost = 1;
constexpr int kWidenCost = 2;
// A dynamic number may be a real, so the real form of a function is the one to take it.
constexpr int kDynamicToRealCost = 7;
constexpr int kDynamicToTextCost = 8;
constexpr int kFromDynamicCost = 9;
// More than the real form costs beside a long that has to widen: 5.5 must not become 5.
constexpr int kDynamicToLongCost = kDynamicToRealCost + kWidenCost + 1;
constexpr int kToDynamicCost = 16;

// `vector` in its shape over new values made slot by slot: put(slot, out) stores or returns false
// for null.
template <class Put>
Vector map_slots(const Vector& vector, Type type, const Put& put) {
  const Values& from = vector.values();
  auto to = Values::make(type, from.size());
  for (std::size_t slot = 0; slot < from.size(); ++slot) {
    if (from.is_null(slot) || !put(slot, *to)) {
      to->set_null(slot);
    }
  }
  return vector.with_values(std::move(to));
}

Vector scalars_of_dynamics(const Vector& vector, Type type) {
  const std::string_view* bytes = vector.values().data<std::string_view>();
  return map_slots(vector, type, [&](std::size_t slot, Values& out) {
    const DynamicView value(bytes[slot]);
    const Type held = value.type();
    if (type == Type::kReal && is_numeric(held)) {
      out.mutable_data<double>()[slot] = value.as_real();
      return true;
    }
    // Nanoseconds, both ways.
    const bool is_time = held == Type::kTimespan || held == Type::kDatetime;
    if (type == Type::kReal && is_time) {
      out.mutable_data<double>()[slot] = static_cast<double>(value.as_integer());
      return true;
    }
    const bool number_of_time = type == Type::kLong && is_time;
    if (type == Type::kLong && held == Type::kReal) {
      const std::optional<std::int64_t> whole = int_from_real(value.as_real());
      out.mutable_data<std::int64_t>()[slot] = whole.value_or(0);
      return whole.has_value();
    }
    const bool span_of_number = type == Type::kTimespan && held == Type::kLong;
    if (held != type && !span_of_number && !number_of_time) {
      return false;
    }
    if (type == Type::kBool) {
      out.mutable_data<std::uint8_t>()[slot] = value.as_bool() ? 1 : 0;
    } else {
      out.mutable_data<std::int64_t>()[slot] = value.as_integer();
    }
    return true;
  });
}

}  // namespace

std::optional<int> implicit_cast_cost(Type from, Type to) {
  if (from == to) {
    return 0;
  }
  if (from == Type::kNull) {
    return kNullCost;
  }
  if (from == Type::kLong && to == Type::kReal) {
    return kWidenCost;
  }
  if (from == Type::kDynamic) {
    return to == Type::kReal     ? kDynamicToRealCost
           : to == Type::kString ? kDynamicToTextCost
           : to == Type::kLong   ? kDynamicToLongCost
                                 : kFromDynamicCost;
  }
  if (to == Type::kDynamic) {
    return kToDynamicCost;
  }
  return std::nullopt;
}

Vector implicit_cast(const Vector& vector, Type type) {
  if (vector.type() == type) {
    return vector;
  }
  if (vector.type() != Type::kDynamic) {
    return implicit_cast_cost(vector.type(), type).has_value()
               ? vector.widen(type)
               : Vector::constant(Value::null(type), vector.size());
  }
  return type == Type::kString ? text_forms(vector) : scalars_of_dynamics(vector, type);
}

}  // namespace evq
