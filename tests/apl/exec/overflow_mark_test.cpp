// OverflowMark: set by what does not fit of the operator's own, and by failures below it only where
// these may be for the sake of what it holds.

#include "apl/exec/overflow_mark.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

constexpr std::size_t kMarkedBudgetBytes = std::size_t{64} << 20U;

Status ended_with(ErrorCode code) {
  return make_error(code, "ended");
}

TEST_CASE("an overflow is a limit of the operator's own") {
  OverflowMark mark;
  CHECK(mark.note(Status::success()).ok());
  CHECK(mark.note(ended_with(ErrorCode::kTimeout)).error().code == ErrorCode::kTimeout);
  CHECK_FALSE(mark.is_set());
  CHECK(mark.note(ended_with(ErrorCode::kLimit)).error().code == ErrorCode::kLimit);
  CHECK(mark.is_set());
}

TEST_CASE("a limit of operators below is an overflow where what is held may be the reason") {
  const MemoryBudget budget(kMarkedBudgetBytes);
  const struct {
    std::size_t held;
    const MemoryBudget* budget;
    ErrorCode code;
    bool set;
  } rows[] = {
      {0, &budget, ErrorCode::kLimit, false},
      {kMarkedBudgetBytes / 100, &budget, ErrorCode::kLimit, false},
      {kMarkedBudgetBytes / 2, &budget, ErrorCode::kLimit, true},
      {kMarkedBudgetBytes / 2, &budget, ErrorCode::kTimeout, false},
      // Without a limit of the query's own, of which none knows how far it is.
      {0, nullptr, ErrorCode::kLimit, false},
      {1, nullptr, ErrorCode::kLimit, true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.held);
    OverflowMark mark;
    mark.add_held(row.held);
    CHECK(mark.note_below(ended_with(row.code), row.budget).error().code == row.code);
    CHECK(mark.is_set() == row.set);
  }
}

}  // namespace
}  // namespace evq
