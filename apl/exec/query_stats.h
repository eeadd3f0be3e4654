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
  std::atomic<std::uint64_t> blocks_counted{0};   // not read, but all their rows count
  std::atomic<std::uint64_t> blocks_excluded{0};  // not read, since their statistics say no
  std::atomic<std::uint64_t> blocks_cached{0};    // read from the cache of decoded segments
  std::atomic<std::uint64_t> rows_examined{0};    // of all blocks above
  std::atomic<std::uint64_t> rows_unread{0};      // of these, of blocks that were not read
  std::atomic<std::uint64_t> rows_matched{0};     // survived the filters pushed into the scan
  std::atomic<std::uint64_t> groups{0};           // of the last aggregation
  std::atomic<std::int64_t> min_block_time{std::numeric_limits<std::int64_t>::max()};
  std::atomic<std::int64_t> max_block_time{std::numeric_limits<std::int64_t>::min()};

  // The first nine counters: those that scans bump.
  static constexpr std::size_t kScanCounters = 9;
  using ScanCounts = std::array<std::uint64_t, kScanCounters>;
  std::array<std::atomic<std::uint64_t>*, kScanCounters> scan_counters() {
    return {&blocks_total,  &blocks_examined, &blocks_matched, &blocks_counted, &blocks_excluded,
            &blocks_cached, &rows_examined,   &rows_unread,    &rows_matched};
  }
  ScanCounts kept{};  // counts of what does not run again: see CountsOfOneRun
};

// The scans' counts of one run of a part of a plan. When that turns out to have run in vain, it
// runs again and must count once only. They may nest. One thread, while no worker runs.
class CountsOfOneRun {
 public:
  // `stats` must outlive this.
  explicit CountsOfOneRun(QueryStats& stats) : stats_(stats), kept_(stats.kept) {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      before_[i] = stats.scan_counters()[i]->load();
    }
  }
  // Takes back what was counted since construction, but for what was kept.
  void forget() const {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      stats_.scan_counters()[i]->store(before_[i] + stats_.kept[i] - kept_[i]);
    }
  }
  // Keeps what was counted since construction, even if an enclosing run is forgotten.
  void keep() const {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      stats_.kept[i] = kept_[i] + stats_.scan_counters()[i]->load() - before_[i];
    }
  }

 private:
  QueryStats& stats_;
  QueryStats::ScanCounts before_{};
  const QueryStats::ScanCounts kept_;  // stats.kept at construction
};

}  // namespace evq
