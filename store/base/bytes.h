#pragma once
// ByteWriter and ByteReader: the coding of every number evq stores. Fixed-width integers are little
// endian; varints are LEB128 (7 bits a byte, least significant first, at most 10 bytes); signed
// varints are zigzag coded first. The reader treats its input as hostile: a read past the end, or
// an overlong varint, returns zero or an empty view and turns ok() false for good, so a decoder
// may read a whole header and check once. Neither class is for use by two threads at once.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace evq {

inline constexpr std::size_t kVarintBytesMax = 10;

// Loads eight bytes in the machine's order; `bytes` need not be aligned.
inline std::uint64_t load64(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Appends to a buffer it owns.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u16(std::uint16_t value) { fixed(value, 2); }
  void u32(std::uint32_t value) { fixed(value, 4); }
  void u64(std::uint64_t value) { fixed(value, 8); }
  void i64(std::int64_t value) { fixed(static_cast<std::uint64_t>(value), 8); }
  void f64(double value);
  void varint(std::uint64_t value);
  void zigzag(std::int64_t value);
  void raw(std::string_view bytes) { bytes_.append(bytes); }
  // Writes a varint of the size, then the bytes.
  void string(std::string_view bytes);

  // Overwrites a byte written earlier; `offset` must be below size().
  void patch_u8(std::size_t offset, std::uint8_t value);
  void reserve(std::size_t size_bytes) { bytes_.reserve(size_bytes); }
  std::size_t size() const { return bytes_.size(); }
  std::string_view view() const { return bytes_; }
  void clear() { bytes_.clear(); }
  // Hands the buffer over; the writer is empty afterwards.
  std::string release();

 private:
  void fixed(std::uint64_t value, std::size_t width);

  std::string bytes_;
};

// Reads from bytes it does not own; views it returns point into them.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  explicit ByteReader(std::span<const std::uint8_t> bytes);

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  std::int64_t i64() { return static_cast<std::int64_t>(fixed(8)); }
  double f64();
  std::uint64_t varint();
  std::int64_t zigzag();
  // Reads what ByteWriter::string wrote.
  std::string_view string();
  // Reads the next `size_bytes` bytes.
  std::string_view take(std::size_t size_bytes);
  // A varint that counts things which each need at least `item_bytes_min` more bytes: fails when
  // they cannot all be there, so that the count is safe to allocate from.
  std::size_t count(std::size_t item_bytes_min);

  // False once any read has failed; stays false.
  bool ok() const { return ok_; }
  // Turns ok() false: for a decoder that finds a value out of its range.
  void fail();
  std::size_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return position_ == bytes_.size(); }
  std::size_t position() const { return position_; }

 private:
  std::uint64_t fixed(std::size_t width);

  std::string_view bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace evq
