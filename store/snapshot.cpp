#include "store/snapshot.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/seeded_text_hash.h"
#include "store/block/block_filter.h"
#include "store/block/block_reader.h"
#include "store/block_blobs.h"
#include "store/column/dynamic_kinds.h"
#include "store/dataset.h"
#include "store/mini_block.h"
#include "store/segment_cache.h"
#include "store/stored_form.h"

namespace evq {

// The read transaction of a snapshot. One connection serves all its blocks, one blob at a time;
// decoding happens outside the lock.
class SnapshotSource {
 public:
  SnapshotSource(std::shared_ptr<Dataset> dataset, std::shared_ptr<SegmentCache> cache,
                 ReadLease lease)
      : dataset_(std::move(dataset)),
        cache_(std::move(cache)),
        reader_(cache_->new_reader()),
        lease_(std::move(lease)),
        blobs_(lease_.connection()) {}

  Result<SharedBytes> header(BlockId block) {
    const MutexLock lock(mutex_);
    return blobs_.header(block);
  }
  Result<SharedBytes> part(BlockId block, std::size_t column, SegmentPart part) {
    const MutexLock lock(mutex_);
    return blobs_.part(block, column, part);
  }
  // At most `size` bytes of a fresh chunk.
  Result<SharedBytes> chunk(BlockId block, std::size_t offset, std::size_t size) {
    const MutexLock lock(mutex_);
    return blobs_.chunk(block, offset, size);
  }

  Dataset& dataset() { return *dataset_; }
  SegmentCache& cache() { return *cache_; }
  std::uint64_t reader() const { return reader_; }  // of the cache
  SegmentKey key(BlockId block, std::uint64_t column) const {
    return {dataset_->file_id(), block, column};
  }

 private:
  const std::shared_ptr<Dataset> dataset_;  // outlives the lease
  const std::shared_ptr<SegmentCache> cache_;
  const std::uint64_t reader_;
  Mutex mutex_;
  ReadLease lease_ EVQ_GUARDED_BY(mutex_);
  BlockBlobs blobs_ EVQ_GUARDED_BY(mutex_);  // of its connection
};

namespace {

class SealedSource final : public SegmentSource {
 public:
  SealedSource(std::shared_ptr<SnapshotSource> source, BlockId block)
      : source_(std::move(source)), block_(block) {}

  Result<SharedBytes> fetch(std::size_t column, SegmentPart part) override {
    return source_->part(block_, column, part);
  }
  std::optional<Vector> decoded(std::size_t column) override {
    return source_->cache().find_column(source_->key(block_, column), source_->reader());
  }
  std::optional<SharedBytes> kept_filter(std::size_t column) override {
    return source_->cache().find_filter(source_->key(block_, column | kFilterBit),
                                        source_->reader());
  }
  void keep_filter(std::size_t column, const SharedBytes& verified) override {
    source_->cache().put_filter(source_->key(block_, column | kFilterBit), verified,
                                source_->reader());
  }

 private:
  const std::shared_ptr<SnapshotSource> source_;
  const BlockId block_;
};

Error damaged(const std::string& what) {
  return make_error(ErrorCode::kCorrupt, what);
}

// A fresh chunk whose header is known: of its payload only the parts that are asked for are read.
class FreshSource final : public SegmentSource {
 public:
  FreshSource(std::shared_ptr<SnapshotSource> source, const SnapshotBlock& info,
              std::shared_ptr<const BlockHeader> header)
      : source_(std::move(source)), info_(info), header_(std::move(header)) {}

  Result<SharedBytes> fetch(std::size_t column, SegmentPart part) override {
    const std::uint64_t all_parts = header_->stored_bytes();
    if (all_parts > info_.stored_bytes) {
      return damaged("a fresh chunk has the wrong size");
    }
    if (!ranges_) {
      ranges_.emplace(*header_);
    }
    const PackedRanges::Range& range = ranges_->of(column, part);
    return source_->chunk(info_.id, info_.stored_bytes - all_parts + range.offset, range.size);
  }
  std::optional<Vector> decoded(std::size_t column) override {
    return source_->cache().find_column(source_->key(info_.id, column), source_->reader());
  }

 private:
  const std::shared_ptr<SnapshotSource> source_;
  const SnapshotBlock info_;
  const std::shared_ptr<const BlockHeader> header_;
  std::optional<PackedRanges> ranges_;
};

// The verified head of a fresh chunk, or more.
Result<SharedBytes> read_head(SnapshotSource& source, const SnapshotBlock& info) {
  // A page of the file, which most heads are shorter than.
  constexpr std::size_t kFirstBytes = 64 * kKibibyte;
  EVQ_TRY_ASSIGN(SharedBytes bytes, source.chunk(info.id, 0, kFirstBytes));
  const std::size_t summed = mini_block_summed_bytes(bytes.view, info.stored_bytes);
  if (summed > bytes.view.size()) {
    EVQ_TRY_ASSIGN(bytes, source.chunk(info.id, 0, summed));
  }
  if (checksum64(bytes.view.substr(0, summed), info.id) != info.payload_sum) {
    return damaged("the fresh chunk fails its checksum");
  }
  return bytes;
}

Result<std::unique_ptr<BlockReader>> open_fresh(const std::shared_ptr<SnapshotSource>& source,
                                                const SnapshotBlock& info) {
  const SegmentKey key = source->key(info.id, kHeaderColumn);
  std::shared_ptr<const BlockHeader> header = source->cache().find_header(key, source->reader());
  if (header != nullptr) {
    auto parts = std::make_unique<FreshSource>(source, info, header);
    return std::make_unique<BlockReader>(std::move(header), std::move(parts));
  }
  EVQ_TRY_ASSIGN(SharedBytes bytes, read_head(*source, info));
  std::unique_ptr<BlockReader> reader;
  if (bytes.view.size() == info.stored_bytes) {
    EVQ_TRY_ASSIGN(reader, open_mini_block(std::move(bytes)));
  } else {
    EVQ_TRY_ASSIGN(BlockHeader decoded, read_mini_block_header(bytes.view));
    header = std::make_shared<const BlockHeader>(std::move(decoded));
    reader =
        std::make_unique<BlockReader>(header, std::make_unique<FreshSource>(source, info, header));
  }
  EVQ_TRY(check_against_row(reader->header(), info));
  source->cache().put_header(key, reader->shared_header(), source->reader());
  return reader;
}

Result<std::unique_ptr<BlockReader>> open_sealed(const std::shared_ptr<SnapshotSource>& source,
                                                 const SnapshotBlock& info) {
  const SegmentKey key = source->key(info.id, kHeaderColumn);
  std::shared_ptr<const BlockHeader> header = source->cache().find_header(key, source->reader());
  if (header == nullptr) {
    EVQ_TRY_ASSIGN(const SharedBytes bytes, source->header(info.id));
    if (checksum64(bytes.view, info.id) != info.payload_sum) {
      return damaged("the header fails its checksum");
    }
    EVQ_TRY_ASSIGN(BlockHeader decoded, decode_header(bytes.view));
    EVQ_TRY(check_against_row(decoded, info));
    header = std::make_shared<const BlockHeader>(std::move(decoded));
    source->cache().put_header(key, header, source->reader());
  }
  return std::make_unique<BlockReader>(std::move(header),
                                       std::make_unique<SealedSource>(source, info.id));
}

Error locate(Error error, const Dataset& dataset, BlockId block) {
  if (error.code == ErrorCode::kCorrupt) {
    error.message = dataset.file_name() + ": block " + std::to_string(block) + ": " + error.message;
    error.hint = "run 'evq check' to see what is damaged; 'set best_effort; …' reads the rest";
  }
  return error;
}

}  // namespace

Status check_against_row(const BlockHeader& header, const SnapshotBlock& row) {
  const bool same = header.rows == row.rows && header.columns.size() == row.columns &&
                    header.min_time == row.min_time && header.max_time == row.max_time &&
                    header.min_sys_time == row.min_sys_time &&
                    header.max_sys_time == row.max_sys_time;
  if (!same) {
    return damaged("its header is not the one that was committed");
  }
  const auto is_whole = [&](std::string_view name, Type type) {
    const std::optional<std::size_t> at = header.find(name);
    return at && header.columns[*at].type == type && header.columns[*at].nulls == 0;
  };
  const bool sound = is_whole(kTimeField, Type::kDatetime) &&
                     is_whole(kSysTimeField, Type::kDatetime) &&
                     (row.ordinals_dense || is_whole(kOrdinalField, Type::kLong));
  return sound ? Status() : Status(damaged("its times or ordinals are missing"));
}

// ---------------------------------------------------------------- StoredBlock

StoredBlock::StoredBlock(SnapshotBlock info, std::shared_ptr<SnapshotSource> source,
                         std::unique_ptr<BlockReader> reader)
    : info_(info), source_(std::move(source)), reader_(std::move(reader)) {}
StoredBlock::StoredBlock(StoredBlock&&) noexcept = default;
StoredBlock& StoredBlock::operator=(StoredBlock&&) noexcept = default;
StoredBlock::~StoredBlock() = default;

Error StoredBlock::located(Error error) const {
  return locate(std::move(error), source_->dataset(), info_.id);
}

Result<Vector> StoredBlock::widened(const Vector& values, Type wanted) const {
  if (common_type(values.type(), wanted) != wanted) {
    return located(damaged("a column's type is none that its field is known to have"));
  }
  return values.widen(wanted);
}

Result<Vector> StoredBlock::column(std::string_view field) {
  const std::optional<std::size_t> at = reader_->find(field);
  if (!at) {
    return Vector::constant(Value::null(), info_.rows);
  }
  const SegmentKey key = source_->key(info_.id, *at);
  if (std::optional<Vector> known = source_->cache().find_column(key, source_->reader())) {
    found_decoded_ = true;
    return std::move(*known);
  }
  Result<Vector> column = reader_->read(*at, Selection::all());
  if (!column.ok()) {
    return located(std::move(column).take_error());
  }
  source_->cache().put_column(key, *column, source_->reader());
  return column;
}

Result<Vector> StoredBlock::column_rows(std::string_view field,
                                        std::span<const std::uint32_t> rows) {
  const std::optional<std::size_t> at = reader_->find(field);
  if (!at) {
    return Vector::constant(Value::null(), rows.size());
  }
  const SegmentKey key = source_->key(info_.id, *at);
  if (const std::optional<Vector> known = source_->cache().find_column(key, source_->reader())) {
    found_decoded_ = true;
    return known->gather(rows);
  }
  if (source_->cache().note_few_rows(key, source_->reader())) {
    EVQ_TRY_ASSIGN(const Vector whole, column(field));
    return whole.gather(rows);
  }
  Result<Vector> values = reader_->read(*at, Selection::rows(rows));
  return values.ok() ? std::move(values) : located(std::move(values).take_error());
}

Result<Vector> StoredBlock::column_range(std::string_view field, std::size_t begin,
                                         std::size_t count) {
  const std::optional<std::size_t> at = reader_->find(field);
  if (!at) {
    return Vector::constant(Value::null(), count);
  }
  const SegmentKey key = source_->key(info_.id, *at);
  if (const std::optional<Vector> known = source_->cache().find_column(key, source_->reader())) {
    found_decoded_ = true;
    return known->slice(begin, count);
  }
  Result<Vector> values = reader_->read(*at, Selection::range(begin, count));
  return values.ok() ? std::move(values) : located(std::move(values).take_error());
}

Result<bool> StoredBlock::may_match(const BlockTest& test) {
  Result<bool> may = test.may_match(*reader_);
  return may.ok() ? std::move(may) : located(std::move(may).take_error());
}

Result<bool> StoredBlock::may_have_terms(std::size_t column,
                                         const std::vector<std::string>& terms) {
  Result<bool> may = column_may_have_terms(*reader_, column, terms);
  return may.ok() ? std::move(may) : located(std::move(may).take_error());
}

bool StoredBlock::came_from_cache() const {
  return found_decoded_ && !reader_->has_fetched();
}

Result<Vector> StoredBlock::ordinals() {
  if (!info_.ordinals_dense) {
    return column(kOrdinalField);
  }
  auto values = Values::make(Type::kLong, info_.rows);
  auto* out = values->mutable_data<std::int64_t>();
  for (std::uint32_t row = 0; row < info_.rows; ++row) {
    out[row] = static_cast<std::int64_t>(info_.first_ordinal + row);
  }
  return Vector::flat(std::move(values));
}

// ---------------------------------------------------------------- Snapshot

struct Snapshot::State {
  std::shared_ptr<const Listing> listing;
  std::shared_ptr<SnapshotSource> source;
};

Snapshot::Snapshot(std::shared_ptr<const State> state) : state_(std::move(state)) {}
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

const Schema& Snapshot::schema() const {
  return state_->listing->schema;
}
std::vector<std::string> Snapshot::wide_longs() const {
  std::vector<std::string> names;
  for (const FieldRow& field : state_->listing->fields) {
    if ((field.types & kWideLongs) != 0 && type_of_set(field.types) == Type::kLong) {
      names.push_back(field.name);
    }
  }
  return names;
}
std::span<const SnapshotBlock> Snapshot::blocks() const {
  return state_->listing->blocks;
}
std::uint64_t Snapshot::rows() const {
  return state_->listing->rows;
}

std::uint64_t Snapshot::ordinal_end() const {
  std::uint64_t end = 0;
  for (const SnapshotBlock& block : state_->listing->blocks) {
    end = std::max(end, block.ordinal_end);
  }
  return end;
}

std::optional<std::int64_t> Snapshot::min_time() const {
  const auto& blocks = state_->listing->blocks;
  const auto least = std::ranges::min_element(blocks, {}, &SnapshotBlock::min_time);
  return least == blocks.end() ? std::nullopt : std::optional(least->min_time);
}

std::optional<std::int64_t> Snapshot::max_time() const {
  const auto& blocks = state_->listing->blocks;
  const auto greatest = std::ranges::max_element(blocks, {}, &SnapshotBlock::max_time);
  return greatest == blocks.end() ? std::nullopt : std::optional(greatest->max_time);
}

Result<StoredBlock> Snapshot::open(const SnapshotBlock& block) const {
  const std::shared_ptr<SnapshotSource>& source = state_->source;
  Result<std::unique_ptr<BlockReader>> reader =
      block.fresh ? open_fresh(source, block) : open_sealed(source, block);
  if (!reader.ok()) {
    return locate(std::move(reader).take_error(), source->dataset(), block.id);
  }
  return StoredBlock(block, source, std::move(reader).value());
}

namespace {

// The fields of the sound rows of a list, then those of which only columns of blocks tell, since
// their rows are damaged.
class FoundFields {
 public:
  explicit FoundFields(std::vector<FieldRow> listed)
      : rows_(std::move(listed)), listed_(rows_.size()) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      ids_.emplace(rows_[i].name, i);
    }
  }
  void add(const BlockHeader& header) {
    for (const ColumnHeader& column : header.columns) {
      const auto [at, added] = ids_.try_emplace(column.name, rows_.size());
      if (added) {
        rows_.emplace_back().name = column.name;
      }
      // The list knows more exactly than a header, to which several scalar types are dynamic.
      if (at->second >= listed_) {
        rows_[at->second].types |= types_of(column, header.rows);
      }
    }
  }
  std::vector<FieldRow> take() && { return std::move(rows_); }

 private:
  std::vector<FieldRow> rows_;
  std::size_t listed_;
  std::unordered_map<std::string, std::size_t, SeededTextHash> ids_;
};

// Every part of the block, as whatever reads it later will find it.
Status check_block(StoredBlock& block, const QueryControl& control) {
  BlockReader& reader = block.reader();
  for (std::size_t column = 0; column < reader.header().columns.size(); ++column) {
    EVQ_TRY(control.check());
    Result<Vector> values = reader.read(column, Selection::all());
    if (!values.ok()) {
      return block.located(std::move(values).take_error());
    }
    Result<std::string_view> filter = reader.filter(column);
    if (!filter.ok()) {
      return block.located(std::move(filter).take_error());
    }
    reader.release(column);
  }
  return {};
}

}  // namespace

Result<Snapshot> take_sound_snapshot(std::shared_ptr<Dataset> dataset,
                                     std::shared_ptr<SegmentCache> cache, const SoundRange& range,
                                     std::vector<std::string>* problems) {
  Database& database = dataset->database();
  EVQ_TRY_ASSIGN(ReadLease lease, database.begin_read(Database::Loss::kAccepted));
  if (const Status loss = database.loss(); !loss.ok()) {
    problems->push_back(loss.error().message);
  }
  Snapshot::State listed;
  EVQ_TRY_ASSIGN(listed.listing, dataset->sound_listing(lease.connection(), problems));
  listed.source =
      std::make_shared<SnapshotSource>(std::move(dataset), std::move(cache), std::move(lease));
  const Snapshot all(std::make_shared<const Snapshot::State>(listed));
  auto sound = std::make_shared<Listing>();
  FoundFields fields(listed.listing->fields);
  const auto check = [&](const SnapshotBlock& info) -> Status {
    EVQ_TRY_ASSIGN(StoredBlock block, all.open(info));
    EVQ_TRY(check_block(block, range.control));
    fields.add(block.reader().header());
    return {};
  };
  for (const SnapshotBlock& info : all.blocks()) {
    const bool wanted = info.max_time >= range.min_time && info.min_time <= range.max_time;
    Status checked = wanted ? check(info) : Status();
    if (!checked.ok() && checked.error().code != ErrorCode::kCorrupt) {
      return std::move(checked).take_error();
    }
    if (!checked.ok()) {
      problems->push_back(checked.error().message);
      continue;
    }
    sound->blocks.push_back(info);
    sound->rows += info.rows;
    sound->stored_bytes += info.stored_bytes;
  }
  sound->fields = std::move(fields).take();
  sound->schema = schema_of(sound->fields);
  listed.listing = std::move(sound);
  return Snapshot(std::make_shared<const Snapshot::State>(std::move(listed)));
}

Result<Snapshot> take_snapshot(std::shared_ptr<Dataset> dataset,
                               std::shared_ptr<SegmentCache> cache) {
  EVQ_TRY_ASSIGN(ReadLease lease, dataset->database().begin_read());
  auto state = std::make_shared<Snapshot::State>();
  EVQ_TRY_ASSIGN(state->listing, dataset->listing(lease.connection()));
  cache->grow_for(state->listing->stored_bytes);
  state->source =
      std::make_shared<SnapshotSource>(std::move(dataset), std::move(cache), std::move(lease));
  return Snapshot(std::move(state));
}

}  // namespace evq
