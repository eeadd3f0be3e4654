#pragma once
// QueryStats: what a query read, counted by its workers and shown in result footers, `--stats`
// and the status object of API answers. All counters may be bumped from any thread.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

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

// What scans count while a part of a plan runs, which may turn out to have run in vain: it then
// runs again, and counts once. One thread, while no worker runs.
class CountsOfOneRun {
 public:
  // `stats` must outlive this.
  explicit CountsOfOneRun(QueryStats& stats)
      : counters_{&stats.blocks_total,  &stats.blocks_examined, &stats.blocks_matched,
                  &stats.blocks_cached, &stats.rows_examined,   &stats.rows_matched} {
    for (std::size_t i = 0; i < kCounters; ++i) {
      before_[i] = counters_[i]->load();
    }
  }
  // As if nothing had run since.
  void forget() const {
    for (std::size_t i = 0; i < kCounters; ++i) {
      counters_[i]->store(before_[i]);
    }
  }

 private:
  static constexpr std::size_t kCounters = 6;

  const std::array<std::atomic<std::uint64_t>*, kCounters> counters_;
  std::array<std::uint64_t, kCounters> before_{};
};

}  // namespace evq
