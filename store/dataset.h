#pragma once
// Dataset: the open file of one dataset, shared by everybody in this process who reads or writes
// it, and the place where concurrent writes become one commit.
//
// write() and append() take their job through a GroupCommit (group_commit.h) and return when its
// outcome is known: success is durable. Who waits for its turn gives up when its WaitScope says so;
// a group gives up when all of its members do. A group's rows are encoded together, as one block or
// fresh chunk or as few as their number and types allow, beside the commit of the group before it;
// then all of its jobs are applied in one transaction. When that fails, but for a lock that could
// not be had, and somebody still waits, each job of the group is tried in a transaction of its own,
// so that none takes another along. Any thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/base/limits.h"
#include "store/base/mutex.h"
#include "store/base/wait_scope.h"
#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
#include "store/catalog_definitions.h"
#include "store/column/schema.h"
#include "store/fresh_rows.h"
#include "store/group_commit.h"
#include "store/ingest/builder_pool.h"
#include "store/ingest/options.h"
#include "store/snapshot.h"

namespace evq {

// One change of a dataset. `apply` may run more than once, each time in a fresh transaction of
// which only the last counts; it must not touch anything but the writer and its own results.
struct WriteJob {
  std::function<Status(DatasetWriter&)> apply;
  Room room;  // none: it only takes away
};

// The rows of a small load, and how they are encoded: with those that wait with them.
struct AppendJob {
  const FreshRows* rows = nullptr;
  std::uint32_t block_rows = kBlockRowsMax;
  ThreadPool* pool = nullptr;     // helps to encode when there is much; may be null
  SegmentCache* cache = nullptr;  // takes the rows as well, for their merge; may be null
};

// The fresh chunks of a dataset and their rows, after a commit.
struct FreshCounts {
  std::uint64_t chunks = 0;
  std::uint64_t rows = 0;
};

// The result of an AppendJob.
struct Appended {
  FreshCounts fresh;
  // A block that several jobs share counts for the first of them.
  std::uint32_t blocks_created = 0;
};

// Converts a row of the table of blocks to a block of a snapshot.
SnapshotBlock snapshot_block(const BlockRow& row);
// The schema of a dataset with these fields: see Snapshot::schema().
Schema schema_of(const std::vector<FieldRow>& fields);

// The contents of a snapshot, for one state of the file.
struct Listing {
  std::vector<SnapshotBlock> blocks;  // visible ones, ascending by first_ordinal
  std::vector<FieldRow> fields;
  Schema schema;
  std::uint64_t rows = 0;
  std::uint64_t stored_bytes = 0;
};

class Dataset {
 public:
  static Result<std::shared_ptr<Dataset>> open(std::string name, DatasetFileName file,
                                               const DatabaseOptions& options);

  const std::string& name() const { return name_; }
  std::uint64_t file_id() const { return file_.file_id; }
  std::uint64_t file_key() const { return file_.file_key; }
  // "datasets/7.db", for messages.
  const std::string& file_name() const { return file_name_; }
  Database& database() { return *database_; }

  // Applies and commits the job; durable when it returns success.
  Status write(const WriteJob& job);
  // Stores and commits rows; durable when it returns success.
  Result<Appended> append(const AppendJob& job);

  // The listing of the lease's transaction; kept and shared while the file does not change.
  Result<std::shared_ptr<const Listing>> listing(Connection& connection);
  // Like listing(), but leaves out damaged rows of blocks and fields and adds them to `problems`.
  Result<std::shared_ptr<const Listing>> sound_listing(Connection& connection,
                                                       RowProblems* problems);
  // The pool of batch builders for these options. All pools share one field admission, which holds
  // all loads of this process together to kDatasetFieldsMax fields. Errors as make_event_rules.
  Result<std::shared_ptr<BuilderPool>> builders(const IngestOptions& asked);
  // Takes over the field admission of a load that began before the dataset existed, for later loads
  // to share, unless the dataset has an admission already.
  void share_admission(std::shared_ptr<FieldAdmission> admission);
  // Drops pools and admission, so that later loads read the fields from the file again. For a load
  // that failed or was refused a field: fields may have been admitted that were never stored.
  void renew_builders();

 private:
  struct Pending : GroupCommit::Member {
    explicit Pending(const WriteJob& job) : Member(0), write(&job) {}
    explicit Pending(const AppendJob& job) : Member(job.rows->table.rows), append(&job) {}
    bool gives_up() const override { return !WaitScope::verdict(waiting).ok(); }

    const WriteJob* const write = nullptr;    // this …
    const AppendJob* const append = nullptr;  // … or that
    const WaitScope* const waiting = WaitScope::current();
    Appended done;
    Status status;
    bool decided = false;  // `status` tells the outcome; else the memory ran out before one was
  };
  using Group = std::vector<Pending*>;

  // An encoded block of a group's rows, which begins with those of `first`.
  struct NewBlock {
    Pending* first = nullptr;
    StoredForm form;
    SegmentCache* cache = nullptr;  // of a fresh chunk, if it is kept decoded
    DecodedBlock decoded;           // then
    std::uint64_t id = 0;           // once it is in the file
  };
  using NewBlocks = std::vector<NewBlock>;

  Dataset(std::string name, DatasetFileName file, std::unique_ptr<Database> database);
  Result<std::shared_ptr<FieldAdmission>> admission();
  std::shared_ptr<BuilderPool> find_builders(const IngestOptions& options)
      EVQ_REQUIRES(builders_mutex_);
  Status run(Pending* pending);
  GroupCommit::Commit prepare(const GroupCommit::Group& members);
  static bool is_final(const Group& group, ErrorCode code);
  void commit(const Group& group, Result<NewBlocks> blocks);
  static Result<NewBlocks> encode_rows(const Group& group);
  Status write_for(const Group& group, Result<NewBlocks>& blocks);
  Status write_together(const Group& group, Result<NewBlocks>& blocks);
  Status write_in_transaction(const Group& group, NewBlocks& blocks);
  void keep_decoded(const NewBlocks& blocks) const;

  const std::string name_;
  const DatasetFileName file_;
  const std::string file_name_;
  const std::unique_ptr<Database> database_;

  GroupCommit commits_;
  FieldList fields_;  // after the last commit; the committing group's

  Mutex listing_mutex_;
  Counters listed_ EVQ_GUARDED_BY(listing_mutex_);
  std::shared_ptr<const Listing> listing_ EVQ_GUARDED_BY(listing_mutex_);
  std::shared_ptr<FieldAdmission> admission_ EVQ_GUARDED_BY(listing_mutex_);

  struct Builders {
    IngestOptions options;
    std::shared_ptr<BuilderPool> pool;
  };
  Mutex builders_mutex_;
  std::deque<Builders> builders_ EVQ_GUARDED_BY(builders_mutex_);  // the last used first
  std::uint64_t renewals_ EVQ_GUARDED_BY(builders_mutex_) = 0;
};

Result<Snapshot> take_snapshot(std::shared_ptr<Dataset> dataset,
                               std::shared_ptr<SegmentCache> cache);
Result<Snapshot> take_sound_snapshot(std::shared_ptr<Dataset> dataset,
                                     std::shared_ptr<SegmentCache> cache, const SoundRange& range,
                                     std::vector<std::string>* problems);

}  // namespace evq
