#pragma once
// Dictionaries: every distinct value once, and a code a row. Codes are numbered in the order in
// which their values first occur, which the writer relies on for two things: equal columns give
// equal bytes, and first occurrences need no code.
//
//   body         varint entries, stream of entries, code stream
//   code stream  u8 kind, then
//     0 packed   u8 width, the codes packed
//     1 planes   the codes' planes (byte_planes.h), one or two bytes by the number of entries
//     2 recent   in older files: stream of longs: 0 for a code's first occurrence, otherwise how
//                many codes ago, counted in codes given out so far, it was given out
//     3 runs     the codes' runs (run_length.h), as longs
//     4 firsts   (rows + 7) / 8 bytes, one bit a row: 1 = a code's first occurrence; stream of the
//                other rows' distances as in kind 2 (longs), unless there are none

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "store/base/bytes.h"
#include "store/encoding/encoding.h"

namespace evq {

struct Dictionary {
  DenseValues entries;                // distinct, in order of first occurrence
  std::shared_ptr<const void> owner;  // of the entries' slots
  std::vector<Code> codes;
};

// The distinct values of `values`, or nothing when there are more than `entries_max`. Reals are
// distinct by their bits.
std::optional<Dictionary> build_dictionary(const DenseValues& values, std::size_t entries_max);

void write_dictionary(const Dictionary& dictionary, const EncodeOptions& options, ByteWriter& out);
// Entries alone, from a reader that stands at the body.
Result<Vector> read_dictionary_entries(ByteReader& in, const DecodeRequest& request);

// About how many bits a row write_dictionary will spend on the codes.
double estimate_code_bits(const std::vector<Code>& codes, std::size_t entries);

}  // namespace evq
