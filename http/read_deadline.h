#pragma once
// ReadDeadline: how long a connection waits for what its client sends, for connection.cpp alone. It
// cuts reads short and leaves the connection open for the answer that says so; the stream's own
// deadline, which the other waits use, closes it. On the connection's IO thread only.

#include <chrono>
#include <cstdint>
#include <memory>

#include "http/beast_support.h"

namespace evq {

class ReadDeadline {
 public:
  // `stream` must outlive the deadline.
  explicit ReadDeadline(beast::tcp_stream& stream) : shared_(std::make_shared<State>(stream)) {}
  ~ReadDeadline() {
    clear();
    shared_->stream = nullptr;
  }
  ReadDeadline(const ReadDeadline&) = delete;
  ReadDeadline& operator=(const ReadDeadline&) = delete;

  // Reads from now on have so long together.
  void set(std::int64_t ms) {
    clear();
    shared_->stream->expires_never();
    shared_->passed = false;
    shared_->timer.expires_after(std::chrono::milliseconds(ms));
    shared_->timer.async_wait([shared = shared_, turn = shared_->turn](const error_code& error) {
      // One that passed before it was cleared may be told of afterwards.
      if (!error && shared->turn == turn && shared->stream != nullptr) {
        shared->passed = true;
        shared->stream->cancel();
      }
    });
  }
  // No more deadline.
  void clear() {
    ++shared_->turn;
    shared_->timer.cancel();
  }
  // What a read that ended with `error` ended with: a timeout when it was cut short here.
  error_code reason(const error_code& error) const {
    return error && shared_->passed ? error_code(beast::error::timeout) : error;
  }

 private:
  struct State {
    explicit State(beast::tcp_stream& s) : stream(&s), timer(s.get_executor()) {}
    beast::tcp_stream* stream;  // null once the deadline is gone
    asio::steady_timer timer;
    std::uint64_t turn = 0;
    bool passed = false;
  };
  const std::shared_ptr<State> shared_;
};

}  // namespace evq
