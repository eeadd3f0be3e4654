#pragma once
// Sending one answer, for connection.cpp alone. Whatever is sent goes in pieces, under a watch: a
// reader may be slow, but not too slow. A body that has a rest is made while it is sent and goes
// out chunked, or to the end of the connection for HTTP/1.0.

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "http/beast_support.h"
#include "http/framing.h"
#include "http/limits.h"
#include "http/message.h"
#include "http/write_watch.h"
#include "store/base/control.h"

namespace evq {

struct SendOptions {
  std::string_view trace_id;
  unsigned version = 11;                             // of the request
  bool head_only = false;                            // HEAD
  std::int64_t window_ms = kHttpAnswerRateWindowMs;  // of the least rate
  std::int64_t idle_ms = kHttpIdleMsMax;             // until the connection ends unused
};

struct SendOutcome {
  bool sent = false;
  std::uint64_t body_bytes = 0;
};

inline bool is_bodyless(int status) {
  return status == 204 || status == 304;
}

inline void fill_head(http::fields& fields, const HttpResponse& response,
                      const SendOptions& options) {
  fields.set(http::field::date, http_date(wall_clock_now_ns()));
  fields.set("X-Axiom-Trace-Id", std::string(options.trace_id));
  fields.set("X-Content-Type-Options", "nosniff");
  if (!is_bodyless(response.status)) {
    fields.set(http::field::content_type, response.content_type);
  }
  if (!response.close) {
    // Clients of HTTP/1.0 take a connection to end with the answer, and wait for that, unless told.
    fields.set(http::field::connection, "keep-alive");
    if (const std::int64_t told_s = (options.idle_ms - kHttpIdleMarginMs) / 1000; told_s > 0) {
      fields.set(http::field::keep_alive, "timeout=" + std::to_string(told_s));
    }
  }
  for (const auto& [name, value] : response.headers) {
    fields.insert(name, value);
  }
}

template <class Stream>
asio::awaitable<bool> send_bytes(Stream& stream, WriteWatch& watch, std::string_view bytes) {
  error_code error;
  while (!bytes.empty() && !error) {
    const std::size_t sent =
        co_await stream.async_write_some(asio::buffer(bytes.data(), bytes.size()), quietly(error));
    watch.note_sent(sent);
    bytes.remove_prefix(sent);
  }
  co_return !error;
}

// The head, then pieces until there is no rest.
template <class Stream>
asio::awaitable<SendOutcome> send_pieces(Stream& stream, WriteWatch& watch, HttpResponse& response,
                                         const SendOptions& options) {
  constexpr std::size_t kSizeDigits = 8;
  const bool chunked = options.version == 11;
  response.close = response.close || !chunked;
  http::response<http::empty_body> message(static_cast<http::status>(response.status), 11);
  message.keep_alive(!response.close);
  fill_head(message, response, options);
  message.chunked(chunked);
  http::response_serializer<http::empty_body> serializer(message);
  error_code error;
  watch.note_sent(co_await http::async_write_header(stream, serializer, quietly(error)));
  SendOutcome outcome;
  std::string frame;
  for (bool more = true, first = true; more && !error; first = false) {
    frame.assign(chunked ? kSizeDigits + 2 : 0, '0');  // room for the size's line
    const std::size_t prefix = frame.size();
    if (first) {
      frame.append(response.body);
    } else {
      const Result<bool> rest = response.rest(&frame);
      if (!rest.ok()) {
        co_return outcome;
      }
      more = *rest;
    }
    const std::size_t size = frame.size() - prefix;
    if (size == 0) {
      continue;
    }
    if (chunked) {
      std::array<char, kSizeDigits> digits{};
      const auto [end, ignored] =
          std::to_chars(digits.data(), digits.data() + kSizeDigits, size, 16);
      const auto count = static_cast<std::size_t>(end - digits.data());
      frame.replace(kSizeDigits - count, count, digits.data(), count);
      frame.replace(kSizeDigits, 2, "\r\n");
      frame.append("\r\n");
    }
    if (!co_await send_bytes(stream, watch, frame)) {
      co_return outcome;
    }
    outcome.body_bytes += size;
  }
  if (!error) {
    outcome.sent = !chunked || co_await send_bytes(stream, watch, "0\r\n\r\n");
  }
  co_return outcome;
}

template <class Stream>
asio::awaitable<SendOutcome> send_response(Stream& stream, HttpResponse& response,
                                           const SendOptions& options) {
  WriteWatch watch(beast::get_lowest_layer(stream), options.window_ms);
  if (response.rest && !options.head_only) {
    co_return co_await send_pieces(stream, watch, response, options);
  }
  http::response<http::span_body<char>> message;
  message.version(11);
  message.result(static_cast<unsigned>(response.status));
  message.keep_alive(!response.close);
  fill_head(message, response, options);
  const bool bodyless = is_bodyless(response.status);
  if (!options.head_only && !bodyless) {
    message.body() = boost::beast::span<char>(response.body.data(), response.body.size());
  }
  if (!bodyless && !response.rest) {  // of one with a rest a GET is not told the length either
    message.content_length(response.body.size());
  }
  http::response_serializer<http::span_body<char>> serializer(message);
  serializer.limit(kBodyPieceBytes);
  error_code error;
  if (options.head_only) {
    co_await http::async_write_header(stream, serializer, quietly(error));
  }
  while (!options.head_only && !error && !serializer.is_done()) {
    watch.note_sent(co_await http::async_write_some(stream, serializer, quietly(error)));
  }
  co_return SendOutcome{!error, options.head_only || bodyless ? 0 : response.body.size()};
}

}  // namespace evq
