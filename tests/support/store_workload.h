#pragma once
// Workload: a seeded mixture of everything that changes a store, and a model of what must be in it.
//
// Every call that succeeded counts as acknowledged. A call that failed may have happened or not,
// but as a whole: observe() looks which and holds the model to it; after a crash verify() accepts
// either. A violation is a line of text; no violation is an empty string.

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>

#include "store/store.h"

namespace evq {

class Workload {
 public:
  explicit Workload(std::uint64_t seed) : random_(seed) {}

  // One step. False when a call of the store failed; `error()` says how.
  bool step(Store& store);
  const Error& error() const { return error_; }
  // What changes no contents: reads everything and compacts. Failures are none of its business.
  static void tidy(Store& store);

  // After a failed step and with the disk well again: learns whether the step happened. A violation
  // when it happened in part, or when anything acknowledged is gone.
  std::string observe(Store& store);
  // With a store opened anew: everything acknowledged, once, and nothing else but the whole of a
  // step that failed last; and `check` is content.
  std::string verify(Store& store);

  std::uint64_t acknowledged() const { return acknowledged_; }

 private:
  using Events = std::set<std::int64_t>;
  struct Contents {
    std::map<std::string, Events> datasets;          // also those that were created and are empty
    std::map<std::string, std::string> definitions;  // settings, objects and tokens
    friend bool operator==(const Contents&, const Contents&) = default;
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool finish(Status status);
  bool ingest(Store& store);
  bool remove(Store& store);
  bool drop(Store& store);
  bool define(Store& store);
  bool undefine(Store& store);
  static Result<Contents> read(Store& store);
  static std::string difference(const Contents& found, const Contents& wanted);

  std::mt19937_64 random_;
  Contents now_;    // what was acknowledged
  Contents maybe_;  // and the step that is under way
  // Receipts made while a failed ingest may have created its dataset.
  std::int64_t next_event_ = 0;
  std::uint64_t acknowledged_ = 0;
  Error error_;
};

}  // namespace evq
