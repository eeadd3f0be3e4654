#pragma once
// ConnectionList: the open connections of a server, with what others need to end them: those that
// have waited longest make room for new ones, all idle ones go when the server drains. Any thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>

#include "store/base/control.h"
#include "store/base/mutex.h"

namespace evq {

// States of a connection, in the order in which they make room for new ones.
enum class ConnectionState : std::uint8_t {
  kClosing,    // its last answer has been sent
  kIdle,       // between two requests
  kReceiving,  // a request has begun to come: its sender has not earned a place yet
  kSending,    // an answer is sent, which makes room only where the connection is unproven
  kBusy,       // a complete request is worked at
};

class ConnectionList {
 public:
  struct Entry {
    ConnectionState state = ConnectionState::kBusy;
    std::int64_t since_ns = 0;              // monotonic
    std::function<void()> close;            // asks the connection to end, from any thread
    std::shared_ptr<QueryControl> control;  // of the request that runs
    bool asked_to_close = false;            // in this state
    bool unproven = true;                   // see prove
    bool costly = false;                    // see note_cost
    std::int64_t costly_since_ns = 0;       // monotonic
  };
  using Handle = std::list<Entry>::iterator;

  Handle add(std::function<void()> close);
  void remove(Handle entry);
  // Notes the connection's state now and the control of its running request, if any.
  void mark(Handle entry, ConnectionState state, std::shared_ptr<QueryControl> control);

  // Says that the connection has sent a request which has a right to be answered. Until then it is
  // unproven, and where places are short it may not even be in the middle of an answer.
  void prove(Handle entry);
  // Says that the connection takes much memory from now on. Of more than kHttpUnprovenMax such ones
  // that are unproven the oldest are asked to close that have had kHttpProofMsMax to prove
  // themselves, of more than kHttpUnprovenBurstMax the oldest at once.
  void note_cost(Handle entry);

  std::size_t size();
  // Asks one connection to close: one that is ending anyway, else the oldest idle one, else the one
  // whose request has been coming for longest, else the unproven one whose answer has been going
  // for longest. One that was asked and has not gone yet is not asked again.
  void close_oldest_idle();
  // Asks all idle connections to close, and those whose request has begun to come: the connection
  // knows whether it is one yet.
  void close_idle();
  // Cancels running requests and closes the other connections.
  void cancel_all();

 private:
  Mutex mutex_;
  std::list<Entry> entries_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
