#pragma once
// Load: the sink between the parsers and a dataset: each batch is encoded on the worker that
// parsed it, as a sealed block when it is big enough and as a fresh chunk otherwise, and committed
// in input order, at once or (atomic loads) all together in finish(). The dataset is asked for with
// the first commit, or in finish(): a load that is refused before makes none.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "store/compactor.h"
#include "store/dataset.h"
#include "store/ingest/stream.h"
#include "store/store.h"
#include "store/stored_form.h"

namespace evq {

class Load final : public BatchSink {
 public:
  struct Options {
    CompactOptions compact;
    bool tidy = true;  // seal and merge fresh chunks on the way
  };
  using DatasetProvider = std::function<Result<std::shared_ptr<Dataset>>()>;
  Load(DatasetProvider open, const IngestRequest& request, Options options, QueryControl& control);

  Result<std::unique_ptr<SealedBatch>> seal(Table&& batch, std::uint64_t raw_bytes) override;
  Status commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& counts) override;
  // Commits what an atomic load kept. The caller has added `counts` up.
  Status finish(const IngestCounts& counts);

  std::uint32_t blocks_created() const { return blocks_created_; }
  std::uint32_t wal_length() const { return wal_length_; }

 private:
  Status open();
  Status write(const std::vector<StoredForm>& forms);
  Status tidy();

  const DatasetProvider open_;
  std::shared_ptr<Dataset> dataset_;  // null until the first commit
  const IngestRequest& request_;
  const Options options_;
  QueryControl& control_;
  std::vector<StoredForm> kept_;  // of an atomic load
  std::uint32_t blocks_created_ = 0;
  std::uint32_t wal_length_ = 0;
  std::uint64_t fresh_rows_ = 0;
};

}  // namespace evq
