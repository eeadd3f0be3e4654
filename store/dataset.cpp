#include "store/dataset.h"

#include <algorithm>
#include <utility>

#include "store/base/check.h"
#include "store/block/format.h"
#include "store/stored_form.h"

namespace evq {

namespace {

// Kinds of loads (options, labels) whose builders are kept.
constexpr std::size_t kBuilderPoolsMax = 4;

// With `problems`, without what is damaged of the lists of blocks and fields.
Result<std::shared_ptr<Listing>> read_listing(Connection& connection, const Counters& counters,
                                              RowProblems* problems = nullptr) {
  auto listing = std::make_shared<Listing>();
  EVQ_TRY_ASSIGN(const std::vector<BlockRow> rows, read_blocks(connection, counters, problems));
  EVQ_TRY_ASSIGN(listing->fields, read_fields(connection, counters, problems));
  for (const BlockRow& row : rows) {
    if (row.state != BlockState::kQueued) {
      listing->blocks.push_back(snapshot_block(row));
      listing->rows += row.rows;
      listing->stored_bytes += row.stored_bytes;
    }
  }
  std::ranges::stable_sort(listing->blocks, {}, &SnapshotBlock::first_ordinal);
  listing->schema = schema_of(listing->fields);
  return listing;
}

}  // namespace

// `_time` and `_sysTime` are there even before the first event.
Schema schema_of(const std::vector<FieldRow>& rows) {
  std::vector<Field> fields = {{std::string(kTimeField), Type::kDatetime},
                               {std::string(kSysTimeField), Type::kDatetime}};
  for (const FieldRow& row : rows) {
    if (row.name != kTimeField && row.name != kSysTimeField && row.name != kOrdinalField) {
      fields.push_back({row.name, type_of_set(row.types)});
    }
  }
  return Schema(std::move(fields));
}

SnapshotBlock snapshot_block(const BlockRow& row) {
  SnapshotBlock block;
  block.id = row.id;
  block.rows = row.rows;
  block.fresh = row.state == BlockState::kFresh;
  block.ordinals_dense = row.dense;
  block.first_ordinal = row.first_ordinal;
  block.ordinal_end = row.ordinal_end;
  block.min_time = row.min_time;
  block.max_time = row.max_time;
  block.min_sys_time = row.min_sys_time;
  block.max_sys_time = row.max_sys_time;
  block.stored_bytes = row.stored_bytes;
  block.raw_bytes = row.raw_bytes;
  block.columns = row.segments;
  block.payload_sum = row.payload_sum;
  return block;
}

Dataset::Dataset(std::string name, DatasetFileName file, std::unique_ptr<Database> database)
    : name_(std::move(name)),
      file_(file),
      file_name_(dataset_file(file.file_id)),
      database_(std::move(database)),
      commits_([this](const GroupCommit::Group& members) { return prepare(members); }) {}

Result<std::shared_ptr<Dataset>> Dataset::open(std::string name, DatasetFileName file,
                                               const DatabaseOptions& options) {
  DatabaseOptions existing = options;
  existing.may_be_new = false;  // its making ended before the catalog named it
  Result<std::unique_ptr<Database>> database = Database::open(existing, dataset_schema());
  if (!database.ok() && database.error().code == ErrorCode::kNotFound) {
    return make_error(ErrorCode::kCorrupt,
                      options.path + ": the file of dataset '" + name + "' is missing",
                      "restore it from a backup, or delete the dataset");
  }
  if (!database.ok()) {
    return std::move(database).take_error();
  }
  return std::shared_ptr<Dataset>(new Dataset(std::move(name), file, std::move(database).value()));
}

// ---------------------------------------------------------------- group commit

Status Dataset::write(const WriteJob& job) {
  Pending pending(job);
  return run(&pending);
}

Result<Appended> Dataset::append(const AppendJob& job) {
  Pending pending(job);
  EVQ_TRY(run(&pending));
  return pending.done;
}

Status Dataset::run(Pending* pending) {
  if (!commits_.run(pending)) {
    EVQ_TRY(WaitScope::check(database_->path()));
    return make_error(ErrorCode::kCancelled, database_->path() + ": nobody waits any more");
  }
  if (!pending->decided) {
    return make_error(ErrorCode::kUnavailable, file_name_ + ": the memory ran out during a commit");
  }
  return std::move(pending->status);
}

GroupCommit::Commit Dataset::prepare(const GroupCommit::Group& members) {
  Group group;
  group.reserve(members.size());
  for (GroupCommit::Member* member : members) {
    group.push_back(static_cast<Pending*>(member));
  }
  Result<NewBlocks> blocks = encode_rows(group);
  return [this, group = std::move(group), blocks = std::move(blocks)]() mutable {
    commit(group, std::move(blocks));
  };
}

// Whether members by themselves would fare no better: a lock that could not be had would keep each
// waiting as long again, and for those who have all given up nobody waits.
bool Dataset::is_final(const Group& group, ErrorCode code) {
  if (code == ErrorCode::kCancelled || code == ErrorCode::kTimeout) {
    return std::ranges::all_of(group, &Pending::gives_up);
  }
  return code == ErrorCode::kUnavailable;
}

// A job that fails must not take others down: then each gets a transaction of its own. After an
// I/O error the database takes no more writes, and all of them say so. When the memory runs out
// nobody knows how far the commit came, so nothing is tried again.
void Dataset::commit(const Group& group, Result<NewBlocks> blocks) {
  Status together = write_for(group, blocks);
  const bool written = together.ok();
  if (written || group.size() == 1 || is_final(group, together.error().code)) {
    for (Pending* member : group) {
      if (!written) {
        member->status = Error(together.error());
      }
      member->decided = true;
    }
    if (written) {
      keep_decoded(*blocks);
    }
    return;
  }
  for (Pending* member : group) {
    Result<NewBlocks> own = encode_rows({member});
    member->status = write_for({member}, own);
    member->decided = true;
    if (member->status.ok()) {
      keep_decoded(*own);
    }
  }
}

// The rows of the group, each load's in the first that takes them.
Result<Dataset::NewBlocks> Dataset::encode_rows(const Group& group) {
  struct Joined {
    Pending* first;
    JoinedRows rows;
  };
  std::vector<Joined> joined;
  for (Pending* member : group) {
    if (const AppendJob* job = member->append; job != nullptr) {
      const auto takes = [&](Joined& other) { return other.rows.add(*job->rows); };
      if (std::ranges::none_of(joined, takes)) {
        const bool taken =
            joined.emplace_back(Joined{member, JoinedRows(job->block_rows)}).rows.add(*job->rows);
        EVQ_CHECK(taken);
      }
    }
  }
  NewBlocks encoded;
  for (const auto& [first, rows] : joined) {
    SegmentCache* const cache = first->append->cache;
    const bool kept = cache != nullptr && !cache->keeps_nothing() && !rows.is_block();
    NewBlock made;
    made.first = first;
    made.cache = kept ? cache : nullptr;
    EVQ_TRY_ASSIGN(made.form, rows.encode(first->append->pool, kept ? &made.decoded : nullptr));
    encoded.push_back(std::move(made));
  }
  return encoded;
}

// Whoever leads waits for all of the group: while one of them does.
Status Dataset::write_for(const Group& group, Result<NewBlocks>& blocks) {
  const WaitScope scope([&group] {
    Status told;
    for (const Pending* member : group) {
      told = WaitScope::verdict(member->waiting);
      if (told.ok()) {
        break;
      }
    }
    return told;
  });
  return write_together(group, blocks);
}

// In one transaction, if they were encoded.
Status Dataset::write_together(const Group& group, Result<NewBlocks>& blocks) {
  if (!blocks.ok()) {
    return std::move(blocks).take_error();
  }
  const WriteJob* const first = group.front()->write;
  const bool takes_away = group.size() == 1 && first != nullptr && first->room.is_none();
  const auto attempt = [&] { return write_in_transaction(group, *blocks); };
  if (takes_away) {
    return database_->with_reserve(attempt);
  }
  Status done = attempt();
  const bool full = !done.ok() && done.error().code == ErrorCode::kDiskFull;
  // Loads go on at once; what else is written comes again by itself, or its caller is there to see.
  return full && database_->empty_log() && first == nullptr ? attempt() : std::move(done);
}

Status Dataset::write_in_transaction(const Group& group, NewBlocks& blocks) {
  Room room;
  for (const NewBlock& block : blocks) {
    room += Room::for_bytes(block.form.size_bytes());
  }
  for (const Pending* member : group) {
    room += member->write != nullptr ? member->write->room : Room::none();
  }
  EVQ_TRY_ASSIGN(WriteLock lock, database_->begin_write(room));
  EVQ_TRY_ASSIGN(DatasetWriter writer,
                 DatasetWriter::begin(lock.connection(), file_key(), std::exchange(fields_, {})));
  for (const Pending* member : group) {
    if (member->write != nullptr) {
      EVQ_TRY(member->write->apply(writer));
    }
  }
  for (NewBlock& block : blocks) {
    EVQ_TRY(insert_form(writer, block.form, &block.id));
  }
  for (Pending* member : group) {
    member->done = {{writer.counters().fresh_count, writer.counters().fresh_rows}, 0};
  }
  for (const NewBlock& block : blocks) {
    block.first->done.blocks_created += block.form.row.state == BlockState::kStored ? 1 : 0;
  }
  EVQ_TRY(writer.finish());
  EVQ_TRY(lock.commit());
  fields_ = std::move(writer).take_fields();
  return {};
}

// After the commit, and when everybody's outcome is decided: its memory is not theirs to miss.
void Dataset::keep_decoded(const NewBlocks& blocks) const {
  for (const NewBlock& block : blocks) {
    if (block.cache != nullptr) {
      block.cache->put_block(file_id(), block.id, block.decoded);
    }
  }
}

// ---------------------------------------------------------------- listing

Result<std::shared_ptr<const Listing>> Dataset::listing(Connection& connection) {
  EVQ_TRY_ASSIGN(const Counters counters, read_counters(connection, file_key()));
  {
    const MutexLock lock(listing_mutex_);
    const bool same = listing_ != nullptr && listed_.block_count == counters.block_count &&
                      listed_.block_sums == counters.block_sums &&
                      listed_.field_count == counters.field_count &&
                      listed_.field_sums == counters.field_sums;
    if (same) {
      return listing_;
    }
  }
  EVQ_TRY_ASSIGN(const std::shared_ptr<const Listing> listing, read_listing(connection, counters));
  const MutexLock lock(listing_mutex_);
  listed_ = counters;
  listing_ = listing;
  return listing;
}

Result<std::shared_ptr<const Listing>> Dataset::sound_listing(Connection& connection,
                                                              RowProblems* problems) {
  EVQ_TRY_ASSIGN(const Counters counters, read_counters(connection, file_key()));
  RowProblems found;
  EVQ_TRY_ASSIGN(const std::shared_ptr<const Listing> listing,
                 read_listing(connection, counters, &found));
  for (const std::string& problem : found) {
    problems->push_back(file_name_ + ": " + problem);
  }
  return listing;
}

Result<std::shared_ptr<FieldAdmission>> Dataset::admission() {
  {
    const MutexLock lock(listing_mutex_);
    if (admission_ != nullptr) {
      return admission_;
    }
  }
  EVQ_TRY_ASSIGN(ReadLease lease, database_->begin_read());
  EVQ_TRY_ASSIGN(const std::shared_ptr<const Listing> now, listing(lease.connection()));
  std::vector<std::string> known;
  for (const Field& field : now->schema.fields()) {  // the times as well, before the first event
    known.push_back(field.name);
  }
  const MutexLock lock(listing_mutex_);
  if (admission_ == nullptr) {
    admission_ = make_field_admission(known);
  }
  return admission_;
}

// ---------------------------------------------------------------- builders

Result<std::shared_ptr<BuilderPool>> Dataset::builders(const IngestOptions& asked) {
  IngestOptions options = asked;
  options.written_ns.reset();  // builders are told with each event: all files share them
  std::uint64_t renewals = 0;
  {
    const MutexLock lock(builders_mutex_);
    if (std::shared_ptr<BuilderPool> known = find_builders(options)) {
      return known;
    }
    renewals = renewals_;
  }
  EVQ_TRY_ASSIGN(std::shared_ptr<FieldAdmission> admission, this->admission());
  EVQ_TRY_ASSIGN(const auto rules, make_event_rules(options, std::move(admission)));
  auto pool = std::make_shared<BuilderPool>(rules);
  const MutexLock lock(builders_mutex_);
  if (std::shared_ptr<BuilderPool> known = find_builders(options)) {
    return known;
  }
  if (renewals != renewals_) {
    return pool;  // for this load alone: what it admits may be what was before
  }
  builders_.push_front({options, pool});
  if (builders_.size() > kBuilderPoolsMax) {
    builders_.pop_back();
  }
  return pool;
}

// Null when there are none for loads with these options.
std::shared_ptr<BuilderPool> Dataset::find_builders(const IngestOptions& options) {
  const auto same = [&](const Builders& known) { return known.options == options; };
  const auto known = std::ranges::find_if(builders_, same);
  if (known == builders_.end()) {
    return nullptr;
  }
  std::rotate(builders_.begin(), known, known + 1);
  return builders_.front().pool;
}

void Dataset::share_admission(std::shared_ptr<FieldAdmission> admission) {
  const MutexLock lock(listing_mutex_);
  if (admission_ == nullptr) {
    admission_ = std::move(admission);
  }
}

void Dataset::renew_builders() {
  const MutexLock lock(builders_mutex_);
  builders_.clear();
  ++renewals_;
  const MutexLock listing_lock(listing_mutex_);
  admission_.reset();
}

}  // namespace evq
