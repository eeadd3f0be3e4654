#include "store/load.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "store/base/limits.h"
#include "store/block/block_writer.h"
#include "store/column/dynamic_kinds.h"

namespace evq {

namespace {

// What the values of the dynamic columns are; a dynamic column of scalars is a field of their
// types, not one of arrays.
std::unordered_map<std::string, std::uint32_t> kinds_of_dynamics(const Table& batch) {
  std::unordered_map<std::string, std::uint32_t> kinds;
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    if (batch.schema[i].type == Type::kDynamic) {
      kinds.emplace(batch.schema[i].name, dynamic_kinds(batch.columns[i]));
    }
  }
  return kinds;
}

void note_kinds(const std::unordered_map<std::string, std::uint32_t>& kinds, StoredForm* form) {
  for (auto& [name, types] : form->fields) {
    const auto known = kinds.find(name);
    // The types together must still say that the values are kept as dynamic.
    if (types == type_bit(Type::kDynamic) && known != kinds.end() &&
        type_of_set(known->second) == Type::kDynamic) {
      types = known->second;
    }
  }
}

struct SealedForm final : SealedBatch {
  StoredForm form;
};

}  // namespace

Load::Load(DatasetProvider open, const IngestRequest& request, Options options,
           QueryControl& control)
    : open_(std::move(open)), request_(request), options_(std::move(options)), control_(control) {}

Result<std::unique_ptr<SealedBatch>> Load::seal(Table&& batch, std::uint64_t raw_bytes) {
  const bool big =
      2 * batch.rows >= options_.compact.block_rows || raw_bytes >= kFreshChunkBytesMax;
  const Effort effort =
      big ? Effort::kIngest : effort_for_chunk(batch.rows, options_.compact.block_rows);
  const auto kinds = kinds_of_dynamics(batch);
  EVQ_TRY_ASSIGN(EncodedBlock block, encode_block(std::move(batch), effort, options_.compact.pool));
  auto sealed = std::make_unique<SealedForm>();
  sealed->form = big ? make_sealed(std::move(block), raw_bytes) : make_fresh(block, raw_bytes);
  note_kinds(kinds, &sealed->form);
  return std::unique_ptr<SealedBatch>(std::move(sealed));
}

Status Load::commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& counts) {
  StoredForm form = std::move(static_cast<SealedForm&>(*batch).form);
  if (request_.atomic) {
    kept_.push_back(std::move(form));
    return {};
  }
  std::vector<StoredForm> forms;
  forms.push_back(std::move(form));
  EVQ_TRY(write(forms));
  if (request_.committed) {
    request_.committed(counts);
  }
  return tidy();
}

Status Load::open() {
  if (dataset_ == nullptr) {
    EVQ_TRY_ASSIGN(dataset_, open_());
  }
  return {};
}

Status Load::finish(const IngestCounts& counts) {
  EVQ_TRY(open());
  if (request_.atomic && !kept_.empty()) {
    EVQ_TRY(write(kept_));
    kept_.clear();
    if (request_.committed) {
      request_.committed(counts);
    }
    return tidy();
  }
  return {};
}

Status Load::write(const std::vector<StoredForm>& forms) {
  EVQ_TRY(open());
  WriteJob job;
  job.bytes_needed = 1;
  std::uint32_t sealed = 0;
  for (const StoredForm& form : forms) {
    job.bytes_needed += form.size_bytes();
    sealed += form.row.state == BlockState::kStored ? 1 : 0;
  }
  job.apply = [&](DatasetWriter& writer) -> Status {
    for (const StoredForm& form : forms) {
      EVQ_TRY(insert_form(writer, form));
    }
    wal_length_ = static_cast<std::uint32_t>(writer.counters().fresh_count);
    fresh_rows_ = writer.counters().fresh_rows;
    return {};
  };
  EVQ_TRY(dataset_->write(job));
  blocks_created_ += sealed;
  return {};
}

// What was acknowledged stays acknowledged: failing upkeep is left to a later round.
Status Load::tidy() {
  const bool due = fresh_rows_ >= options_.compact.block_rows || wal_length_ >= kFreshChunksMax;
  if (options_.tidy && due) {
    static_cast<void>(tidy_fresh(dataset_, options_.compact, control_));
    fresh_rows_ = 0;
    wal_length_ = 0;
  }
  return {};
}

}  // namespace evq
