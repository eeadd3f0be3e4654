#include "store/encoding/byte_string.h"

#include <memory>
#include <new>

#include <lz4.h>
#include <zstd.h>

#include "store/base/error.h"
#include "store/base/limits.h"
#include "store/encoding/encoding.h"

namespace evq {
namespace {

// Below this, a frame's own headers eat what it saves.
constexpr std::size_t kCompressBytesMin = 48;
constexpr int kGainPercentMin = 3;
// Frames of text need less; longer single values come and go.
constexpr std::size_t kScratchBytesMax = 256 * kKibibyte;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Without memory the library makes none; the thread's next call tries again.
template <class Context>
std::unique_ptr<Context, FreeContext> owned(Context* context) {
  if (context == nullptr) {
    throw std::bad_alloc();
  }
  return std::unique_ptr<Context, FreeContext>(context);
}

ZSTD_CCtx* compression_context() {
  thread_local const auto kContext = owned(ZSTD_createCCtx());
  return kContext.get();
}

ZSTD_DCtx* decompression_context() {
  thread_local const auto kContext = owned(ZSTD_createDCtx());
  return kContext.get();
}

// Memory that grows and is never read before it is written.
class Scratch {
 public:
  char* at_least(std::size_t size) {
    if (size_ < size) {
      memory_.reset();
      memory_.reset(new char[size]);
      size_ = size;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<char[]> memory_;
  std::size_t size_ = 0;
};

// Runs `compress(to, bound)`, which tells how many bytes it wrote at `to` or 0, and appends those
// when they are `gain_percent` less than `raw`.
template <class Compress>
bool append_compressed(std::string_view raw, std::size_t bound, int gain_percent,
                       const Compress& compress, std::string& out) {
  if (raw.size() < kCompressBytesMin) {
    return false;
  }
  // Not into `out`: a string sets to zero what it grows by.
  thread_local Scratch kept;
  Scratch large;
  Scratch& scratch = bound <= kScratchBytesMax ? kept : large;
  char* to = scratch.at_least(bound);
  const std::size_t size = compress(to, bound);
  const std::size_t gain = raw.size() * static_cast<std::size_t>(gain_percent) / 100;
  if (size == 0 || size >= raw.size() - gain) {
    return false;
  }
  out.append(to, size);
  return true;
}

Error not_inflated() {
  return corrupt_segment("compressed bytes do not inflate to their stated size");
}

}  // namespace

bool compress_bytes(std::string_view raw, int level, int gain_percent, std::string& out) {
  if (level == kUncompressed) {
    return false;
  }
  const auto compress = [&](char* to, std::size_t bound) {
    const std::size_t size =
        ZSTD_compressCCtx(compression_context(), to, bound, raw.data(), raw.size(), level);
    return ZSTD_isError(size) == 0 ? size : 0;
  };
  return append_compressed(raw, ZSTD_compressBound(raw.size()), gain_percent, compress, out);
}

bool compress_light(std::string_view raw, int gain_percent, std::string& out) {
  if (raw.size() > LZ4_MAX_INPUT_SIZE) {
    return false;
  }
  const auto compress = [&](char* to, std::size_t bound) {
    return static_cast<std::size_t>(LZ4_compress_default(
        raw.data(), to, static_cast<int>(raw.size()), static_cast<int>(bound)));
  };
  const auto bound = static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw.size())));
  return append_compressed(raw, bound, gain_percent, compress, out);
}

std::size_t compressed_size(std::string_view raw, int level) {
  std::string out;
  return compress_bytes(raw, level, 0, out) ? out.size() : raw.size();
}

std::size_t light_size(std::string_view raw) {
  std::string out;
  return compress_light(raw, 0, out) ? out.size() : raw.size();
}

Status decompress_bytes(std::string_view stored, char* to, std::size_t raw_size) {
  const std::size_t size =
      ZSTD_decompressDCtx(decompression_context(), to, raw_size, stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != raw_size) {
    return not_inflated();
  }
  return {};
}

Status decompress_light(std::string_view stored, char* to, std::size_t raw_size) {
  if (stored.size() > LZ4_MAX_INPUT_SIZE || raw_size > LZ4_MAX_INPUT_SIZE) {
    return not_inflated();
  }
  const int size = LZ4_decompress_safe(stored.data(), to, static_cast<int>(stored.size()),
                                       static_cast<int>(raw_size));
  if (size < 0 || static_cast<std::size_t>(size) != raw_size) {
    return not_inflated();
  }
  return {};
}

void write_byte_string(std::string_view raw, int level, ByteWriter& out) {
  std::string packed;
  const bool pays = compress_bytes(raw, level, kGainPercentMin, packed);
  out.varint(raw.size());
  out.varint(pays ? packed.size() : 0);
  out.raw(pays ? std::string_view(packed) : raw);
}

Result<ByteString> read_byte_string(ByteReader& in, std::size_t raw_size_max) {
  ByteString bytes;
  bytes.raw_size = in.varint();
  const std::uint64_t stored = in.varint();
  bytes.compressed = stored != 0;
  if (bytes.raw_size > raw_size_max) {
    return corrupt_segment("a byte string is longer than its values can be");
  }
  bytes.stored = in.take(bytes.compressed ? stored : bytes.raw_size);
  if (!in.ok()) {
    return corrupt_segment("a byte string ends early");
  }
  return bytes;
}

Status unpack_byte_string(const ByteString& bytes, char* to) {
  if (bytes.compressed) {
    return decompress_bytes(bytes.stored, to, bytes.raw_size);
  }
  if (!bytes.stored.empty()) {
    bytes.stored.copy(to, bytes.stored.size());
  }
  return {};
}

}  // namespace evq
