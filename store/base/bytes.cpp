#include "store/base/bytes.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "store/base/check.h"

namespace evq {

static_assert(std::endian::native == std::endian::little,
              "fixed-width integers are copied to and from their stored, little-endian form");

void ByteWriter::fixed(std::uint64_t value, std::size_t width) {
  std::array<char, sizeof value> stored{};
  std::memcpy(stored.data(), &value, sizeof value);
  bytes_.append(stored.data(), width);
}

void ByteWriter::f64(double value) {
  u64(std::bit_cast<std::uint64_t>(value));
}

void ByteWriter::varint(std::uint64_t value) {
  std::array<char, kVarintBytesMax> coded{};
  std::size_t size = 0;
  while (value >= 0x80) {
    coded[size++] = static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  coded[size++] = static_cast<char>(value);
  bytes_.append(coded.data(), size);
}

void ByteWriter::zigzag(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : std::uint64_t{0}));
}

void ByteWriter::string(std::string_view bytes) {
  varint(bytes.size());
  raw(bytes);
}

void ByteWriter::patch_u8(std::size_t offset, std::uint8_t value) {
  EVQ_CHECK(offset < bytes_.size());
  bytes_[offset] = static_cast<char>(value);
}

std::string ByteWriter::release() {
  return std::exchange(bytes_, {});
}

ByteReader::ByteReader(std::span<const std::uint8_t> bytes)
    : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

void ByteReader::fail() {
  ok_ = false;
  // Nothing remains, so that loops over remaining() end.
  position_ = bytes_.size();
}

std::uint64_t ByteReader::fixed(std::size_t width) {
  if (remaining() < width) {
    fail();
    return 0;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, bytes_.data() + position_, width);
  position_ += width;
  return value;
}

double ByteReader::f64() {
  return std::bit_cast<double>(u64());
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position_ == bytes_.size()) {
      break;
    }
    const auto byte = static_cast<std::uint8_t>(bytes_[position_++]);
    // The tenth byte holds the one bit that is left of 64.
    if (shift == 63 && byte > 1) {
      break;
    }
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  fail();
  return 0;
}

std::int64_t ByteReader::zigzag() {
  const std::uint64_t coded = varint();
  return static_cast<std::int64_t>((coded >> 1) ^ (~(coded & 1) + 1));
}

std::string_view ByteReader::string() {
  const std::uint64_t size = varint();
  if (size > remaining()) {
    fail();
    return {};
  }
  return take(static_cast<std::size_t>(size));
}

std::string_view ByteReader::take(std::size_t size_bytes) {
  if (size_bytes > remaining()) {
    fail();
    return {};
  }
  const std::string_view taken = bytes_.substr(position_, size_bytes);
  position_ += size_bytes;
  return taken;
}

std::size_t ByteReader::count(std::size_t item_bytes_min) {
  const std::uint64_t items = varint();
  EVQ_DCHECK(item_bytes_min > 0);
  if (items > remaining() / item_bytes_min) {
    fail();
    return 0;
  }
  return static_cast<std::size_t>(items);
}

}  // namespace evq
