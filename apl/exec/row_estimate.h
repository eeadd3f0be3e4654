#pragma once
// How many rows a node is likely to give, guessed from what snapshots know and from what a scan's
// conditions let through in a few of many blocks: for choices that no answer depends on. A
// dataset that cannot be read counts as empty; conditions that cannot be tried, as when the query
// must end, count as conditions do on the average. The thread that runs the plan estimates.

#include <map>

#include "apl/plan/plan.h"

namespace evq {

class Executor;

double estimated_rows(Executor& executor, const plan::Node& node);

// What is known of a plan's nodes. Each of a chain of joins asks for those below it.
class RowEstimates {
 public:
  // As long as there is one, what has been estimated stays known: the nodes must outlive it.
  class Kept {
   public:
    explicit Kept(RowEstimates& estimates) : estimates_(estimates) { ++estimates_.keepers_; }
    ~Kept() {
      if (--estimates_.keepers_ == 0) {
        estimates_.rows_.clear();
      }
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

   private:
    RowEstimates& estimates_;
  };

 private:
  friend double estimated_rows(Executor& executor, const plan::Node& node);

  int keepers_ = 0;
  std::map<const plan::Node*, double> rows_;
};

}  // namespace evq
