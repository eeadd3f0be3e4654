#pragma once
// Snapshot: what a dataset held at one instant, and StoredBlock: one block of it being read.
//
// A snapshot is an immutable list of blocks and one schema, read in a single transaction which
// stays open for the snapshot's life: whatever other threads and processes write, seal, merge or
// delete meanwhile, every block of the list stays readable and no event is seen twice or lost.
// Fresh chunks (committed, not yet sealed) are blocks of the list like any other; queued (deleted)
// blocks are not in it. Because an open read transaction keeps the write-ahead file from being
// reset, a snapshot must not outlive the work on its blocks: a server keeps the rows of its answers
// and sends them when the snapshot is gone. The command line writes rows while it reads them.
//
// Making a snapshot reads one row a block and one a field, never headers or segments.
// A Snapshot may be used by any number of threads at once; a StoredBlock by one at a time.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/column/schema.h"
#include "store/column/vector.h"
#include "store/row_id.h"

namespace evq {

class BlockReader;     // store/block/block_reader.h
class BlockTest;       // store/block/block_filter.h
struct BlockHeader;    // store/block/format.h
class Dataset;         // store/dataset.h
class SegmentCache;    // store/segment_cache.h
class SnapshotSource;  // snapshot.cpp: the pinned transaction and the segment cache

using BlockId = std::uint64_t;  // unique in its dataset for ever, fresh chunks included

struct SnapshotBlock {
  BlockId id = 0;
  std::uint32_t rows = 0;
  bool fresh = false;          // a chunk not yet sealed into a full block
  bool ordinals_dense = true;  // row r has ordinal first_ordinal + r; else read kOrdinalField
  std::uint64_t first_ordinal = 0;
  std::uint64_t ordinal_end = 0;  // beyond every ordinal of the block
  std::int64_t min_time = 0;
  std::int64_t max_time = 0;
  std::int64_t min_sys_time = 0;
  std::int64_t max_sys_time = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;  // of the input these rows came from
  std::uint32_t columns = 0;
  std::uint64_t payload_sum = 0;  // checksum of the header, or of a fresh chunk's head
};

// The hidden column of a block whose ordinals are not dense: long, absolute ordinals. Never in a
// schema; input fields of this name are renamed before they get here.
inline constexpr std::string_view kOrdinalField = "_rowID";

// Whether a block's header is what its row promised, and has the times, the arrival times, and the
// ordinals when they are not dense, without nulls and of the types that readers take for granted.
// kCorrupt when it is not: nothing may be taken for granted of its columns then.
Status check_against_row(const BlockHeader& header, const SnapshotBlock& row);

// One block opened for reading. Rows are in (_time, ordinal) order.
class StoredBlock {
 public:
  StoredBlock(StoredBlock&&) noexcept;
  StoredBlock& operator=(StoredBlock&&) noexcept;
  ~StoredBlock();

  const SnapshotBlock& info() const { return info_; }
  std::uint32_t rows() const { return info_.rows; }

  // The column reader with the block's header: per-column statistics, filters, typed decode.
  BlockReader& reader() { return *reader_; }

  // All rows of `field`, decoded, through the store's cache of decoded segments. The type is the
  // block's own (see Vector::widen to reach the schema's); a block without the field gives a
  // constant null.
  Result<Vector> column(std::string_view field);
  // Like column(), for an ascending list of rows: decodes no more than they need, unless the column
  // is cached. One that is asked for again is decoded whole and cached.
  Result<Vector> column_rows(std::string_view field, std::span<const std::uint32_t> rows);
  // Like column(), for rows [begin, begin + count): decodes no more than these and caches nothing.
  Result<Vector> column_range(std::string_view field, std::size_t begin, std::size_t count);
  // Converts values of this block to their field's type in the schema. kCorrupt when values of
  // their type cannot be of that one.
  Result<Vector> widened(const Vector& values, Type wanted) const;
  // Whether rows may match (store/block/block_filter.h), and whether texts of the header's column
  // number `column` may have the terms.
  Result<bool> may_match(const BlockTest& test);
  Result<bool> may_have_terms(std::size_t column, const std::vector<std::string>& terms);
  // Whether a column was read, and all that was read of columns so far came from the cache.
  bool came_from_cache() const;
  // The ordinals of all rows, as longs.
  Result<Vector> ordinals();
  // `error` of reader(), with the file and block put in front when bytes are damaged.
  Error located(Error error) const;

 private:
  friend class Snapshot;
  StoredBlock(SnapshotBlock info, std::shared_ptr<SnapshotSource> source,
              std::unique_ptr<BlockReader> reader);

  SnapshotBlock info_;
  std::shared_ptr<SnapshotSource> source_;
  std::unique_ptr<BlockReader> reader_;
  bool found_decoded_ = false;  // a column
};

// The times whose blocks take_sound_snapshot() verifies, by reading every part of each. It does not
// look at the blocks outside.
struct SoundRange {
  std::int64_t min_time = 0;
  std::int64_t max_time = 0;
  const QueryControl& control;
};

class Snapshot {
 public:
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  // `_time`, `_sysTime` (both datetime), then the fields in order of first appearance, each with
  // the common type of all its values ever stored; a field only ever null has type null.
  const Schema& schema() const;
  // The fields of longs of which some are so large that they may be no reals.
  std::vector<std::string> wide_longs() const;
  // Ascending by first_ordinal, that is by arrival.
  std::span<const SnapshotBlock> blocks() const;
  std::uint64_t rows() const;
  // Beyond every ordinal of the snapshot: rows committed later have this one or a higher one.
  std::uint64_t ordinal_end() const;
  // The least and greatest `_time` of all blocks; nothing in an empty dataset.
  std::optional<std::int64_t> min_time() const;
  std::optional<std::int64_t> max_time() const;

  // Reads and verifies the header of one block of blocks(). kCorrupt names file and block.
  Result<StoredBlock> open(const SnapshotBlock& block) const;

 private:
  friend Result<Snapshot> take_snapshot(std::shared_ptr<Dataset> dataset,
                                        std::shared_ptr<SegmentCache> cache);
  friend Result<Snapshot> take_sound_snapshot(std::shared_ptr<Dataset> dataset,
                                              std::shared_ptr<SegmentCache> cache,
                                              const SoundRange& range,
                                              std::vector<std::string>* problems);
  struct State;
  explicit Snapshot(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

}  // namespace evq
