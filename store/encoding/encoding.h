#pragma once
// Column segments: how one column of a block becomes bytes, and the interface every scheme has.
//
//   segment  u8 encoding id, null section, body
//   body     the non-null ("dense") values in row order, as the scheme lays them out
//
// A scheme may nest others: "stream" below means a u8 encoding id and a body of that scheme. All
// bodies say where they end, so streams follow each other without sizes between them.
//
//   id  scheme          for                 body
//   1   constant        all types           the one value, nothing when every row is null
//   2   dictionary      all but bool        varint entries, stream of entries, code stream
//   3   packed          integers            packed_integers.cpp
//   4   byte planes     integers            byte_planes.cpp
//   5   run length      integers            run_length.h
//   6   decimal reals   reals               real_encoding.cpp
//   7   plain reals     reals               stream of the bit patterns as integers
//   8   bitmap          bools               byte string of (n + 7) / 8 bytes, first row lowest
//   9   string frames   strings, dynamics   string_frames.cpp
//   10  packed text     strings             packed_text.cpp
//   11  time text       strings             time_text.cpp
//   12  time units      integers            store/block/time_units.h: what `_time` tells
//   13  light frames    strings, dynamics   string_frames.cpp, by LZ4
//
// "Integers" are longs, datetimes and timespans. Ids are on disk and never reused. Encoders are
// deterministic; decoders accept any bytes (anything but what an encoder wrote may be kCorrupt or
// other rows, never a crash or an allocation beyond kBlockBytesMax).
// Schemes are stateless constants: any thread may use them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/base/bytes.h"
#include "store/base/result.h"
#include "store/column/vector.h"

namespace evq {

enum class EncodingId : std::uint8_t {
  kConstant = 1,
  kDictionary = 2,
  kPackedIntegers = 3,
  kBytePlanes = 4,
  kRunLength = 5,
  kDecimalReals = 6,
  kPlainReals = 7,
  kBitmap = 8,
  kStringFrames = 9,
  kPackedText = 10,
  kTimeText = 11,
  kTimeUnits = 12,
  kLightFrames = 13,
};

// No encoder nests deeper than six; the bound keeps hostile bytes from exhausting the stack.
inline constexpr unsigned kStreamNestingMax = 16;

// A level of zstd that stands for none: bytes are kept as they are.
inline constexpr int kUncompressed = 0;

struct EncodeOptions {
  int zstd_level = 1;
  // False for values that will be encoded again soon: a constant, else the scheme that fits every
  // value of the type; no dictionary but one that is there already, and no token filter.
  bool analyse = true;
};

class ColumnEncoding;

// Values without nulls, owned by somebody else.
struct DenseValues {
  Type type = Type::kNull;
  std::size_t size = 0;
  const void* slots = nullptr;
  const ColumnEncoding* chosen = nullptr;  // the scheme for them, when that was measured already

  template <class T>
  const T* data() const {
    return static_cast<const T*>(slots);
  }
};

// Which dense values to decode: a range, or an ascending list of distinct indexes.
struct RowSet {
  std::size_t begin = 0;
  std::size_t count = 0;
  const std::uint32_t* list = nullptr;  // when given, `count` entries; `begin` is unused

  std::size_t operator[](std::size_t i) const { return list != nullptr ? list[i] : begin + i; }
  bool is_all(std::size_t size) const { return list == nullptr && count == size; }
};

struct DecodeRequest {
  Type type = Type::kNull;
  std::size_t size = 0;  // dense values in the body
  RowSet rows;           // within `size`
  unsigned nesting = 0;  // streams around this one, at most kStreamNestingMax

  // A request for all of `count` values of a stream inside this one.
  DecodeRequest inner(Type inner_type, std::size_t count) const {
    return {inner_type, count, {0, count, nullptr}, nesting + 1};
  }
};

class ColumnEncoding {
 public:
  virtual ~ColumnEncoding() = default;
  virtual EncodingId id() const = 0;
  // The scheme's name in reports.
  virtual std::string_view name() const = 0;
  virtual bool accepts(Type type) const = 0;
  // Appends the body; false, with nothing appended, when the scheme cannot hold these values.
  // `values` has at least one value and a type the scheme accepts.
  virtual bool encode(const DenseValues& values, const EncodeOptions& options,
                      ByteWriter& out) const = 0;
  // The requested values without nulls. The reader stands at the body; when all values were asked
  // for, it stands behind the body afterwards.
  virtual Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const = 0;
  // False when none of the `size` values is `text`, as far as that can be told for much less than
  // decoding costs. The reader stands at the body; damage is left to decode().
  virtual bool may_have_text(ByteReader& /*in*/, std::size_t /*size*/,
                             std::string_view /*text*/) const {
    return true;
  }
};

// The scheme of `id`; null when there is none.
const ColumnEncoding* find_encoding(EncodingId id);

// Appends a body by the scheme the chooser picks, which it returns.
EncodingId encode_body(const DenseValues& values, const EncodeOptions& options, ByteWriter& out);
// Appends `u8 id, body`.
void encode_stream(const DenseValues& values, const EncodeOptions& options, ByteWriter& out);
Result<Vector> decode_stream(ByteReader& in, const DecodeRequest& request);

Error corrupt_segment(std::string_view what);

}  // namespace evq
