// Bodies that are short as they are sent and long when they are decoded: whose seats they take.
#include "http/ingest_body.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <zstd.h>

#include "http/limits.h"

namespace evq {
namespace {

std::string decoded_text_of(ByteSource& source) {
  std::string text;
  std::vector<char> piece(100'000);
  for (;;) {
    const auto got = source.read(piece, -1);
    REQUIRE(got.ok());
    if (got.value().value_or(0) == 0) {
      return text;
    }
    text.append(piece.data(), *got.value());
  }
}

std::string zstd_packed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// No line is like another, so that it does not shrink too much.
std::string many_lines(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) {
    text +=
        "{\"n\":" + std::to_string(i * 7919) + ",\"text\":\"what a line says over and over\"}\n";
  }
  return text;
}

HttpRequest encoded_request(std::string_view body, std::string_view encoding) {
  HttpRequest request;
  if (!encoding.empty()) {
    request.headers.emplace_back("content-encoding", encoding);
  }
  REQUIRE(request.body.append(body).ok());
  return request;
}

TEST_CASE("a body that is long when it is decoded is read where long ones are") {
  const std::string text = many_lines(kHttpSerialBodyBytesMax + 1);
  const std::string sent = zstd_packed(text);
  REQUIRE(sent.size() < kHttpBodyMemoryBytesMax);
  for (const std::string_view encoding : {"zstd", ""}) {
    CAPTURE(encoding);
    HttpRequest request = encoded_request(sent, encoding);
    const auto refused = streamed_body(request);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kUnavailable);
    CHECK(request.large);
    CHECK(request.again_ms == 0);
    const auto source = streamed_body(request);
    REQUIRE(source.ok());
    CHECK((decoded_text_of(*source.value()) == text));
  }
}

TEST_CASE("a body that is short when it is decoded is read at once, and a plain one as it is") {
  const std::string text = many_lines(300'000);
  for (const auto& [body, encoding] :
       {std::pair(zstd_packed(text), "zstd"), std::pair(zstd_packed(text), ""), std::pair(text, ""),
        std::pair(text, "identity"), std::pair(text, "1")}) {
    CAPTURE(encoding);
    HttpRequest request = encoded_request(body, encoding);
    const auto source = streamed_body(request);
    REQUIRE(source.ok());
    CHECK_FALSE(request.large);
    CHECK((decoded_text_of(*source.value()) == text));
  }
}

TEST_CASE("what is broken in a short body is said as in a long one") {
  std::string sent = zstd_packed(many_lines(300'000));
  sent.resize(sent.size() / 2);
  HttpRequest request = encoded_request(sent, "zstd");
  const auto source = streamed_body(request);
  REQUIRE(source.ok());
  std::vector<char> piece(100'000);
  Result<std::optional<std::size_t>> got = std::optional<std::size_t>();
  do {
    got = source.value()->read(piece, -1);
  } while (got.ok() && got.value().value_or(0) != 0);
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().message == "the compressed data ends too early");
}

// A frame of one raw block with that window descriptor.
std::string raw_frame(unsigned char window, std::string_view text) {
  const std::size_t head = (text.size() << 3U) | 1U;
  std::string out("\x28\xb5\x2f\xfd\0", 5);
  out.push_back(static_cast<char>(window));
  for (const unsigned shift : {0U, 8U, 16U}) {
    out.push_back(static_cast<char>(head >> shift));
  }
  return out.append(text);
}

TEST_CASE("a zstd frame may want the window that HTTP allows and no larger one") {
  constexpr unsigned char kAllowed = (23U - 10U) << 3U;
  for (const unsigned char window : {kAllowed, static_cast<unsigned char>(kAllowed + 1U)}) {
    HttpRequest request = encoded_request(raw_frame(window, "{\"a\":1}\n"), "zstd");
    const auto source = streamed_body(request);
    REQUIRE(source.ok());
    std::vector<char> piece(100);
    const auto got = source.value()->read(piece, -1);
    CHECK(got.ok() == (window == kAllowed));
    if (!got.ok()) {
      CHECK(got.error().code == ErrorCode::kTooLarge);
      CHECK(got.error().message ==
            "the zstd data wants more than 8 MiB kept while it is read: compress it with a smaller "
            "window, as without --ultra and --long");
    }
  }
}

}  // namespace
}  // namespace evq
