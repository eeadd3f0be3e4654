#include "store/catalog/row_sum.h"

#include "store/base/checksum.h"

namespace evq {

RowSum::RowSum(std::uint64_t seed, std::string_view table) : seed_(seed) {
  bytes_.string(table);
}

RowSum& RowSum::add(std::int64_t value) {
  bytes_.u8(1);
  bytes_.i64(value);
  return *this;
}

RowSum& RowSum::add_text(std::string_view value) {
  bytes_.u8(2);
  bytes_.string(value);
  return *this;
}

RowSum& RowSum::add_null() {
  bytes_.u8(0);
  return *this;
}

std::int64_t RowSum::value() const {
  return static_cast<std::int64_t>(checksum64(bytes_.view(), seed_));
}

}  // namespace evq
