#include "apl/exec/key_passes.h"

#include <utility>

#include "apl/exec/union_consumer.h"
#include "store/base/heap.h"

namespace evq {
namespace {

// And as many again of what does not fit. A power of two.
constexpr std::uint32_t kFirstPasses = 4;

}  // namespace

Status run_by_keys(Executor& executor, const std::function<bool()>& is_repeatable,
                   const RunShares& run, Consumer& consumer) {
  const CountsOfOneRun counts(executor.stats());
  OverflowMark overflow;
  Status at_once = run({}, consumer, overflow);
  if (!overflow.is_set() || !is_repeatable()) {
    return at_once;
  }
  UnionConsumer passes(consumer);
  KeyShares next{0, KeyShares::kCount / kFirstPasses};
  while (next.begin < KeyShares::kCount && !passes.is_done()) {
    counts.forget();
    return_free_memory();  // what the pass before took, in smaller pieces than this one may need
    OverflowMark overflow_of_pass;
    Status done = run(next, passes, overflow_of_pass);
    std::uint32_t width = next.end - next.begin;
    if (overflow_of_pass.is_set() && width > 1) {
      width /= kFirstPasses;
      next.end = next.begin + width;
      continue;
    }
    EVQ_TRY(std::move(done));
    next = {next.end, next.end + width};
  }
  return passes.complete_all();
}

}  // namespace evq
