#pragma once
// Load: the sink between the parsers and a dataset: each batch is encoded on the worker that
// parsed it, as a sealed block when it is big enough and as a fresh chunk otherwise, and committed
// in input order, at once or (atomic loads) all together in finish(). The one small batch of an
// atomic load is left to Dataset::append, which encodes it together with those of other loads. The
// dataset is asked for with the first commit, or in finish(): a load that is refused before makes
// none. One that is deleted before or while it is written to is asked for again, a few times; then
// kUnavailable.

#include <atomic>
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
    // Whether somebody deleted the dataset that DatasetProvider gave, which explains a failure.
    std::function<bool(const Dataset&)> is_deleted;
  };
  using DatasetProvider = std::function<Result<std::shared_ptr<Dataset>>()>;
  Load(DatasetProvider open, const IngestRequest& request, Options options, QueryControl& control);

  Result<std::unique_ptr<SealedBatch>> seal(BatchColumns& batch, std::uint64_t raw_bytes) override;
  Status commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& counts) override;
  // Commits what an atomic load kept. `counts` are those of the whole load.
  Status finish(const IngestCounts& counts);

  // Adds to `counts` the dataset's fresh chunks after the last commit and the merges due with it.
  IngestReport report(IngestCounts counts) const;

  // A batch after its worker has sealed it: as rows when Dataset::append may join them with others.
  using Part = std::variant<FreshRows, StoredForm>;

 private:
  Status open();
  // Encodes a table of `rows` rows, made of `raw_bytes` bytes of input; any thread.
  Result<StoredForm> encode(FreshRows&& rows);
  Result<StoredForm> encode(const Schema& schema, const OrderedColumnSource& source,
                            std::size_t rows, std::uint64_t raw_bytes);
  Status keep(Part part);
  Status write(const IngestCounts& counts);
  template <class Run>
  Status with_dataset(const Run& run);
  Status append_rows();
  Status write_forms();
  void tidy();

  const DatasetProvider open_;
  std::shared_ptr<Dataset> dataset_;  // null until the first commit
  const IngestRequest& request_;
  const Options options_;
  QueryControl& control_;
  // Batches that are not written yet: the only one as rows, if it is small, else all encoded.
  std::optional<FreshRows> only_rows_;
  std::vector<StoredForm> forms_;
  std::uint32_t blocks_created_ = 0;
  std::atomic<bool> made_blocks_ = false;  // a batch that was encoded filled one
  FreshCounts fresh_;                      // after the last commit
};

}  // namespace evq
