#include "store/encoding/encoding.h"

#include <string>
#include <utility>

#include "store/base/check.h"
#include "store/encoding/chooser.h"
#include "store/encoding/schemes.h"

namespace evq {

const ColumnEncoding* find_encoding(EncodingId id) {
  switch (id) {
    case EncodingId::kConstant:
      return &constant_encoding();
    case EncodingId::kDictionary:
      return &dictionary_encoding();
    case EncodingId::kPackedIntegers:
      return &packed_integers();
    case EncodingId::kBytePlanes:
      return &byte_planes();
    case EncodingId::kRunLength:
      return &run_length();
    case EncodingId::kDecimalReals:
      return &decimal_reals();
    case EncodingId::kPlainReals:
      return &plain_reals();
    case EncodingId::kBitmap:
      return &bitmap_encoding();
    case EncodingId::kStringFrames:
      return &string_frames();
    case EncodingId::kPackedText:
      return &packed_text();
    case EncodingId::kTimeText:
      return &time_text();
    case EncodingId::kLightFrames:
      return &light_frames();
    case EncodingId::kTimeUnits:
      break;  // refers to another column: only a block can decode it
  }
  return nullptr;
}

EncodingId encode_body(const DenseValues& values, const EncodeOptions& options, ByteWriter& out) {
  const ColumnEncoding& chosen = choose_encoding(values, options);
  const std::size_t before = out.size();
  if (chosen.encode(values, options, out)) {
    return chosen.id();
  }
  EVQ_CHECK(out.size() == before);
  const ColumnEncoding& fallback = fallback_encoding(values.type);
  const bool fits = fallback.encode(values, options, out);
  EVQ_CHECK(fits);
  return fallback.id();
}

void encode_stream(const DenseValues& values, const EncodeOptions& options, ByteWriter& out) {
  const std::size_t id = out.size();
  out.u8(0);
  out.patch_u8(id, static_cast<std::uint8_t>(encode_body(values, options, out)));
}

Result<Vector> decode_stream(ByteReader& in, const DecodeRequest& request) {
  const ColumnEncoding* encoding = find_encoding(static_cast<EncodingId>(in.u8()));
  if (encoding == nullptr || !encoding->accepts(request.type) ||
      request.nesting > kStreamNestingMax) {
    return corrupt_segment("a stream has an unknown or unfitting encoding");
  }
  return encoding->decode(in, request);
}

Error corrupt_segment(std::string_view what) {
  return make_error(ErrorCode::kCorrupt, "corrupt segment: " + std::string(what));
}

}  // namespace evq
