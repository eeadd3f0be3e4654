#pragma once
// WriteWatch: gives up a client that takes nothing of its answer for too long, for connection.cpp
// alone. What the client's machine has acknowledged counts and not only what the socket takes from
// us: a full one takes more once a good part of it is free, which may be megabytes that a slow
// reader needs minutes for. To give up is to close the stream, so that the write that waits fails.
// On the connection's IO thread only.

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "http/beast_support.h"
#include "store/base/time.h"

namespace evq {

class WriteWatch {
 public:
  // From here on. `stream` must outlive the watch.
  WriteWatch(beast::tcp_stream& stream, std::int64_t stall_ms)
      : shared_(std::make_shared<State>(stream, stall_ms)) {
    stream.expires_never();
    look_later(shared_);
  }
  ~WriteWatch() {
    shared_->stream = nullptr;
    shared_->timer.cancel();
  }
  WriteWatch(const WriteWatch&) = delete;
  WriteWatch& operator=(const WriteWatch&) = delete;

  // The socket has taken something.
  void note_progress() { shared_->progress_ns = monotonic_now_ns(); }

 private:
  // Number of looks at the connection within the time in which nothing may happen.
  static constexpr std::int64_t kLooks = 10;

  struct State {
    State(beast::tcp_stream& s, std::int64_t ms)
        : stream(&s), timer(s.get_executor()), stall_ms(ms), unacknowledged(count_waiting()) {}

    // Bytes that the socket has taken and the client has not; 0 where the system does not tell.
    int count_waiting() const {
      int bytes = 0;
      return ::ioctl(stream->socket().native_handle(), SIOCOUTQ, &bytes) == 0 ? bytes : 0;
    }

    beast::tcp_stream* stream;  // null once the watch is gone
    asio::steady_timer timer;
    const std::int64_t stall_ms;
    int unacknowledged;  // at the last look
    std::int64_t progress_ns = monotonic_now_ns();
  };

  static void look_later(const std::shared_ptr<State>& shared) {
    shared->timer.expires_after(std::chrono::milliseconds(shared->stall_ms / kLooks + 1));
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
    const std::int64_t now_ns = monotonic_now_ns();
    const int waiting = shared->count_waiting();
    if (waiting < shared->unacknowledged) {
      shared->progress_ns = now_ns;
    }
    shared->unacknowledged = waiting;
    if (now_ns - shared->progress_ns > shared->stall_ms * kMillisecondNs) {
      shared->stream->close();
    } else {
      look_later(shared);
    }
  }

  const std::shared_ptr<State> shared_;
};

}  // namespace evq
