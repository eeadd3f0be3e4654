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

// What is known of a scan before its first block.
struct PreparedScan {
  Executor& executor;
  const plan::Scan& node;
  std::vector<std::vector<std::size_t>> filter_columns{};  // columns each filter reads
  std::vector<SearchedColumns> searched_columns{};         // of each filter
  std::vector<std::size_t> last_filter{};  // by column: the last filter that reads it, + 1
  bool counts_only = false;                // no column's values come out
  std::vector<bool> costly{};              // filters: those that search in texts
  bool last_rows_first = false;            // where a block's rows come some at a time
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
  // Filter number `index` of the scan. What filters say by dictionary entries is gathered in the
  // mask; the others, and costly ones when there are few, see only the rows that are left.
  Status apply(std::size_t index);
  // The rows that are left, all at once or, where they have very many columns or very long texts,
  // some at a time; an empty chunk when there are no more.
  Result<Chunk> next(std::uint64_t sequence);

 private:
  // The columns that filter `index` reads; a null where search cannot find anything.
  Status load_for(std::size_t index);
  // Their values are read, and asked, for less than all entries of a dictionary.
  bool has_few_left() const;
  // Whether a filter is evaluated entry by entry of one dictionary: then all rows cost no more than
  // some of them. Asked before the filter's columns are loaded.
  bool is_by_entries(std::size_t index) const;

  void apply_mask();
  // `kept` numbers rows of the current selection.
  void narrow(RowList kept);
  // Whether a value of the column may have the terms of one of the searches that read it.
  Result<bool> may_have_terms(std::size_t column, const std::vector<SharedTerms>& searches);
  // So many that what is not loaded yet stays within kScannedBytesMax.
  Status settle_rows_at_once();
  // Rows [begin, begin + count) of those that are left.
  Result<Vector> slice(std::size_t column, std::size_t begin, std::size_t count);

  std::string_view stored_field(std::size_t column) const;
  Result<Vector> read(std::string_view field);
  // What the column takes as it is stored, and, unless few rows are wanted, all its rows decoded,
  // before they are. Their texts stay while any row does; the stored bytes, while the block is
  // read.
  Status charge(std::string_view field, bool sparse);
  Vector locations() const;

  const PreparedScan& scan_;
  StoredBlock& block_;
  std::uint32_t block_index_;
  // By column of the scan: its values in the rows that are left, once they are loaded. Before, a
  // filter may have found there the nulls of load_for().
  std::vector<Vector> columns_;
  std::vector<bool> loaded_;
  bool all_ = true;  // of the block's rows are left; else rows_, ascending
  RowList rows_;
  std::optional<std::size_t> counted_;  // in place of both, when only their number is wanted
  std::size_t filters_done_ = 0;
  std::size_t rows_at_once_ = 0;     // of a chunk that next() gives
  std::size_t given_ = 0;            // rows of those chunks
  std::size_t held_bytes_ = 0;       // of columns, as charge() counts them
  const std::size_t uncharged_max_;  // of these, what the lease is not asked for
  MemoryLease lease_;
  RowMask mask_;  // of the current rows, from filters whose verdict was not applied yet
};

}  // namespace evq
