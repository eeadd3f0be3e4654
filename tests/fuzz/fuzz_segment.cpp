// links: evq_encoding
// Any bytes as a column's segment: the type, the number of rows and the wanted ones come from the
// input too. Decoding some rows gives what decoding all of them gives, and a token filter answers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "store/encoding/segment.h"
#include "store/encoding/token_filter.h"

namespace {

bool same_value(const evq::Vector& a, std::size_t i, const evq::Vector& b, std::size_t j) {
  return a.is_null(i) == b.is_null(j) &&
         (a.is_null(i) || a.value(i).to_text() == b.value(j).to_text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) {
    return 0;
  }
  const auto type = static_cast<evq::Type>(data[0] % evq::kTypeCount);
  // Few rows mostly, so that the comparison is cheap; all that a block may have sometimes.
  const std::size_t rows = data[1] == 255 ? 65536 : 1U + data[1];
  const std::size_t begin = data[2] % rows;
  const std::size_t count = 1 + data[3] % (rows - begin);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
  const auto all = evq::decode_segment(bytes, type, rows, {0, rows, nullptr});
  const auto some = evq::decode_segment(bytes, type, rows, {begin, count, nullptr});
  if (all.ok()) {
    if (all.value().size() != rows || !some.ok() || some.value().size() != count) {
      __builtin_trap();
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 64); ++i) {
      if (!same_value(all.value(), begin + i, some.value(), i)) {
        __builtin_trap();
      }
    }
  }
  (void)evq::decode_entries(bytes, type, rows);
  (void)evq::may_have_term(bytes, "term");
  return 0;
}
