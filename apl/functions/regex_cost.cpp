#include "apl/functions/regex_cost.h"

#include <cstdint>
#include <ctime>
#include <string>

#include "store/base/allocation_meter.h"
#include "store/base/control.h"
#include "store/base/error.h"
#include "store/base/time.h"

namespace evq {
namespace {

// What waits for the processor does not count.
std::int64_t thread_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * kSecondNs + now.tv_nsec;
}

template <class Work>
std::int64_t taken_ns(std::int64_t (*clock)(), const Work& work) {
  const std::int64_t begin = clock();
  work();
  return clock() - begin;
}

// Of each beginning to the one before.
constexpr std::size_t kGrowth = 16;
constexpr std::int64_t kLimitNs = kRegexMatchMsMax * kMillisecondNs;
// Less tells nothing: an automaton that is being made is slow, and quick once it is there.
constexpr std::int64_t kTellingNs = kLimitNs / kGrowth;

}  // namespace

void MatchCost::measure(std::string_view text,
                        const std::function<void(std::string_view)>& match) const {
  for (std::size_t bytes = free_bytes_ + 1; bytes < text.size(); bytes *= kGrowth) {
    const std::string_view beginning = text.substr(0, bytes);
    const auto run = [&] { match(beginning); };
    if (taken_ns(monotonic_now_ns, run) < kTellingNs) {
      continue;
    }
    const std::int64_t taken = taken_ns(thread_time_ns, run);  // which costs a system call to ask
    if (taken < kTellingNs) {
      continue;
    }
    const double whole = static_cast<double>(taken) *
                         (static_cast<double>(text.size()) / static_cast<double>(bytes));
    if (whole > static_cast<double>(kLimitNs)) {
      AllocationMeter::refuse(make_error(
          ErrorCode::kLimit,
          "a regular expression of " + std::to_string(instructions_) +
              " instructions takes too long on a text of " + std::to_string(text.size()) + " bytes",
          "repeat less in it (a{0,100} is a hundred parts), or match a substring() of the text"));
    }
    return;
  }
}

}  // namespace evq
