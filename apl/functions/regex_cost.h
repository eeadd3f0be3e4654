#pragma once
// admit_match(): a match of RE2 cannot be interrupted, so it is begun only when it will end in
// time. One takes about a nanosecond a byte of the text where RE2's automaton has room enough, and
// 20 to 70 for each instruction of the program and byte where it has not. Which it is shows at the
// beginning of the text.

#include <cstddef>
#include <functional>
#include <string_view>

#include "store/base/limits.h"

namespace evq {

// The slow path of admit_match().
void measure_match(std::size_t instructions, std::string_view text,
                   const std::function<void(std::string_view)>& match);

// Fails as allocations do (allocation_meter.h), with kLimit, when matching `text` would take more
// than kRegexMatchMsMax of this thread's time. `match` does it for a beginning of the text: nothing
// is measured of texts that are short for the program.
template <class Match>
void admit_match(std::size_t instructions, std::string_view text, const Match& match) {
  if (text.size() > kRegexUntestedStepsMax / instructions) {
    measure_match(instructions, text, match);
  }
}

}  // namespace evq
