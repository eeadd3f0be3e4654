#pragma once
// Store: the directory that holds everything, and the only door to it for the layers above.
//
//   DIR/catalog.db            datasets, saved queries, tokens, settings (definitions.h)
//   DIR/datasets/<id>.db      one SQLite file a dataset: blocks, segments, fresh chunks, fields
//   DIR/….lock                side files that processes lock around every write and checkpoint, and
//                             where they note how far the write-ahead file is acknowledged
//
// What is promised: a call that returned success is durable (fsynced); a call that failed or was
// killed left nothing or, for streams, a prefix in whole batches. Any number of processes may use
// one store at once. Readers do not wait for writers, but for a moment where a file may have lost
// commits to a crash. Writers of one dataset take turns. After an I/O error during a commit the
// store refuses further writes until reopened.
//
// All methods may be called from any thread. Errors: kNotFound for a missing dataset, kUsage for
// a bad name, kDiskFull, kIo, kCorrupt (file and block in the message), kUnavailable when a lock
// could not be had in time, kCancelled and kTimeout from the control, and from the caller's
// WaitScope where a call has to wait for a lock.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/limits.h"
#include "store/base/result.h"
#include "store/definitions.h"
#include "store/ingest/options.h"
#include "store/ingest/stream.h"
#include "store/row_id.h"
#include "store/snapshot.h"

namespace evq {

struct StoreOptions {
  std::string directory;
  bool create = true;  // false: a missing directory is kNotFound
  // Decoded segments kept across queries, and rows of small loads until they are merged; 0 = none.
  std::size_t cache_bytes = 0;
  std::size_t cache_bytes_grown = 0;         // what that may grow to with large datasets
  std::uint32_t block_rows = kBlockRowsMax;  // rows of a full block; tests use less
  // Datasets that stay open when nobody uses them; tests use less.
  std::size_t open_datasets_max = kOpenDatasetsMax;
  ThreadPool* pool = nullptr;  // encodes columns in parallel when given; must outlive the store
  // True when somebody calls maintain() regularly (a server): loads then leave sealing to that.
  bool background_upkeep = false;
  std::string vfs;  // name of a registered SQLite VFS; empty = the system's
  // For a store that is deleted after use: nothing is synced. kConflict where there is a store
  // already, so that none that somebody keeps is ever written like this.
  bool scratch = false;
};

struct DatasetStats {
  std::uint64_t rows = 0;
  std::uint64_t blocks = 0;  // sealed
  std::uint64_t fresh_chunks = 0;
  std::uint64_t fresh_rows = 0;
  std::uint64_t queued_blocks = 0;  // deleted, not yet reaped; their rows are not counted
  std::uint64_t raw_bytes = 0;      // of input, before compression
  std::uint64_t stored_bytes = 0;   // of blocks and chunks, compressed
  std::uint64_t file_bytes = 0;     // of the file and its write-ahead file
  std::optional<std::int64_t> min_time;
  std::optional<std::int64_t> max_time;
};

// One field of a dataset as `evq dataset fields` and the API show it.
struct FieldInfo {
  std::string name;
  Type type = Type::kNull;  // common type of all values seen
  std::vector<Type> types_seen;
  FieldAttributes attributes;
};

struct IngestReport;

// One load of events. `options.batch_rows_max` is lowered to the store's block_rows.
struct IngestRequest {
  IngestOptions options;
  // Commits all good events in one transaction at the end (an HTTP request), or batches in order as
  // they are ready (the command line). An atomic load keeps its compressed blocks in memory.
  bool atomic = false;
  // Spreads the work over the store's threads; otherwise the caller's thread does it all, which
  // costs least where the loads are small and many run at once.
  bool parallel = true;
  // Whether a cancelled load first stores what it has read whole; not if it is atomic.
  bool keeps_read = false;
  // The state at the source's first byte when it continues an input (input_before.h), which must
  // outlive the load; null when it begins one.
  const InputBefore* before = nullptr;
  // `reject` and `committed` are called by one thread at a time, in input order, while the caller's
  // thread may be reading the source.
  RejectSink reject;                    // may be empty
  std::function<std::int64_t()> clock;  // wall time, ns; empty: the system's
  // Called after each durable commit; may be empty. For progress and resuming.
  std::function<void(const IngestCounts&)> committed;
  // Set to what the load has stored, even when it fails. May be null, as a server leaves it.
  IngestReport* so_far = nullptr;
};

struct IngestReport {
  IngestCounts counts;
  std::uint32_t blocks_created = 0;  // sealed blocks
  // Fresh chunks of the dataset that wait to be sealed, after the merges that were due.
  std::uint32_t fresh_chunks = 0;
  std::uint64_t fresh_rows = 0;  // in them
};

// The answer of a RowFilter about one block. `remove` asks from one thread at a time.
struct BlockMatch {
  std::uint64_t rows = 0;  // matching rows; 0 leaves the block alone
  std::int64_t first_time = 0;
  std::int64_t last_time = 0;
};
class RowFilter {
 public:
  virtual ~RowFilter() = default;
  // False when the block's times alone show that it cannot match.
  virtual bool may_match(const SnapshotBlock& block) const = 0;
  // True when the block's times alone show that every row matches: then match() is not called, and
  // the block may be damaged.
  virtual bool matches_whole(const SnapshotBlock& /*block*/) const { return false; }
  // Counts the rows that match; the implementation prunes by statistics and decodes what it needs.
  virtual Result<BlockMatch> match(StoredBlock& block) const = 0;
  // False when the filter was made for fields of other types and cannot read this schema's.
  virtual bool fits(const Schema& /*schema*/) const { return true; }
};

enum class Removal : std::uint8_t {
  kDryRun,  // only told
  kCommit,
};
struct RemoveReport {
  std::uint64_t rows_matched = 0;
  std::uint64_t rows_deleted = 0;  // every row of the blocks with a match (dry run: would be)
  std::uint64_t blocks_deleted = 0;
  std::optional<std::int64_t> first_matched_time;
  std::optional<std::int64_t> last_matched_time;
  // Blocks that the filter cannot read because of damage; they are left alone. `damage`: the first.
  std::uint64_t blocks_damaged = 0;
  Status damage;
};

enum class Maintenance : std::uint8_t {
  kDue,   // what should not wait; merging small blocks is due once nobody has written for some
          // seconds
  kFull,  // all there is, as `evq compact` does it
};

struct CheckProblem {
  std::string file;  // relative to the store's directory
  std::optional<BlockId> block;
  std::string message;
};
struct CheckReport {
  std::uint64_t files = 0;
  std::uint64_t blocks = 0;
  std::uint64_t segments = 0;
  std::uint64_t rows = 0;
  std::vector<CheckProblem> problems;
};

struct BackupReport {
  std::uint64_t datasets = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // of its files
};
// Called now and then with the bytes copied so far and the approximate total.
using BackupProgress = std::function<void(std::uint64_t bytes, std::uint64_t bytes_total)>;

// Changes the attributes of a field. Called inside the transaction that stores them, perhaps more
// than once, each time with the ones stored then.
using FieldChange = std::function<void(FieldAttributes* attributes)>;

class Store {
 public:
  // Opens, creating the directory when allowed. Touches no dataset. Network file systems are
  // refused (kUnsupported): the locks and the write-ahead file cannot be trusted there.
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options);
  // Checkpoints what this process wrote; errors are ignored here, nothing is lost by them.
  virtual ~Store() = default;

  virtual Definitions& definitions() = 0;
  // Removes definition and file; snapshots already taken stay readable.
  virtual Status drop_dataset(std::string_view dataset) = 0;
  // The same where the row of the dataset in the catalog may be damaged, which the above refuses
  // with kCorrupt. False: which file holds its events could not be told, and it stays; check()
  // names it.
  virtual Result<bool> drop_damaged_dataset(std::string_view dataset) = 0;
  // Sums up the dataset's table of blocks; deleted ones count in queued_blocks alone.
  virtual Result<DatasetStats> stats(std::string_view dataset) = 0;
  // Lists every field that the dataset ever had, even without events now, by first appearance.
  virtual Result<std::vector<FieldInfo>> fields(std::string_view dataset) = 0;
  // Reads, changes and stores a field's attributes in one transaction; returns what was stored.
  // kNotFound without such a field.
  virtual Result<FieldAttributes> change_field(std::string_view dataset, std::string_view field,
                                               const FieldChange& change) = 0;

  // Takes the committed state, which stays as it is while held, whatever is written or deleted.
  // kCorrupt when the row of any block is damaged; a block's own damage shows when it is read.
  virtual Result<Snapshot> snapshot(std::string_view dataset) = 0;
  // Like snapshot(), without damaged blocks, each of which `problems` names with its file.
  virtual Result<Snapshot> sound_snapshot(std::string_view dataset, const SoundRange& range,
                                          std::vector<std::string>* problems) = 0;

  // Reads `source` (already decoded: decoded_source) to its end and stores its events. The dataset
  // is created when it does not exist. When the call fails, a load that is not atomic has kept
  // the batches that `committed` was told about. Concurrent loads share commits.
  virtual Result<IngestReport> ingest(std::string_view dataset, ByteSource& source,
                                      const IngestRequest& request, QueryControl& control) = 0;
  // Finds the blocks with a matching row. With Removal::kCommit they are deleted, whole and
  // durably, before this returns; a dry run only reports them. Blocks of events that arrive later
  // are not looked at. kConflict when the filter no longer fits the dataset's schema; nothing was
  // removed then.
  virtual Result<RemoveReport> remove(std::string_view dataset, const RowFilter& doomed,
                                      Removal removal, QueryControl& control) = 0;
  // Removes whole blocks whose newest event is older than `before`; returns the rows removed.
  // Freeing their space ends when `control` stops, and is left to upkeep then.
  virtual Result<std::uint64_t> trim(std::string_view dataset, std::int64_t before,
                                     QueryControl& control) = 0;
  // One round of upkeep: seals fresh chunks and merges small blocks, frees the space of deleted
  // blocks, checkpoints.
  virtual Status maintain(std::string_view dataset, Maintenance maintenance,
                          QueryControl& control) = 0;
  // Closes the files of datasets that are idle, if they are many, and of those that are gone, which
  // take room on the disk until then. For a server, after each round of upkeep.
  virtual void close_unused() = 0;
  // Copies the store while it is in use into the folder `target`, which is made (kConflict when it
  // is there and not empty) and is a store when this returns, durably: each dataset, and the
  // catalog, as of one instant since the call. When it fails there is none. kNotFound for a store
  // without a catalog, kCorrupt for a dataset that has lost commits or its counters; other damage
  // is copied as it is. `progress` may be empty.
  virtual Result<BackupReport> back_up(const std::string& target, const BackupProgress& progress,
                                       QueryControl& control) = 0;
  // Verifies every checksum and invariant of every file; problems are in the report, not errors.
  virtual Result<CheckReport> check(QueryControl& control) = 0;
};

}  // namespace evq
