#pragma once
// Receiving one body, for connection.cpp alone: from the connection into the request, held to its
// limit and to the least rate. A body whose length is stated is read past the parser and its
// buffer.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "http/beast_support.h"
#include "http/framing.h"
#include "http/limits.h"
#include "http/message.h"
#include "http/read_deadline.h"
#include "store/base/time.h"

namespace evq {

using RequestParser = http::request_parser<http::buffer_body>;

enum class BodyEnd : std::uint8_t {
  kWhole,
  kRefused,  // the client is to be told why, and the connection ends
  kGone,     // the client has left: nobody is there to be told
};

template <class Stream>
class BodyReceiver {
 public:
  // `parser` has taken the head; what came behind it is in `buffer`, and what follows the body will
  // be; `buffer_held` is of the bodies' memory. All must outlive the receiver.
  BodyReceiver(Stream& stream, ReadDeadline& deadline, beast::flat_buffer& buffer,
               HeldBytes& buffer_held, RequestParser& parser)
      : stream_(stream),
        deadline_(deadline),
        buffer_(buffer),
        buffer_held_(buffer_held),
        parser_(parser),
        sized_(parser.content_length().has_value()),
        left_(parser.is_done() ? 0 : parser.content_length().value_or(1)) {}

  // `why` is set for a body that is refused.
  asio::awaitable<BodyEnd> receive(HttpRequest& request, std::size_t bytes_max, Refusal* why) {
    if (left_ == 0) {
      co_return BodyEnd::kWhole;
    }
    request.body.expect(parser_.content_length().value_or(0));
    if (!sized_ && buffer_held_.grow(memory_of(request.body.space()), kReadBufferBytes)) {
      buffer_.reserve(kReadBufferBytes);
    }
    window_start_ns_ = monotonic_now_ns();
    while (left_ != 0) {
      const Result<std::span<char>> room = request.body.room(kBodyReadBytes);
      if (!room.ok()) {
        *why = refusal_of(room.error());
        co_return BodyEnd::kRefused;
      }
      error_code error;
      deadline_.set(kHttpBodyRateWindowMs);
      const std::size_t got = co_await read_piece(*room, error);
      deadline_.clear();
      error = deadline_.reason(error);
      if (error && status_of(error) == 0) {
        co_return BodyEnd::kGone;
      }
      std::optional<Refusal> refusal =
          error ? Refusal{status_of(error), std::string(refusal_reason(status_of(error)))}
                : take_piece(request, got, bytes_max);
      if (refusal.has_value()) {
        *why = *std::move(refusal);
        co_return BodyEnd::kRefused;
      }
    }
    co_return BodyEnd::kWhole;
  }

 private:
  asio::awaitable<std::size_t> read_piece(std::span<char> room, error_code& error) {
    std::size_t got = 0;
    if (!sized_) {
      parser_.get().body().data = room.data();
      parser_.get().body().size = room.size();
      co_await http::async_read_some(stream_, buffer_, parser_, quietly(error));
      if (error == http::error::need_buffer) {
        error = {};
      }
      got = room.size() - parser_.get().body().size;
      left_ = parser_.is_done() ? 0 : 1;
      co_return got;
    }
    const auto wanted = asio::buffer(room.data(), std::min<std::uint64_t>(left_, room.size()));
    if (buffer_.size() != 0) {
      got = asio::buffer_copy(wanted, buffer_.data());
      buffer_.consume(got);
    } else {
      got = co_await stream_.async_read_some(wanted, quietly(error));
    }
    left_ -= got;
    co_return got;
  }

  static Refusal refusal_of(const Error& error) {
    return {error_code_info(error.code).http_status, error.message, error};
  }

  std::optional<Refusal> take_piece(HttpRequest& request, std::size_t size, std::size_t bytes_max) {
    if (request.body.size() + size > bytes_max) {
      return body_too_large(bytes_max);
    }
    const Status kept = request.body.take(size);
    if (!kept.ok()) {
      return refusal_of(kept.error());
    }
    window_bytes_ += size;
    const std::int64_t now_ns = monotonic_now_ns();
    if (now_ns - window_start_ns_ < kHttpBodyRateWindowMs * kMillisecondNs) {
      return std::nullopt;
    }
    constexpr auto kBytesMin =
        kHttpBodyBytesPerSecondMin * static_cast<std::size_t>(kHttpBodyRateWindowMs / 1000);
    if (window_bytes_ < kBytesMin) {
      return Refusal{408, "the request body arrives too slowly"};
    }
    window_start_ns_ = now_ns;
    window_bytes_ = 0;
    return std::nullopt;
  }

  Stream& stream_;
  ReadDeadline& deadline_;
  beast::flat_buffer& buffer_;
  HeldBytes& buffer_held_;  // what it may take beyond a head
  RequestParser& parser_;
  const bool sized_;
  std::uint64_t left_;  // bytes to come; of a chunked body, whether any
  std::int64_t window_start_ns_ = 0;
  std::size_t window_bytes_ = 0;
};

}  // namespace evq
