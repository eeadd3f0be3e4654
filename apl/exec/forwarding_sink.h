#pragma once
// ForwardingSink: a sink that hands what it makes of its chunks on to the sink of the next
// consumer. Row-wise operators are made of them: their consumers make one around each sink of the
// next, and give the next consumer its own sinks back with forwarded_sinks().

#include <memory>
#include <utility>
#include <vector>

#include "apl/exec/operator.h"
#include "store/base/result.h"

namespace evq {

class ForwardingSink : public Sink {
 public:
  Status finish() override { return next_->finish(); }
  // Gives up the next sink; this one must not be used afterwards.
  std::unique_ptr<Sink> release_next() { return std::move(next_); }

 protected:
  explicit ForwardingSink(std::unique_ptr<Sink> next) : next_(std::move(next)) {}
  Sink& next() { return *next_; }

 private:
  std::unique_ptr<Sink> next_;
};

// Returns the next sinks of `sinks`, which are all ForwardingSinks.
inline std::vector<std::unique_ptr<Sink>> forwarded_sinks(
    std::vector<std::unique_ptr<Sink>> sinks) {
  for (std::unique_ptr<Sink>& sink : sinks) {
    sink = static_cast<ForwardingSink&>(*sink).release_next();
  }
  return sinks;
}

}  // namespace evq
