#pragma once
// Byte strings inside segments, compressed with zstd where that pays, and the same for LZ4: the
// only door to both libraries here.
//
//   byte string  varint raw size, varint stored size, stored bytes
// Stored size 0 with a raw size above 0 means that the raw bytes follow as they are.
// Contexts of zstd are kept per thread, because making one costs more than a small column; that
// cache holds no data.

#include <cstddef>
#include <string>
#include <string_view>

#include "store/base/bytes.h"
#include "store/base/result.h"

namespace evq {

// Appends one frame of zstd to `out` and returns true, or returns false with `out` as it was when
// the frame would not be at least `gain_percent` smaller than `raw`, or `level` is kUncompressed.
bool compress_bytes(std::string_view raw, int level, int gain_percent, std::string& out);
// Like compress_bytes(), by LZ4: half the time, decompressed several times as fast, but larger.
bool compress_light(std::string_view raw, int gain_percent, std::string& out);
// The size compress_bytes would reach.
std::size_t compressed_size(std::string_view raw, int level);
std::size_t light_size(std::string_view raw);
// Fills exactly `raw_size` bytes at `to`, or fails with kCorrupt.
Status decompress_bytes(std::string_view stored, char* to, std::size_t raw_size);
Status decompress_light(std::string_view stored, char* to, std::size_t raw_size);

void write_byte_string(std::string_view raw, int level, ByteWriter& out);
struct ByteString {
  std::size_t raw_size = 0;
  bool compressed = false;
  std::string_view stored;
};
// Reads one byte string, still compressed; checks its raw size against `raw_size_max`.
Result<ByteString> read_byte_string(ByteReader& in, std::size_t raw_size_max);
// Writes the raw bytes, `bytes.raw_size` of them, to `to`.
Status unpack_byte_string(const ByteString& bytes, char* to);

}  // namespace evq
