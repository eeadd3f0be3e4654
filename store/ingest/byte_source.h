#pragma once
// ByteSource: a stream of bytes read piece by piece: memory, a file or pipe, and gzip or zstd over
// another source. Nothing is read whole; a source holds at most a few hundred kilobytes (a zstd
// window up to 2^DecodeOptions::zstd_window_log_max when the frame asks for it).
// One thread at a time; a source over another one owns it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/result.h"
#include "store/ingest/options.h"

namespace evq {

// Text in memory of its own, followed by JsonIndex::kPaddingBytes readable bytes.
struct TextMemory {
  TextMemory() = default;
  explicit TextMemory(std::size_t room);
  std::string_view text() const { return {bytes.get(), size}; }

  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;  // padding not counted
  std::size_t size = 0;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Waits up to `timeout_ms` (negative: without end) for bytes and gives what is there. Zero bytes
  // is the end, after which every call gives zero; nothing: the time is over. Errors: kIo, kData
  // (broken compression), kTooLarge (a compression bomb); what could be read before one has been
  // given, and if nothing mends it, it comes again. A source without a clock ignores the timeout.
  virtual Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                                  std::int64_t timeout_ms) = 0;
  // Gives away all bytes of a source that has them in memory and was not read from; it is at its
  // end then. Nothing for any other source, which stays as it was.
  virtual std::optional<TextMemory> release() { return std::nullopt; }
};

// `bytes` must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string_view bytes);
std::unique_ptr<ByteSource> memory_source(TextMemory bytes);
// Regular files, pipes, terminals, sockets.
std::unique_ptr<ByteSource> file_source(File file);

struct DecodeOptions {
  InputCompression compression = InputCompression::kAuto;
  // Refuse output over input beyond kDecompressionRatioMax after kDecompressionFreeBytes, and more
  // output than `decoded_bytes_max` (kTooLarge).
  bool limit_ratio = false;
  std::size_t decoded_bytes_max = SIZE_MAX;
  // The largest window that a zstd frame may ask for, as a power of two; kTooLarge above it.
  int zstd_window_log_max = kZstdWindowLogMax;
};

// The compression that the first four bytes tell; kNone when they are neither gzip's nor zstd's.
InputCompression compression_of(std::string_view head);

// The decoded bytes of `source`: gzip (any number of members) or zstd (any number of frames), told
// by the first four bytes when kAuto, or deflate in zlib's wrapping, which must be named, for text
// may begin as it does; a UTF-8 byte order mark at the start of the text is kept here.
std::unique_ptr<ByteSource> decoded_source(std::unique_ptr<ByteSource> source,
                                           const DecodeOptions& options);

}  // namespace evq
