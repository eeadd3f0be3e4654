#pragma once
// WriteWatch: gives up a client that takes too little of its answer over a window of time, for
// connection.cpp alone. What the client's machine has acknowledged counts and not only what the
// socket takes from us: a full one takes more once a good part of it is free, which may be
// megabytes that a slow reader needs minutes for. To give up is to close the stream, so that the
// write that waits fails. On the connection's IO thread only.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "http/beast_support.h"
#include "http/limits.h"
#include "store/base/time.h"

namespace evq {

class WriteWatch {
 public:
  // From here on. `stream` must outlive the watch.
  WriteWatch(beast::tcp_stream& stream, std::int64_t window_ms)
      : shared_(std::make_shared<State>(stream, window_ms)) {
    stream.expires_never();
    look_later(shared_);
  }
  ~WriteWatch() {
    shared_->stream = nullptr;
    shared_->timer.cancel();
  }
  WriteWatch(const WriteWatch&) = delete;
  WriteWatch& operator=(const WriteWatch&) = delete;

  // The socket has taken so many bytes more.
  void note_sent(std::size_t bytes) { shared_->sent += static_cast<std::int64_t>(bytes); }

 private:
  // Number of looks at the connection within one window.
  static constexpr std::int64_t kLooks = 10;

  struct State {
    State(beast::tcp_stream& s, std::int64_t ms)
        : stream(&s), timer(s.get_executor()), window_ms(ms) {
      begin_window(count_waiting());
    }

    // Bytes that the socket has taken and the client has not.
    std::int64_t count_waiting() const {
      int bytes = 0;
      const bool told = ::ioctl(stream->socket().native_handle(), SIOCOUTQ, &bytes) == 0;
      return told ? bytes : 0;
    }
    void begin_window(std::int64_t waiting) {
      window_start_ns = monotonic_now_ns();
      waiting_before = waiting;
      sent = 0;
    }

    beast::tcp_stream* stream;  // null once the watch is gone
    asio::steady_timer timer;
    const std::int64_t window_ms;
    std::int64_t window_start_ns = 0;
    std::int64_t waiting_before = 0;  // when the window began
    std::int64_t sent = 0;            // since then
  };

  static void look_later(const std::shared_ptr<State>& shared) {
    shared->timer.expires_after(std::chrono::milliseconds(shared->window_ms / kLooks + 1));
    shared->timer.async_wait([shared](const error_code& error) {
      if (error || shared->stream == nullptr) {
        return;
      }
      try {
        look(shared);
      } catch (const std::bad_alloc&) {  // nobody would look again
        shared->stream->close();
      }
    });
  }

  static void look(const std::shared_ptr<State>& shared) {
    constexpr auto kRate = static_cast<std::int64_t>(kHttpAnswerBytesPerSecondMin);
    const std::int64_t waiting = shared->count_waiting();
    const std::int64_t taken = shared->waiting_before + shared->sent - waiting;
    const std::int64_t elapsed_ns = monotonic_now_ns() - shared->window_start_ns;
    if (waiting == 0 || taken * 1000 >= kRate * shared->window_ms) {
      shared->begin_window(waiting);  // it has taken all that there was, or enough
    } else if (elapsed_ns > shared->window_ms * kMillisecondNs) {
      shared->stream->close();
      return;
    }
    look_later(shared);
  }

  const std::shared_ptr<State> shared_;
};

}  // namespace evq
