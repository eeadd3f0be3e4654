// Reasons of failures: each is known again by its text, whatever names and values are in it.
#include "store/ingest/failure_reason.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

namespace evq {
namespace {

std::string first_reason(const std::string& text, const std::string& time_field = {}) {
  IngestOptions options;
  options.timestamp_field = time_field;
  const test::Loaded loaded = test::load_events(text, options);
  return loaded.counts.failures.empty() ? "" : loaded.counts.failures[0].reason;
}

}  // namespace

TEST_CASE("reasons are recognised") {
  CHECK(kind_of_failure(unread_time_reason("at")) == FailureKind::kUnreadTime);
  CHECK(kind_of_failure(unread_time_reason("at", "noon")) == FailureKind::kUnreadTime);
  CHECK(kind_of_failure(unread_time_reason("at", "' has 9 bytes, more than the limit of 5")) ==
        FailureKind::kUnreadTime);
  CHECK(kind_of_failure(distant_time_reason("at", "")) == FailureKind::kDistantTime);
  CHECK(kind_of_failure(distant_time_reason("at", "' is no time")) == FailureKind::kDistantTime);
  CHECK(kind_of_failure(many_fields_reason()) == FailureKind::kManyFields);
  CHECK(kind_of_failure(many_new_keys_reason()) == FailureKind::kManyFields);
  CHECK(kind_of_failure(large_value_reason()) == FailureKind::kLargeValues);
  CHECK(kind_of_failure(large_value_reason("a", 9)) == FailureKind::kLargeValues);
  CHECK(kind_of_failure(large_lists_reason(9)) == FailureKind::kLargeValues);
  CHECK(kind_of_failure(many_cells_reason(9)) == FailureKind::kManyCells);
  for (const char* other : {"", "expected an object", "the value of '", "more than"}) {
    CHECK(kind_of_failure(other) == FailureKind::kOther);
  }
}

TEST_CASE("events fail for such reasons") {
  CHECK(first_reason("{\"at\":\"noon\"}\n", "at") == "the value of 'at' is no time: 'noon'");
  CHECK(first_reason("{\"at\":true}\n", "at") == "the value of 'at' is no time");
  CHECK(kind_of_failure(first_reason("{\"a\":\"" + std::string(2000000, 'x') + "\"}\n")) ==
        FailureKind::kLargeValues);
  std::string wide = "{\"n\":0";
  for (int i = 0; i < 1100; ++i) {
    wide += ",\"f" + std::to_string(i) + "\":1";
  }
  CHECK(kind_of_failure(first_reason(wide + "}\n")) == FailureKind::kManyFields);
}

}  // namespace evq
