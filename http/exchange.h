#pragma once
// Exchange: one request and its answer, and the hand-over to a worker, for connection.cpp alone.
// The connection and the worker own it together: a connection that ends while its worker runs, as
// it does when it finds no memory to wait with, takes nothing away that the worker still writes to.

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>

#include "http/beast_support.h"
#include "http/message.h"
#include "store/base/control.h"

namespace evq {

struct Exchange {
  explicit Exchange(const asio::any_io_executor& connection)
      : executor(connection), done(connection) {}

  const asio::any_io_executor executor;  // the connection's
  HttpRequest request;
  std::shared_ptr<QueryControl> control;  // the request's, once it is complete
  HttpResponse response;                  // the worker's until it has finished
  bool turned_away = false;               // the same: no worker had time, and the response says so
  std::function<Status()> still_allowed;  // the connection's; may be empty
  std::optional<Error> barred;            // the same: why it is not allowed any more
  std::atomic<bool> finished{false};
  asio::steady_timer done;  // of the connection, which waits with it; cut short by the worker
};

// Ends the worker's part: the response becomes answer() or, where that finds no memory, one that
// needs none and ends the connection. Then the connection is woken.
template <class Answer>
void finish(const std::shared_ptr<Exchange>& exchange, const Answer& answer) {
  try {
    exchange->response = answer();
  } catch (const std::bad_alloc&) {
    exchange->response.status = 503;
    exchange->response.close = true;
    exchange->response.again_ms.reset();
  }
  exchange->finished.store(true);
  try {
    asio::post(exchange->executor, [exchange] { exchange->done.cancel(); });
  } catch (const std::bad_alloc&) {  // the connection looks now and then by itself
  }
}

}  // namespace evq
