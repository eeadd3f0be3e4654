#include "store/load.h"

#include <new>
#include <utility>

#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/base/short_turns.h"
#include "store/block_size.h"
#include "store/column/dynamic_kinds.h"

namespace evq {

namespace {

struct SealedForm final : SealedBatch {
  Load::Part part;
};

// The order of time that they will be stored in costs nothing while columns are made.
Table in_time_order(BatchColumns& batch) {
  return batch.take_all(RowOrder(time_order(batch.take(0))));
}

Result<FreshCounts> count_fresh(Dataset& dataset) {
  EVQ_TRY_ASSIGN(ReadLease lease, dataset.database().begin_read());
  EVQ_TRY_ASSIGN(const Counters counters, read_counters(lease.connection(), dataset.file_key()));
  return FreshCounts{counters.fresh_count, counters.fresh_rows};
}

}  // namespace

Load::Load(DatasetProvider open, const IngestRequest& request, Options options,
           QueryControl& control)
    : open_(std::move(open)), request_(request), options_(std::move(options)), control_(control) {}

Result<StoredForm> Load::encode(const Schema& schema, const OrderedColumnSource& source,
                                std::size_t rows, std::uint64_t raw_bytes) {
  const bool big = fills_block(rows, raw_bytes, options_.compact.block_rows);
  made_blocks_ = made_blocks_ || big;
  // What a large load leaves over is seldom followed by more that it could be merged with.
  const Effort effort =
      made_blocks_ ? Effort::kIngest : chunk_effort(rows, options_.compact.block_rows);
  std::vector<std::uint32_t> kinds_of(schema.size());
  const auto look_at_kinds = [&](std::size_t i, const RowOrder& order) {
    Vector column = source(i, order);
    if (column.type() == Type::kDynamic) {
      kinds_of[i] = dynamic_kinds(column);
    }
    return column;
  };
  EVQ_TRY_ASSIGN(EncodedBlock block,
                 encode_block(schema, look_at_kinds, effort, options_.compact.pool));
  StoredForm form = big ? make_sealed(std::move(block), raw_bytes) : make_fresh(block, raw_bytes);
  FieldKinds kinds;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (schema[i].type == Type::kDynamic) {
      kinds[schema[i].name] = kinds_of[i];
    }
  }
  note_kinds(kinds, &form);
  return form;
}

Result<StoredForm> Load::encode(FreshRows&& rows) {
  const auto let_go = [&](std::size_t i, const RowOrder& order) {
    Vector values = std::move(rows.table.columns[i]);
    return order.empty() ? values : values.gather(order.rows());
  };
  return encode(rows.table.schema, let_go, rows.table.rows, rows.raw_bytes);
}

Result<std::unique_ptr<SealedBatch>> Load::seal(BatchColumns& batch, std::uint64_t raw_bytes) {
  auto sealed = std::make_unique<SealedForm>();
  if (request_.atomic && may_be_small(batch.rows(), raw_bytes, options_.compact.block_rows)) {
    FreshRows rows{in_time_order(batch), raw_bytes};
    if (is_small(rows, options_.compact.block_rows)) {
      sealed->part = std::move(rows);
    } else {
      EVQ_TRY_ASSIGN(sealed->part, encode(std::move(rows)));
    }
  } else {
    const auto take = [&](std::size_t i, const RowOrder& order) { return batch.take(i, order); };
    EVQ_TRY_ASSIGN(sealed->part, encode(batch.schema(), take, batch.rows(), raw_bytes));
  }
  const auto* form = std::get_if<StoredForm>(&sealed->part);
  sealed->memory_bytes = form != nullptr ? form->memory_bytes() : raw_bytes;
  return std::unique_ptr<SealedBatch>(std::move(sealed));
}

Status Load::commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& counts) {
  EVQ_TRY(keep(std::move(static_cast<SealedForm&>(*batch).part)));
  return request_.atomic ? Status() : write(counts);
}

Status Load::keep(Part part) {
  if (only_rows_.has_value()) {  // not a small load after all
    EVQ_TRY_ASSIGN(StoredForm first, encode(*std::exchange(only_rows_, std::nullopt)));
    forms_.push_back(std::move(first));
  }
  if (auto* form = std::get_if<StoredForm>(&part)) {
    forms_.push_back(std::move(*form));
  } else if (forms_.empty()) {
    only_rows_ = std::get<FreshRows>(std::move(part));
  } else {
    EVQ_TRY_ASSIGN(StoredForm next, encode(std::get<FreshRows>(std::move(part))));
    forms_.push_back(std::move(next));
  }
  return {};
}

Status Load::finish(const IngestCounts& counts) {
  const bool nothing_left = !only_rows_.has_value() && forms_.empty();
  return nothing_left ? open() : write(counts);
}

IngestReport Load::report(IngestCounts counts) const {
  IngestReport report;
  report.counts = std::move(counts);
  report.blocks_created = blocks_created_;
  report.fresh_chunks = static_cast<std::uint32_t>(fresh_.chunks);
  report.fresh_rows = fresh_.rows;
  return report;
}

Status Load::open() {
  if (dataset_ == nullptr) {
    EVQ_TRY_ASSIGN(dataset_, open_());
  }
  return {};
}

// Does `run` with the dataset; with the next one of its name where it was deleted meanwhile, with
// which whatever `run` may have written to it has gone.
template <class Run>
Status Load::with_dataset(const Run& run) {
  for (std::size_t deleted = 0;; ++deleted) {
    EVQ_TRY(open());
    Status done = run();
    if (done.ok() || !options_.is_deleted(*dataset_)) {
      return done;
    }
    dataset_.reset();
    if (deleted == kIngestDeletionsMax) {
      return make_error(ErrorCode::kUnavailable,
                        "the dataset was deleted again each time that it was made for these events",
                        "send them again when nobody deletes it");
    }
  }
}

Status Load::write(const IngestCounts& counts) {
  take_short_turns();
  EVQ_TRY(with_dataset([&] { return only_rows_.has_value() ? append_rows() : write_forms(); }));
  only_rows_.reset();
  forms_.clear();
  if (request_.committed) {
    request_.committed(counts);
  }
  tidy();
  if (request_.so_far != nullptr) {
    request_.so_far->blocks_created = blocks_created_;
    request_.so_far->fresh_chunks = static_cast<std::uint32_t>(fresh_.chunks);
    request_.so_far->fresh_rows = fresh_.rows;
  }
  return {};
}

Status Load::append_rows() {
  EVQ_TRY_ASSIGN(const Appended done,
                 dataset_->append({&*only_rows_, options_.compact.block_rows, options_.pool,
                                   options_.compact.cache.get()}));
  fresh_ = done.fresh;
  blocks_created_ += done.blocks_created;
  return {};
}

Status Load::write_forms() {
  WriteJob job;
  job.room = Room::little();
  std::uint32_t sealed = 0;
  for (const StoredForm& form : forms_) {
    job.room += Room::for_bytes(form.size_bytes());
    sealed += form.row.state == BlockState::kStored ? 1 : 0;
  }
  job.apply = [&](DatasetWriter& writer) -> Status {
    for (const StoredForm& form : forms_) {
      EVQ_TRY(insert_form(writer, form));
    }
    fresh_ = {writer.counters().fresh_count, writer.counters().fresh_rows};
    return {};
  };
  EVQ_TRY(dataset_->write(job));
  blocks_created_ += sealed;
  return {};
}

// What was acknowledged stays acknowledged: failing upkeep, for want of memory as well, is left to
// a later round.
void Load::tidy() {
  const bool due = fresh_.rows >= options_.compact.block_rows || fresh_.chunks >= kFreshChunksMax;
  if (!options_.tidy || !due) {
    return;
  }
  try {
    static_cast<void>(tidy_fresh(dataset_, options_.compact, control_));
    if (const Result<FreshCounts> left = count_fresh(*dataset_); left.ok()) {
      fresh_ = *left;
    }
  } catch (const std::bad_alloc&) {
  }
  return_free_memory();  // or what comes next is added to what the merges held
}

}  // namespace evq
