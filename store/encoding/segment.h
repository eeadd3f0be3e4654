#pragma once
// Segments: a whole column of a block to bytes and back, nulls included (encoding.h has the
// format), together with the column's statistics and its token filter (token_filter.h). Pure
// functions.
//
// Null rows live in the null section for every scheme; the decoder puts them back, for dictionaries
// as one more entry, which is the last.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/base/result.h"
#include "store/column/value.h"
#include "store/column/vector.h"
#include "store/encoding/encoding.h"

namespace evq {

// What is known about the values of a column without reading them.
struct ColumnStatistics {
  std::uint32_t nulls = 0;
  std::uint32_t distinct = 0;  // of the other values; exact or an upper bound
  bool distinct_exact = false;
  bool has_nan = false;
  bool is_dictionary = false;
  // Bounds of non-null, non-NaN values; null Values when there are none and for dynamics.
  Value least;
  Value greatest;
  bool least_exact = false;  // the value occurs; strings may be cut to `bound_bytes_max`
  bool greatest_exact = false;
  std::uint64_t raw_bytes = 0;  // text or machine words
};

struct EncodedSegment {
  EncodingId encoding = EncodingId::kConstant;
  ColumnStatistics statistics;
  std::string bytes;
  std::string filter;  // empty when the column needs none
};

// `column` has 1 to kBlockRowsMax rows. Flat and constant vectors are analysed for a dictionary;
// dictionary vectors are not hashed again row by row. kTooLarge beyond kBlockBytesMax of text, of
// which a constant's value and the entries of a dictionary count once.
Result<EncodedSegment> encode_segment(const Vector& column, const EncodeOptions& options,
                                      std::size_t bound_bytes_max);

// The rows of a column of `rows` rows; `wanted` as in RowSet.
Result<Vector> decode_segment(std::string_view bytes, Type type, std::size_t rows,
                              const RowSet& wanted);
// The entries (and a null entry when rows are null) of a dictionary segment, a constant's one
// value; nothing for other schemes.
Result<std::optional<Vector>> decode_entries(std::string_view bytes, Type type, std::size_t rows);

// False when no row of a string column is `text`, as far as that can be told for much less than
// decoding costs.
bool segment_may_have_text(std::string_view bytes, std::size_t rows, std::string_view text);

// The scheme's name for reports, such as "dictionary".
std::string_view encoding_name(EncodingId id);

}  // namespace evq
