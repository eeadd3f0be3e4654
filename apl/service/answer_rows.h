#pragma once
// Where the rows of an answer go: to be kept until all are there (KeptRows), or on to whoever wants
// them as they come (PassedRows), which is for plans that make them in order.

#include <functional>
#include <memory>
#include <vector>

#include "apl/exec/operator.h"
#include "apl/plan/plan.h"
#include "store/base/memory_budget.h"

namespace evq {

// The memory that an answer's rows are charged to, held for as long as anybody keeps them.
struct RowCharge {
  std::shared_ptr<MemoryBudget> budget;
  std::vector<MemoryLease> leases;
};

// Whether the rows of the plan come in the order of the answer, one chunk after the other.
bool comes_in_order(const plan::Node& node);

// Keeps rows by worker and puts them in order at the end. `charge` outlives it.
class KeptRows final : public Consumer {
 public:
  explicit KeptRows(RowCharge* charge) : charge_(charge) {}
  Result<std::unique_ptr<Sink>> make_sink() override;
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override;
  const std::vector<Chunk>& chunks() const { return chunks_; }

 private:
  RowCharge* charge_;
  std::vector<Chunk> chunks_;
};

// Gives every chunk to `take`, on the thread that makes it. With `kept` the chunks stay charged
// afterwards. `charge` outlives it.
class PassedRows final : public Consumer {
 public:
  using Take = std::function<Status(const Chunk& chunk)>;
  PassedRows(RowCharge* charge, bool kept, Take take)
      : charge_(charge), kept_(kept), take_(std::move(take)) {}
  Result<std::unique_ptr<Sink>> make_sink() override;
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override;

 private:
  RowCharge* charge_;
  const bool kept_;
  const Take take_;
};

}  // namespace evq
