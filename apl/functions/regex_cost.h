#pragma once
// MatchCost: a match of RE2 cannot be interrupted, so it is begun only when it will end in time.
// One takes about a nanosecond a byte of the text where RE2's automaton has room enough, and 20 to
// 70 for each instruction of the program and byte where it has not. Which it is shows at the
// beginning of the text.

#include <cstddef>
#include <functional>
#include <string_view>

#include "store/base/limits.h"

namespace evq {

class MatchCost {
 public:
  // `instructions` is the size of the compiled program, at least one.
  explicit MatchCost(std::size_t instructions)
      : instructions_(instructions), free_bytes_(kRegexUntestedStepsMax / instructions) {}

  // Fails as allocations do (allocation_meter.h), with kLimit, when matching `text` would take more
  // than kRegexMatchMsMax of this thread's time. `match` does it for a beginning of the text:
  // nothing is measured of texts that are short for the program.
  template <class Match>
  void admit(std::string_view text, const Match& match) const {
    if (text.size() > free_bytes_) {
      measure(text, match);
    }
  }

 private:
  void measure(std::string_view text, const std::function<void(std::string_view)>& match) const;

  std::size_t instructions_;
  std::size_t free_bytes_;  // size up to which a text is not measured
};

}  // namespace evq
