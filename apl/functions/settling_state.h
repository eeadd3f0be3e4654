#pragma once
// SettlingState: an aggregate's state that puts off work until it is asked for its results, and can
// do it as soon as no more rows come, on the thread of the worker that saw them.

#include "apl/functions/function.h"

namespace evq {

class SettlingState : public AggregateState {
 public:
  virtual void settle() = 0;
};

// For states of any kind: nothing where there is nothing to settle.
inline void settle(AggregateState* state) {
  if (auto* settling = dynamic_cast<SettlingState*>(state)) {
    settling->settle();
  }
}

}  // namespace evq
