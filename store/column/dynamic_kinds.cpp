#include "store/column/dynamic_kinds.h"

#include <array>
#include <string_view>

#include "store/base/number.h"
#include "store/column/dynamic.h"

namespace evq {

std::uint32_t dynamic_kinds(const Vector& values) {
  // By tag; a null adds nothing.
  constexpr std::array kBits = {
      0U,
      type_bit(Type::kBool),
      type_bit(Type::kBool),
      type_bit(Type::kLong),
      type_bit(Type::kReal),
      type_bit(Type::kString),
      type_bit(Type::kDatetime),
      type_bit(Type::kTimespan),
      type_bit(Type::kDynamic),
      type_bit(Type::kDynamic),
  };
  std::uint32_t kinds = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!values.is_null(row)) {
      const DynamicView value(values.at<std::string_view>(row));
      kinds |= kBits.at(static_cast<std::size_t>(value.tag()));
      if (value.tag() == DynamicTag::kLong && !is_exact_as_real(value.as_integer())) {
        kinds |= kWideLongs;
      }
    }
  }
  return kinds;
}

}  // namespace evq
