// Large bodies that want the same memory: who gets it, who waits and who gives up.
#include "http/rewriting_claim.h"

#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include "http/event_members.h"
#include "store/base/limits.h"

namespace evq {
namespace {

TEST_CASE("bodies that are rewritten share what memory there is") {
  RewritingBudget budget(8 * kMebibyte);
  {
    RewritingClaim claim(budget);
    CHECK(claim.take_body(kMebibyte / 2).ok());
    CHECK(claim.take_events(kMebibyte).ok());
    RewritingClaim other(budget);
    CHECK(other.take_events(2 * kMebibyte).error().code == ErrorCode::kUnavailable);
    CHECK(other.take_events(kMebibyte).ok());
    CHECK(claim.take_events(kMebibyte + 1).error().code == ErrorCode::kTooLarge);  // never fits
    CHECK((budget.held() == 8 * kMebibyte));
  }
  CHECK(budget.held() == 0);
}

TEST_CASE("large bodies begin in the order in which they came, small ones pass them") {
  RewritingBudget budget(80 * kMebibyte);
  std::optional<RewritingClaim> first(budget);
  std::optional<RewritingClaim> second(budget);
  RewritingClaim third(budget);
  CHECK(first->begin(4 * kMebibyte));
  CHECK_FALSE(second->begin(6 * kMebibyte));
  CHECK_FALSE(third.begin(3 * kMebibyte));  // would fit
  RewritingClaim small(budget);
  CHECK(small.begin(1000));
  first.reset();
  CHECK_FALSE(third.begin(3 * kMebibyte));
  CHECK(second->begin(6 * kMebibyte));
  CHECK_FALSE(third.begin(3 * kMebibyte));
  second.reset();
  CHECK(third.begin(3 * kMebibyte));
  CHECK(third.take_body(3 * kMebibyte).ok());
  CHECK((budget.held() == 30 * kMebibyte + 10'000));  // it had what it took
}

TEST_CASE("one that waits and goes leaves its turn to the next") {
  RewritingBudget budget(80 * kMebibyte);
  RewritingClaim running(budget);
  CHECK(running.begin(4 * kMebibyte));
  std::optional<RewritingClaim> waiting(budget);
  CHECK_FALSE(waiting->begin(6 * kMebibyte));
  RewritingClaim next(budget);
  CHECK_FALSE(next.begin(3 * kMebibyte));
  waiting.reset();
  CHECK(next.begin(3 * kMebibyte));
}

TEST_CASE("of those that began and need more, the first waits and the others give up") {
  RewritingBudget budget(8 * kMebibyte);
  RewritingClaim first(budget);
  std::optional<RewritingClaim> second(budget);
  REQUIRE(first.take_events(2 * kMebibyte).ok());
  REQUIRE(second->take_events(kMebibyte).ok());
  Status grown = make_error(ErrorCode::kInternal, "not yet");
  std::thread growing([&] { grown = first.take_events(2 * kMebibyte); });
  CHECK(second->take_events(2 * kMebibyte).error().code == ErrorCode::kUnavailable);
  second.reset();
  growing.join();
  CHECK(grown.ok());
  CHECK((budget.held() == 8 * kMebibyte));
}

TEST_CASE("nobody waits for memory longer than its request may take") {
  RewritingBudget budget(8 * kMebibyte);
  QueryControl control;
  RewritingClaim first(budget, &control);
  RewritingClaim second(budget);
  REQUIRE(first.take_events(2 * kMebibyte).ok());
  REQUIRE(second.take_events(2 * kMebibyte).ok());
  control.cancel();
  CHECK(first.take_events(kMebibyte).error().code == ErrorCode::kCancelled);
  CHECK((budget.held() == 8 * kMebibyte));
}

TEST_CASE("what makes events of a body ends when its request does") {
  RewritingBudget budget(8 * kMebibyte);
  QueryControl control;
  RewritingClaim claim(budget, &control);
  REQUIRE(claim.take_events(1).ok());
  control.cancel();
  CHECK(claim.take_events(1).error().code == ErrorCode::kCancelled);
  CHECK(claim.take_body(1).error().code == ErrorCode::kCancelled);
}

TEST_CASE("members are paid for by the event that has most of them") {
  constexpr std::size_t kMany = 10'000;
  RewritingBudget budget(kMany * kMemberBytes);
  RewritingClaim claim(budget);
  MemberRoom room(claim);
  CHECK(room.take(kEventFieldsMax).ok());
  CHECK(budget.held() == 0);
  CHECK(room.take(kMany).ok());
  CHECK(budget.held() == (kMany - kEventFieldsMax) * kMemberBytes);
  CHECK(room.take(kMany).ok());
  CHECK(budget.held() == (kMany - kEventFieldsMax) * kMemberBytes);
  CHECK(room.take(kMany + kEventFieldsMax + 1).error().code == ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace evq
