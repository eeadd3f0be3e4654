#pragma once
// Load: the sink between the parsers and a dataset: each batch is encoded on the worker that
// parsed it, as a sealed block when it is big enough and as a fresh chunk otherwise, and committed
// in input order, at once or (atomic loads) all together in finish(). The one small batch of an
// atomic load is left to Dataset::append, which encodes it together with those of other loads. The
// dataset is asked for with the first commit, or in finish(): a load that is refused before makes
// none. One that is deleted between two commits is asked for again.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "store/block/block_writer.h"
#include "store/compactor.h"
#include "store/dataset.h"
#include "store/fresh_rows.h"
#include "store/ingest/stream.h"
#include "store/store.h"
#include "store/stored_form.h"

namespace evq {

class Load final : public BatchSink {
 public:
  struct Options {
    CompactOptions compact;
    ThreadPool* pool = nullptr;  // for what is encoded for several loads at once
    bool tidy = true;            // seal and merge fresh chunks on the way
  };
  using DatasetProvider = std::function<Result<std::shared_ptr<Dataset>>()>;
  Load(DatasetProvider open, const IngestRequest& request, Options options, QueryControl& control);

  Result<std::unique_ptr<SealedBatch>> seal(BatchColumns& batch, std::uint64_t raw_bytes) override;
  Status commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& counts) override;
  // Commits what an atomic load kept. The caller has added `counts` up.
  Status finish(const IngestCounts& counts);

  std::uint32_t blocks_created() const { return blocks_created_; }
  // Of the dataset, after the last commit and the merges that were due with it.
  const FreshCounts& fresh() const { return fresh_; }

  // What a batch becomes on its worker: rows where Dataset::append may join them with others.
  using Part = std::variant<FreshRows, StoredForm>;

 private:
  Status open();
  Result<StoredForm> encode(FreshRows&& rows) const;
  // A table of so many rows, made of so much input.
  Result<StoredForm> encode(const Schema& schema, const OrderedColumnSource& source,
                            std::size_t rows, std::uint64_t raw_bytes) const;
  Status keep(Part part);
  Status write(const IngestCounts& counts);
  Status append_rows();
  Status write_forms();
  void tidy();

  const DatasetProvider open_;
  std::shared_ptr<Dataset> dataset_;  // null until the first commit
  const IngestRequest& request_;
  const Options options_;
  QueryControl& control_;
  // What is not written yet: the only batch, if it is small, or what all batches were encoded as.
  std::optional<FreshRows> only_rows_;
  std::vector<StoredForm> forms_;
  std::uint32_t blocks_created_ = 0;
  FreshCounts fresh_;  // after the last commit
};

}  // namespace evq
