#include "store/ingest/utf16_source.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "store/base/utf8.h"

namespace evq {

namespace {

constexpr std::string_view kLittleEndianMark = "\xFF\xFE";
constexpr std::string_view kBigEndianMark = "\xFE\xFF";
// Which would be the mark of UTF-16 and a zero; at least that is no text.
constexpr std::string_view kLittleEndianUtf32Mark("\xFF\xFE\0\0", 4);
constexpr std::size_t kUnitBytes = 2;
constexpr char kBrokenByte = '\xFF';

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// Takes units bit by bit; its own state is half a unit and the first half of a pair.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}

  void append(std::string_view bytes, std::string* out) {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      has_half_ = !has_half_;
      if (has_half_) {
        half_ = byte;
        continue;
      }
      append_unit(big_endian_ ? half_ << 8U | byte : half_ | std::uint32_t{byte} << 8U, out);
    }
  }

  // Nothing comes after what was appended.
  void finish(std::string* out) {
    if (std::exchange(high_, 0) != 0 || has_half_) {
      out->push_back(kBrokenByte);
    }
    has_half_ = false;
  }

 private:
  void append_unit(std::uint32_t unit, std::string* out) {
    const std::uint32_t high = std::exchange(high_, 0);
    if (high != 0 && is_low_surrogate(unit)) {
      append_code_point(*out, 0x10000 + ((high - 0xD800) << 10U) + (unit - 0xDC00));
      return;
    }
    if (high != 0) {
      out->push_back(kBrokenByte);
    }
    if (is_high_surrogate(unit)) {
      high_ = unit;
    } else if (is_low_surrogate(unit)) {
      out->push_back(kBrokenByte);
    } else {
      append_code_point(*out, unit);
    }
  }

  const bool big_endian_;
  bool has_half_ = false;
  std::uint32_t half_ = 0;
  std::uint32_t high_ = 0;
};

class Utf16Source final : public ByteSource {
 public:
  Utf16Source(std::string_view first, ByteSource& rest)
      : rest_(rest), decoder_(first.starts_with(kBigEndianMark)) {
    decoder_.append(first.substr(kUnitBytes), &decoded_);
  }

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t timeout_ms) override {
    while (at_ == decoded_.size() && !ended_) {
      decoded_.clear();
      at_ = 0;
      EVQ_TRY_ASSIGN(const std::optional<std::size_t> size, rest_.read(input_, timeout_ms));
      if (!size) {
        return size;
      }
      decoder_.append({input_.data(), *size}, &decoded_);
      if (*size == 0) {
        ended_ = true;
        decoder_.finish(&decoded_);
      }
    }
    const std::size_t size = std::min(buffer.size(), decoded_.size() - at_);
    std::copy_n(decoded_.data() + at_, size, buffer.data());
    at_ += size;
    return std::optional(size);
  }

 private:
  ByteSource& rest_;
  Utf16Decoder decoder_;
  std::array<char, std::size_t{64} << 10U> input_{};
  std::string decoded_;
  std::size_t at_ = 0;  // how much of it was given away
  bool ended_ = false;
};

}  // namespace

bool begins_with_utf16_mark(std::string_view text) {
  return text.starts_with(kBigEndianMark) ||
         (text.starts_with(kLittleEndianMark) && !text.starts_with(kLittleEndianUtf32Mark));
}

std::unique_ptr<ByteSource> utf16_source(std::string_view first, ByteSource& rest) {
  return std::make_unique<Utf16Source>(first, rest);
}

std::string utf8_of_utf16(std::string_view text) {
  Utf16Decoder decoder(text.starts_with(kBigEndianMark));
  std::string decoded;
  decoder.append(text.substr(std::min(kUnitBytes, text.size())), &decoded);
  return decoded;
}

}  // namespace evq
