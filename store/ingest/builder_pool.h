#pragma once
// BuilderPool: batch builders between loads of the same rules. A builder remembers the names of
// the fields, which of them repeat their values, and its memory; a small load that makes its own
// spends more on learning that than on its events. Any thread.

#include <memory>
#include <vector>

#include "store/base/mutex.h"
#include "store/ingest/batch_builder.h"

namespace evq {

class BuilderPool {
 public:
  explicit BuilderPool(std::shared_ptr<const EventRules> rules);
  ~BuilderPool();
  BuilderPool(const BuilderPool&) = delete;
  BuilderPool& operator=(const BuilderPool&) = delete;

  const std::shared_ptr<const EventRules>& rules() const { return rules_; }

  // Whether a field was refused that a dataset has no room for.
  bool refused_fields() const;
  // A builder that was put back, else a new one.
  std::unique_ptr<BatchBuilder> take();
  // Puts back a builder of take() whose rows were taken. It is kept while all pools of the process
  // together hold at most kIdleBuilderBytesMax.
  void put(std::unique_ptr<BatchBuilder> builder);

 private:
  const std::shared_ptr<const EventRules> rules_;
  Mutex mutex_;
  std::vector<std::unique_ptr<BatchBuilder>> idle_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
