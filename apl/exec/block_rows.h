#pragma once
// The rows of one block that a scan reads: its filters run first, each over the rows that the ones
// before it left, and other columns are decoded for the rows that are left only.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "apl/exec/eval.h"
#include "apl/exec/executor.h"
#include "apl/exec/kept_keys.h"
#include "apl/exec/pruning.h"
#include "store/snapshot.h"

namespace evq {

// What holds for all blocks of a scan.
struct PreparedScan {
  Executor& executor;
  const plan::Scan& node;
  std::vector<std::vector<std::size_t>> filter_columns{};  // columns each filter reads
  std::vector<SearchedColumns> searched_columns{};         // of each filter
  std::vector<std::size_t> last_filter{};  // by column: the last filter that reads it, + 1
  bool counts_only = false;                // no column's values come out
  std::vector<bool> costly{};              // filters: those that search in texts
  bool last_rows_first = false;            // next() takes a block's rows from its end on
};
PreparedScan prepare_scan(Executor& executor, const plan::Scan& node);

// The rows of one block that are still wanted, and the columns read for them so far.
class BlockRows {
 public:
  BlockRows(const PreparedScan& scan, StoredBlock& block, std::uint32_t block_index);

  std::size_t size() const;
  // Reads a column for the rows that are left.
  Status load(std::size_t column);
  // Drops rows outside the closed range; a block's rows are sorted by time.
  Status keep_times(std::int64_t min, std::int64_t max);
  // Drops rows that arrived outside the range.
  Status keep_arrivals(std::uint64_t from, std::uint64_t before);
  // Drops rows that have none of the keys, before other columns are read.
  Status keep_keys(const KeptKeys& kept);
  // Applies filter `index` of the scan. Filters that are evaluated by dictionary entry gather their
  // verdicts in the mask; others, and costly ones when few rows are left, see only the rows left.
  Status apply(std::size_t index);
  // Returns the rows that are left, all at once or, where they have very many columns or very long
  // texts, some at a time; an empty chunk when there are no more.
  Result<Chunk> next(std::uint64_t sequence);

 private:
  // Loads the columns that filter `index` reads; one in which its searches find nothing becomes
  // null.
  Status load_for(std::size_t index);
  // Whether so few rows are left that reading their values costs less than a dictionary's entries.
  bool has_few_left() const;
  // Whether a filter is evaluated entry by entry of one dictionary: then all rows cost no more than
  // some of them. Asked before the filter's columns are loaded.
  bool is_by_entries(std::size_t index) const;

  void apply_mask();
  // Keeps only the rows `kept`, which are numbers within the current selection.
  void narrow(RowList kept);
  // Whether a value of the column may have the terms of one of the searches that read it.
  Result<bool> may_have_terms(std::size_t column, const std::vector<SharedTerms>& searches);
  // Sets how many rows next() gives at once: columns not loaded yet must fit kScannedBytesMax.
  Status settle_rows_at_once();
  // Reads a column for rows [begin, begin + count) of the current selection.
  Result<Vector> slice(std::size_t column, std::size_t begin, std::size_t count);

  std::string_view stored_field(std::size_t column) const;
  Result<Vector> read(std::string_view field);
  // Charges a column before it is read: its stored bytes and, unless `sparse`, an estimate of all
  // its rows decoded. Decoded texts live as long as any row of them, stored bytes until the block
  // is done.
  Status charge(std::string_view field, bool sparse);
  Vector locations() const;

  const PreparedScan& scan_;
  StoredBlock& block_;
  std::uint32_t block_index_;
  // By column of the scan: its values in the rows that are left, once they are loaded. Before, a
  // filter may have found there the nulls of load_for().
  std::vector<Vector> columns_;
  std::vector<bool> loaded_;
  bool all_ = true;  // all of the block's rows are left; else rows_, ascending
  RowList rows_;
  std::optional<std::size_t> counted_;  // replaces both when only their number is wanted
  std::size_t filters_done_ = 0;
  std::size_t rows_at_once_ = 0;     // rows of a chunk that next() gives
  std::size_t given_ = 0;            // rows that next() has given
  std::size_t held_bytes_ = 0;       // bytes of columns, as charge() counts them
  const std::size_t uncharged_max_;  // bytes that the lease is not asked for
  MemoryLease lease_;
  RowMask mask_;  // over the current rows: verdicts of filters that were not applied yet
};

}  // namespace evq
