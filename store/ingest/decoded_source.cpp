#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "store/base/limits.h"
#include "store/ingest/byte_source.h"

// Decompression of streams. A decoder turns input it is given into output where it is told; the
// source around it feeds it, counts, and knows the end: in between two members or frames the input
// may end, inside of one it may not. Of broken input everything is given that can be decoded, then
// the error, time and again.

namespace evq {

namespace {

constexpr std::size_t kInputBytes = 128 * kKibibyte;
// Bytes that tell the compression, of which no line feed is one: what has it is plain.
constexpr std::size_t kMagicBytes = 4;

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Uses up some of `input` and writes to `output`; how much was written. May give nothing when it
  // needs more input. After an error it is not asked again.
  virtual Result<std::size_t> decode(std::string_view& input, std::span<char> output) = 0;
  // Between members: the input may end here.
  virtual bool may_end() const = 0;
  // Gives its input as it is.
  virtual bool is_plain() const { return false; }
};

class PlainDecoder : public Decoder {
 public:
  Result<std::size_t> decode(std::string_view& input, std::span<char> output) override {
    const std::size_t size = std::min(input.size(), output.size());
    std::copy_n(input.data(), size, output.data());
    input.remove_prefix(size);
    return size;
  }
  bool may_end() const override { return true; }
  bool is_plain() const override { return true; }
};

Error something_follows(std::string_view name, std::uint64_t taken) {
  return make_error(ErrorCode::kData, "the " + std::string(name) +
                                          " data is followed by something else from byte " +
                                          std::to_string(taken + 1) + " on");
}

// Deflate in one of its two wrappings, of which gzip has members and zlib (RFC 1950) has none.
class InflateDecoder : public Decoder {
 public:
  // kGzip or kZlib.
  explicit InflateDecoder(InputCompression wrapping) : gzip_(wrapping == InputCompression::kGzip) {
    start();
  }

  Result<std::size_t> decode(std::string_view& input, std::span<char> output) override {
    if (failure_ != ISAL_DECOMP_OK) {
      return give_rest(output);
    }
    if (between_members_) {
      // Tools pad the end of archives with zeros.
      const std::size_t zeros = std::min(input.find_first_not_of('\0'), input.size());
      input.remove_prefix(zeros);
      taken_ += zeros;
      if (input.empty()) {
        return std::size_t{0};
      }
      if (!gzip_ || input.front() != kMagic[0] || (input.size() > 1 && input[1] != kMagic[1])) {
        return something_follows(name(), taken_);
      }
      start();
      between_members_ = false;
    }
    const std::size_t input_size = std::min<std::size_t>(input.size(), 1U << 30);
    const std::size_t output_size = std::min<std::size_t>(output.size(), 1U << 30);
    // ISA-L's interface has no const; it reads only.
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(input.data()));
    state_.avail_in = static_cast<std::uint32_t>(input_size);
    state_.next_out = reinterpret_cast<std::uint8_t*>(output.data());
    state_.avail_out = static_cast<std::uint32_t>(output_size);
    const int code = isal_inflate(&state_);
    failure_ = code == ISAL_END_INPUT ? ISAL_DECOMP_OK : code;
    input.remove_prefix(input_size - state_.avail_in);
    taken_ += input_size - state_.avail_in;
    between_members_ = state_.block_state == ISAL_BLOCK_FINISH;
    if (between_members_ && !gzip_ && state_.read_in != 0) {
      // It reads up to eight bytes ahead, of which zlib's checksum is four: others follow it.
      failure_ = ISAL_INVALID_WRAPPER;
      between_members_ = false;
    }
    const std::size_t written = output_size - state_.avail_out;
    return failure_ == ISAL_DECOMP_OK || written != 0 ? Result<std::size_t>(written)
                                                      : give_rest(output);
  }
  bool may_end() const override { return between_members_; }

 private:
  static constexpr std::string_view kMagic = "\x1f\x8b";

  void start() {
    isal_inflate_init(&state_);
    state_.crc_flag = gzip_ ? ISAL_GZIP : ISAL_ZLIB;
  }
  std::string name() const { return gzip_ ? "gzip" : "zlib"; }

  // What was decoded before the data turned out to be broken and is not given yet, then the error.
  Result<std::size_t> give_rest(std::span<char> output) {
    const auto done = static_cast<std::size_t>(state_.tmp_out_processed);
    const std::size_t left = static_cast<std::size_t>(state_.tmp_out_valid) - done;
    if (const std::size_t size = std::min(left, output.size()); size != 0) {
      std::memcpy(output.data(), state_.tmp_out_buffer + done, size);
      state_.tmp_out_processed += static_cast<std::int32_t>(size);
      return size;
    }
    return make_error(
        ErrorCode::kData,
        failure_ == ISAL_INCORRECT_CHECKSUM
            ? "the " + name() + " data is damaged: the checksum near byte " +
                  std::to_string(taken_) + " is not that of what stands before it"
            : "the " + name() + " data is damaged near byte " + std::to_string(taken_));
  }

  const bool gzip_;
  inflate_state state_{};
  bool between_members_ = false;
  int failure_ = ISAL_DECOMP_OK;
  std::uint64_t taken_ = 0;  // bytes of input
};

class ZstdDecoder : public Decoder {
 public:
  explicit ZstdDecoder(int window_log_max)
      : stream_(ZSTD_createDStream()), window_log_max_(window_log_max) {
    if (stream_ == nullptr) {
      throw std::bad_alloc();
    }
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window_log_max);
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  Result<std::size_t> decode(std::string_view& input, std::span<char> output) override {
    if (between_frames_ && input.empty()) {
      return std::size_t{0};
    }
    ZSTD_inBuffer in{input.data(), std::min(input.size(), wanted_), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t hint = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_getErrorCode(hint) == ZSTD_error_prefix_unknown && between_frames_ && taken_ != 0) {
      return something_follows("zstd", taken_);
    }
    if (ZSTD_getErrorCode(hint) == ZSTD_error_frameParameter_windowTooLarge) {
      return make_error(ErrorCode::kTooLarge,
                        "the zstd data wants more than " +
                            std::to_string((std::size_t{1} << window_log_max_) / kMebibyte) +
                            " MiB kept while it is read: compress it with a smaller window, as "
                            "without --ultra and --long");
    }
    if (ZSTD_isError(hint) != 0) {
      return make_error(ErrorCode::kData, "the zstd data is damaged near byte " +
                                              std::to_string(taken_ + 1) + ": " +
                                              ZSTD_getErrorName(hint));
    }
    input.remove_prefix(in.pos);
    taken_ += in.pos;
    between_frames_ = hint == 0;
    wanted_ = hint > kBlockHeaderBytes ? hint - kBlockHeaderBytes
              : between_frames_        ? kHeadBytes
                                       : hint;
    return out.pos;
  }
  bool may_end() const override { return between_frames_; }

 private:
  // What is asked for leads to the end of the block at hand and past the header of the next.
  static constexpr std::size_t kBlockHeaderBytes = 3;
  // Of a frame, which are asked for first.
  static constexpr std::size_t kHeadBytes = 5;

  ZSTD_DStream* stream_;
  const int window_log_max_;
  bool between_frames_ = false;
  std::size_t wanted_ = kHeadBytes;  // no more than one block at a time: an error takes no other's
                                     // output along
  std::uint64_t taken_ = 0;          // bytes of input
};

std::unique_ptr<Decoder> make_decoder(InputCompression compression, int zstd_window_log_max) {
  switch (compression) {
    case InputCompression::kGzip:
    case InputCompression::kZlib:
      return std::make_unique<InflateDecoder>(compression);
    case InputCompression::kZstd:
      return std::make_unique<ZstdDecoder>(zstd_window_log_max);
    case InputCompression::kAuto:
    case InputCompression::kNone:
      break;
  }
  return std::make_unique<PlainDecoder>();
}

class DecodedSource : public ByteSource {
 public:
  DecodedSource(std::unique_ptr<ByteSource> source, const DecodeOptions& options)
      : source_(std::move(source)), options_(options) {
    if (options_.compression != InputCompression::kAuto) {
      decoder_ = make_decoder(options_.compression, options_.zstd_window_log_max);
    }
  }

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t timeout_ms) override {
    while (true) {
      if (decoder_ != nullptr && !buffer.empty()) {
        // Decoders may hold output back, so they are asked even without new input.
        const std::size_t rest_before = rest_.size();
        EVQ_TRY_ASSIGN(const std::size_t size, decode(buffer));
        if (size != 0) {
          EVQ_TRY(count(size));
          return std::optional(size);
        }
        if (rest_.size() != rest_before) {
          continue;  // past an empty member, or a frame without contents: more may follow
        }
      }
      if (ended_) {
        return end();
      }
      if (decoder_ != nullptr && decoder_->is_plain() && rest_.empty()) {
        return read_plain(buffer, timeout_ms);
      }
      if (decoder_ == nullptr || rest_.empty()) {
        EVQ_TRY_ASSIGN(const bool more, fill(timeout_ms));
        if (!more) {
          return std::optional<std::size_t>();
        }
      }
    }
  }

  // Of plain data. The rest is taken in at once and decoded from where it is.
  std::optional<TextMemory> release() override {
    if (ended_ || read_bytes_ != 0) {
      return std::nullopt;
    }
    std::optional<TextMemory> all = source_->release();
    if (!all) {
      return std::nullopt;
    }
    ended_ = true;
    read_bytes_ = all->size;
    if (decoder_ == nullptr) {
      take_decoder(all->text());
    }
    if (decoder_->is_plain() && all->size <= options_.decoded_bytes_max) {
      decoded_bytes_ = all->size;
      return all;
    }
    released_ = std::move(*all);
    rest_ = released_.text();
    return std::nullopt;
  }

 private:
  void take_decoder(std::string_view bytes) {
    decoder_ =
        make_decoder(compression_of(bytes.substr(0, kMagicBytes)), options_.zstd_window_log_max);
  }

  Result<std::size_t> decode(std::span<char> buffer) {
    if (failure_) {
      return *failure_;
    }
    Result<std::size_t> decoded = decoder_->decode(rest_, buffer);
    if (!decoded.ok()) {
      failure_ = decoded.error();
    }
    return decoded;
  }

  // Reads from the source; false when the time is over. No more than the first bytes before they
  // told the compression: plain data then goes where it is wanted, past input_.
  Result<bool> fill(std::int64_t timeout_ms) {
    const std::size_t kept = rest_.size();
    input_.resize(decoder_ == nullptr ? kMagicBytes : kInputBytes);
    if (kept > 0) {
      std::memmove(input_.data(), rest_.data(), kept);
    }
    auto read = source_->read(std::span(input_).subspan(kept), timeout_ms);
    if (!read.ok()) {
      return std::move(read).take_error();
    }
    rest_ = {input_.data(), kept};
    if (!*read) {
      return false;
    }
    ended_ = **read == 0;
    read_bytes_ += **read;
    rest_ = {input_.data(), kept + **read};
    const bool told = rest_.size() >= kMagicBytes || rest_.find('\n') != std::string_view::npos;
    if (decoder_ == nullptr && (told || ended_)) {
      take_decoder(rest_);
    }
    return true;
  }

  // Past the detour through input_.
  Result<std::optional<std::size_t>> read_plain(std::span<char> buffer, std::int64_t timeout_ms) {
    EVQ_TRY_ASSIGN(const std::optional<std::size_t> size, source_->read(buffer, timeout_ms));
    if (size) {
      ended_ = *size == 0;
      read_bytes_ += *size;
      EVQ_TRY(count(*size));
    }
    return size;
  }

  Result<std::optional<std::size_t>> end() const {
    if (decoder_ != nullptr && read_bytes_ != 0 && !decoder_->may_end()) {
      return make_error(ErrorCode::kData, "the compressed data ends too early");
    }
    if (!rest_.empty()) {
      return make_error(ErrorCode::kData, "the compressed data is followed by something else");
    }
    return std::optional(std::size_t{0});
  }

  Status count(std::size_t size) {
    decoded_bytes_ += size;
    if (decoded_bytes_ > options_.decoded_bytes_max) {
      return make_error(ErrorCode::kTooLarge, "the decoded data is longer than the limit of " +
                                                  std::to_string(options_.decoded_bytes_max) +
                                                  " bytes");
    }
    if (options_.limit_ratio && decoded_bytes_ > kDecompressionFreeBytes &&
        decoded_bytes_ / kDecompressionRatioMax > read_bytes_) {
      return make_error(ErrorCode::kTooLarge, "the compressed data grows more than " +
                                                  std::to_string(kDecompressionRatioMax) +
                                                  " times");
    }
    return {};
  }

  std::unique_ptr<ByteSource> source_;
  DecodeOptions options_;
  std::unique_ptr<Decoder> decoder_;  // empty until the first bytes told which
  std::optional<Error> failure_;      // of the decoder
  std::vector<char> input_;
  TextMemory released_;    // by the source, instead of input_
  std::string_view rest_;  // of either, not decoded yet
  bool ended_ = false;
  std::size_t read_bytes_ = 0;
  std::size_t decoded_bytes_ = 0;
};

}  // namespace

InputCompression compression_of(std::string_view head) {
  if (head.substr(0, 3) == "\x1f\x8b\x08") {
    return InputCompression::kGzip;
  }
  // A frame, or a skippable one, which some tools put first.
  const bool skippable = head.size() == 4 && (static_cast<unsigned char>(head[0]) & 0xF0) == 0x50 &&
                         head.substr(1) == "\x2a\x4d\x18";
  return skippable || head == "\x28\xb5\x2f\xfd" ? InputCompression::kZstd
                                                 : InputCompression::kNone;
}

std::unique_ptr<ByteSource> decoded_source(std::unique_ptr<ByteSource> source,
                                           const DecodeOptions& options) {
  return std::make_unique<DecodedSource>(std::move(source), options);
}

}  // namespace evq
