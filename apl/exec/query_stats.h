#pragma once
// QueryStats: what a query read, counted by its workers and shown in result footers, `--stats`
// and the status object of API answers. All counters may be bumped from any thread.

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace evq {

struct QueryStats {
  std::atomic<std::uint64_t> blocks_total{0};     // of all datasets read
  std::atomic<std::uint64_t> blocks_examined{0};  // not skipped by time, statistics or filters
  std::atomic<std::uint64_t> blocks_matched{0};   // of those, had at least one surviving row
  std::atomic<std::uint64_t> blocks_cached{0};    // read from the cache of decoded segments
  std::atomic<std::uint64_t> rows_examined{0};
  std::atomic<std::uint64_t> rows_matched{0};  // survived the filters pushed into the scan
  std::atomic<std::uint64_t> groups{0};        // of the last aggregation
  std::atomic<std::int64_t> min_block_time{std::numeric_limits<std::int64_t>::max()};
  std::atomic<std::int64_t> max_block_time{std::numeric_limits<std::int64_t>::min()};
};

// What a scan counts, to be counted once however often it runs.
class CountsOfOneRun {
 public:
  explicit CountsOfOneRun(QueryStats& stats) {
    for (std::atomic<std::uint64_t>* const counter :
         {&stats.blocks_total, &stats.blocks_examined, &stats.blocks_matched, &stats.blocks_cached,
          &stats.rows_examined, &stats.rows_matched}) {
      before_.emplace_back(counter, counter->load());
    }
  }
  // As if nothing had run since.
  void forget() const {
    for (const auto& [counter, count] : before_) {
      counter->store(count);
    }
  }

 private:
  std::vector<std::pair<std::atomic<std::uint64_t>*, std::uint64_t>> before_;
};

}  // namespace evq
