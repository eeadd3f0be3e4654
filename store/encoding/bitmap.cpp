#include <cstdint>
#include <string>

#include "store/encoding/byte_string.h"
#include "store/encoding/schemes.h"

// Bools as bits: one byte string, the first row in the lowest bit of the first byte.

namespace evq {
namespace {

class Bitmap final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kBitmap; }
  std::string_view name() const override { return "bitmap"; }
  bool accepts(Type type) const override { return type == Type::kBool; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override;
  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override;
};

bool Bitmap::encode(const DenseValues& values, const EncodeOptions& options,
                    ByteWriter& out) const {
  std::string bits((values.size + 7) / 8, '\0');
  const auto* bools = values.data<std::uint8_t>();
  for (std::size_t i = 0; i < values.size; ++i) {
    bits[i / 8] = static_cast<char>(bits[i / 8] | ((bools[i] != 0 ? 1 : 0) << (i % 8)));
  }
  write_byte_string(bits, options.zstd_level, out);
  return true;
}

Result<Vector> Bitmap::decode(ByteReader& in, const DecodeRequest& request) const {
  const std::size_t bytes = (request.size + 7) / 8;
  EVQ_TRY_ASSIGN(const ByteString stored, read_byte_string(in, bytes));
  if (stored.raw_size != bytes) {
    return corrupt_segment("a bitmap has the wrong size");
  }
  std::string bits(bytes, '\0');
  EVQ_TRY(unpack_byte_string(stored, bits.data()));
  auto out = Values::make(request.type, request.rows.count);
  auto* bools = out->mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < request.rows.count; ++i) {
    const std::size_t row = request.rows[i];
    bools[i] = (static_cast<unsigned char>(bits[row / 8]) >> (row % 8)) & 1;
  }
  return Vector::flat(std::move(out));
}

}  // namespace

const ColumnEncoding& bitmap_encoding() {
  static const Bitmap kEncoding;
  return kEncoding;
}

}  // namespace evq
