#include <cstring>
#include <string>

#include "store/column/dynamic.h"
#include "store/encoding/schemes.h"

// Constant: the one value: u8, i64, f64 or string by the column's physical type.

namespace evq {
namespace {

bool same(const DenseValues& values, std::size_t i) {
  switch (physical_of(values.type)) {
    case Physical::kNone:
      return true;
    case Physical::kByte:
      return values.data<std::uint8_t>()[i] == values.data<std::uint8_t>()[0];
    case Physical::kInt64:
    case Physical::kDouble:  // as bits: -0.0 is not 0.0 here, and NaN is itself
      return values.data<std::uint64_t>()[i] == values.data<std::uint64_t>()[0];
    case Physical::kView:
      return values.data<std::string_view>()[i] == values.data<std::string_view>()[0];
  }
  return false;
}

class Constant final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kConstant; }
  std::string_view name() const override { return "constant"; }
  bool accepts(Type) const override { return true; }

  bool encode(const DenseValues& values, const EncodeOptions&, ByteWriter& out) const override {
    for (std::size_t i = 1; i < values.size; ++i) {
      if (!same(values, i)) {
        return false;
      }
    }
    switch (physical_of(values.type)) {
      case Physical::kNone:
        break;
      case Physical::kByte:
        out.u8(values.data<std::uint8_t>()[0]);
        break;
      case Physical::kInt64:
      case Physical::kDouble:
        out.u64(values.data<std::uint64_t>()[0]);
        break;
      case Physical::kView:
        out.string(values.data<std::string_view>()[0]);
        break;
    }
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const std::size_t count = request.rows.count;
    if (request.size == 0) {
      return Vector::constant(Value::null(request.type), count);
    }
    auto one = Values::make(request.type, 1);
    switch (physical_of(request.type)) {
      case Physical::kNone:
        break;
      case Physical::kByte:
        one->mutable_data<std::uint8_t>()[0] = in.u8() & 1;
        break;
      case Physical::kInt64:
      case Physical::kDouble: {
        const std::uint64_t bits = in.u64();
        std::memcpy(one->mutable_data<std::uint64_t>(), &bits, sizeof bits);
        break;
      }
      case Physical::kView: {
        auto text = std::make_shared<const std::string>(in.string());
        if (request.type == Type::kDynamic &&
            (!validate_dynamic(*text) || DynamicView(*text).is_null())) {
          return corrupt_segment("a constant is no dynamic value");
        }
        one->mutable_data<std::string_view>()[0] = *text;
        const std::size_t bytes = sizeof *text + text->size();
        one->add_owner({std::move(text), bytes});
        break;
      }
    }
    if (!in.ok()) {
      return corrupt_segment("a constant ends early");
    }
    return Vector::constant(std::move(one), count);
  }
};

}  // namespace

const ColumnEncoding& constant_encoding() {
  static const Constant kEncoding;
  return kEncoding;
}

}  // namespace evq
