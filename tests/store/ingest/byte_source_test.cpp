// Compressed input: told by content, in parts of any size, several members, cut, broken, bombs.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>
#include <zstd.h>

#include "store/base/limits.h"
#include "store/ingest/piece_cutter.h"
#include "tests/support/load_events.h"

namespace {

using evq::DecodeOptions;
using evq::test::SteppingSource;

std::string deflated(const std::string& text, std::uint16_t wrapping) {
  std::vector<unsigned char> level_buffer(ISAL_DEF_LVL1_DEFAULT);
  std::string out(text.size() + text.size() / 8 + 1000, '\0');
  std::string in = text;
  isal_zstream stream{};
  isal_deflate_stateless_init(&stream);
  stream.level = 1;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  stream.gzip_flag = wrapping;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<std::uint32_t>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  REQUIRE(isal_deflate_stateless(&stream) == COMP_OK);
  out.resize(stream.total_out);
  return out;
}

std::string gzip(const std::string& text) {
  return deflated(text, IGZIP_GZIP);
}

std::string zstd(const std::string& text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

struct Decoded {
  std::string text;
  std::string error;
  evq::ErrorCode code = evq::ErrorCode::kInternal;
};

Decoded decode(std::unique_ptr<evq::ByteSource> source, const DecodeOptions& options = {}) {
  const auto decoded = evq::decoded_source(std::move(source), options);
  Decoded result;
  std::string buffer(7777, '\0');
  while (true) {
    auto size = decoded->read(buffer, 10);
    if (!size.ok()) {
      result.error = size.error().message;
      result.code = size.error().code;
      return result;
    }
    if (*size && **size == 0) {
      return result;
    }
    result.text += buffer.substr(0, size->value_or(0));
  }
}

std::string sample() {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "{\"i\":" + std::to_string(i) + ",\"x\":\"" + std::to_string(i * 7919) + "\"}\n";
  }
  return text;
}

}  // namespace

TEST_CASE("compression is told by content and read in parts of any size") {
  const std::string text = sample();
  const std::string inputs[] = {text, gzip(text), zstd(text)};
  for (const std::string& input : inputs) {
    for (const std::size_t step : {1U, 2U, 3U, 5U, 1000U, 1000000U}) {
      const Decoded decoded = decode(std::make_unique<SteppingSource>(input, step, step));
      CHECK(decoded.error.empty());
      CHECK((decoded.text == text));
    }
  }
  for (const char* tiny : {"", "a", "\x1f", "\x1f\x8b", "{}"}) {
    CHECK(decode(evq::memory_source(tiny)).text == tiny);
  }
}

TEST_CASE("members and frames follow each other") {
  const std::string text = sample();
  const std::string twice[] = {gzip(text) + gzip("") + gzip(text),
                               zstd(text) + zstd("") + zstd(text),
                               gzip(text) + gzip(text) + std::string(512, '\0')};
  for (const std::string& input : twice) {
    for (const std::size_t step : {1U, 1000000U}) {
      const Decoded decoded = decode(std::make_unique<SteppingSource>(input, step, step));
      CHECK(decoded.error.empty());
      CHECK((decoded.text == text + text));
    }
  }
}

TEST_CASE("cut and broken data is an error, after what came before it") {
  const std::string text = sample();
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    for (const std::size_t size : {std::size_t{11}, whole.size() / 2, whole.size() - 1}) {
      const Decoded decoded = decode(evq::memory_source(std::string_view(whole).substr(0, size)));
      CHECK(decoded.error == "the compressed data ends too early");
      CHECK(decoded.code == evq::ErrorCode::kData);
      CHECK(text.rfind(decoded.text, 0) == 0);
    }
    std::string broken = whole;
    for (std::size_t i = broken.size() / 2; i < broken.size() / 2 + 64; ++i) {
      broken[i] = static_cast<char>(broken[i] ^ 0x5A);
    }
    CHECK(decode(evq::memory_source(broken)).code == evq::ErrorCode::kData);
    CHECK(decode(evq::memory_source(whole + "garbage")).code == evq::ErrorCode::kData);
  }
  DecodeOptions forced;
  forced.compression = evq::InputCompression::kGzip;
  CHECK(decode(evq::memory_source("{\"a\":1}"), forced).code == evq::ErrorCode::kData);
}

TEST_CASE("zlib's wrapping is read where it is named") {
  DecodeOptions zlib;
  zlib.compression = evq::InputCompression::kZlib;
  const std::string text = sample();
  const std::string whole = deflated(text, IGZIP_ZLIB);
  for (const std::size_t step : {1U, 2U, 3U, 1000U, 1000000U}) {
    const Decoded decoded = decode(std::make_unique<SteppingSource>(whole, step, step), zlib);
    CHECK(decoded.error.empty());
    CHECK((decoded.text == text));
  }
  CHECK(decode(evq::memory_source(deflated("", IGZIP_ZLIB)), zlib).text.empty());
  CHECK(decode(evq::memory_source(whole)).text == whole);  // by its first bytes it is nothing
  const Decoded cut = decode(evq::memory_source(std::string_view(whole).substr(0, 999)), zlib);
  CHECK(cut.error == "the compressed data ends too early");
  std::string wrong_sum = whole;
  wrong_sum.back() = static_cast<char>(wrong_sum.back() ^ 1);
  CHECK(decode(evq::memory_source(wrong_sum), zlib).error.starts_with("the zlib data is damaged"));
  for (const std::string& broken : {whole + "more", whole + whole, whole.substr(2), gzip(text),
                                    std::string("{\"a\":1}"), deflated(text, IGZIP_DEFLATE)}) {
    CHECK(decode(evq::memory_source(broken), zlib).code == evq::ErrorCode::kData);
  }
}

TEST_CASE("what can be decoded before the break is given, however large the buffer") {
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    text += "{\"i\":" + std::to_string(i) + ",\"x\":\"" + std::to_string(i * 7919) + "\"}\n";
  }
  constexpr std::size_t kZstdBlockBytes = 128 * evq::kKibibyte;
  for (const bool is_gzip : {true, false}) {
    CAPTURE(is_gzip);
    const std::string whole = is_gzip ? gzip(text) : zstd(text);
    for (const std::size_t at : {whole.size() / 3, whole.size() / 2, whole.size() - 20}) {
      CAPTURE(at);
      std::string broken = whole;
      std::fill_n(broken.begin() + static_cast<std::ptrdiff_t>(at), 16, '\xFF');
      std::string_view cut = std::string_view(whole).substr(0, at);
      const std::string before = decode(evq::memory_source(cut)).text;
      CHECK(before.size() + (is_gzip ? 0 : kZstdBlockBytes) > text.size() * at / whole.size() / 2);
      const auto source = evq::decoded_source(evq::memory_source(broken), {});
      std::string decoded(text.size() + evq::kMebibyte, '\0');
      std::size_t size = 0;
      evq::Result<std::optional<std::size_t>> read = std::optional(size);
      for (; read.ok(); read = source->read(std::span(decoded).subspan(size), 0)) {
        size += **read;
      }
      // The last symbols before the break may need more bits than there are, a block of zstd all.
      CHECK(size + (is_gzip ? 300 : 0) >= before.size());
      // Broken symbols of gzip mean something as well: mostly the checksum tells, or no end comes.
      const std::string& error = read.error().message;
      CHECK((error.starts_with(is_gzip ? "the gzip data is damaged"
                                       : "the zstd data is damaged near byte ") ||
             (is_gzip && error == "the compressed data ends too early")));
      std::string other(100, '\0');
      CHECK(source->read(other, 0).error().message == error);
      const std::size_t sound = std::min(size, before.size());
      CHECK((std::string_view(decoded).substr(0, sound) == text.substr(0, sound)));
    }
  }
}

TEST_CASE("what follows compressed data is told, and nothing of the data is lost") {
  const std::string text = sample();
  for (const std::string& name : {std::string("gzip"), std::string("zstd")}) {
    const std::string whole = name == "gzip" ? gzip(text) + gzip(text) : zstd(text) + zstd(text);
    for (const char* garbage : {"garbage", "\n\n\n\n\n", "{\"a\":1}\n"}) {
      for (const std::size_t step : {1U, 1000000U}) {
        const Decoded decoded =
            decode(std::make_unique<SteppingSource>(whole + garbage, step, step));
        CHECK(decoded.error == "the " + name + " data is followed by something else from byte " +
                                   std::to_string(whole.size() + 1) + " on");
        CHECK((decoded.text == text + text));
      }
    }
  }
  const std::string padded = gzip(text) + std::string(100, '\0');
  CHECK(decode(evq::memory_source(padded + "x")).error ==
        "the gzip data is followed by something else from byte " +
            std::to_string(padded.size() + 1) + " on");
}

TEST_CASE("a checksum that is wrong is told, behind all of the text") {
  const std::string text = sample();
  std::string broken = gzip(text);
  broken[broken.size() - 6] = static_cast<char>(broken[broken.size() - 6] ^ 1);
  const Decoded decoded = decode(evq::memory_source(broken));
  CHECK(decoded.error == "the gzip data is damaged: the checksum near byte " +
                             std::to_string(broken.size()) +
                             " is not that of what stands before it");
  CHECK((decoded.text == text));
}

TEST_CASE("compression bombs are refused where asked") {
  const std::string zeros(64 * evq::kMebibyte, '\0');
  DecodeOptions limited;
  limited.limit_ratio = true;
  CHECK(decode(evq::memory_source(zstd(zeros)), limited).code == evq::ErrorCode::kTooLarge);
  CHECK(decode(evq::memory_source(gzip(zeros)), limited).code == evq::ErrorCode::kTooLarge);
  CHECK(decode(evq::memory_source(zstd(zeros))).text.size() == zeros.size());
  const std::string free = zeros.substr(0, evq::kDecompressionFreeBytes);
  CHECK(decode(evq::memory_source(zstd(free)), limited).error.empty());
  CHECK(decode(evq::memory_source(zstd(free + '\0')), limited).code == evq::ErrorCode::kTooLarge);
  DecodeOptions small;
  small.decoded_bytes_max = 1000;
  CHECK(decode(evq::memory_source(std::string(1000, 'x')), small).error.empty());
  CHECK(decode(evq::memory_source(std::string(1001, 'x')), small).code ==
        evq::ErrorCode::kTooLarge);
  const auto fits = evq::decoded_source(evq::test::owned_source(std::string(1000, 'x')), small);
  CHECK(fits->release().has_value());
  const auto large = evq::decoded_source(evq::test::owned_source(std::string(1001, 'x')), small);
  CHECK_FALSE(large->release().has_value());
  CHECK_FALSE(evq::test::load_source(*large, {}).status.ok());
}

TEST_CASE("a pipe gives what is there and waits no longer than asked") {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  const auto source = evq::file_source(evq::File::adopt(ends[0], "pipe"));
  std::string buffer(100, '\0');
  auto nothing = source->read(buffer, 5);
  REQUIRE(nothing.ok());
  CHECK_FALSE(nothing.value().has_value());
  REQUIRE(::write(ends[1], "abc", 3) == 3);
  auto some = source->read(buffer, 1000);
  REQUIRE(some.ok());
  CHECK(some.value() == std::optional<std::size_t>(3));
  ::close(ends[1]);
  for (int i = 0; i < 2; ++i) {
    auto end = source->read(buffer, 1000);
    REQUIRE(end.ok());
    CHECK(end.value() == std::optional<std::size_t>(0));
  }
}

TEST_CASE("a line does not wait for what may follow it, however short it is") {
  const std::function<std::int64_t()> clock = [] { return evq::test::kReceiptNs; };
  evq::IngestOptions options;
  options.format = evq::InputFormat::kDetect;
  const auto source = evq::decoded_source(std::make_unique<SteppingSource>("1\n", 2, 2), {});
  evq::PieceCutter cutter(*source, options, clock);
  evq::Piece piece;
  const auto outcome = cutter.next(evq::kBlockRowsMax, 0, piece);
  REQUIRE(outcome.ok());
  REQUIRE(*outcome == evq::PieceCutter::Outcome::kPiece);
  CHECK(piece.text() == "1\n");
}

TEST_CASE("compressed events load like plain ones") {
  const std::string text = sample();
  const std::string plain = evq::test::load_events(text).rows();
  CHECK((evq::test::load_events(gzip(text)).rows() == plain));
  CHECK((evq::test::load_events(zstd(text)).rows() == plain));
  CHECK(evq::test::load_events(zstd(text)).counts.processed_bytes == text.size());
  const std::string half = text.substr(0, text.find('\n', text.size() / 2) + 1);
  const std::string rest = text.substr(half.size());
  const std::string skippable("\x50\x2a\x4d\x18\x05\x00\x00\x00hello", 13);
  const std::string inputs[] = {
      text,
      gzip(text),
      gzip("") + gzip(half) + gzip("") + gzip("") + gzip(rest) + gzip(""),
      zstd(text),
      skippable + zstd(half) + zstd("") + skippable + zstd(rest) + skippable,
  };
  for (const std::string& bytes : inputs) {
    const auto source = evq::decoded_source(evq::test::owned_source(bytes), {});
    CHECK((evq::test::load_source(*source, {}).rows() == plain));
  }
}
