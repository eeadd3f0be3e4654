// Inputs that are read in parts, each of which knows what is before it.
#include "store/ingest/input_before.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "store/ingest/piece_cutter.h"
#include "tests/support/load_events.h"

namespace {

using evq::test::kReceiptNs;

// The events of the parts, and what is known behind them.
std::string rows_of_parts(const std::vector<std::string_view>& parts,
                          const evq::IngestOptions& options, evq::InputBefore* behind = nullptr) {
  const std::function<std::int64_t()> clock = [] { return kReceiptNs; };
  std::optional<evq::InputBefore> before;
  std::string rows;
  for (const std::string_view part : parts) {
    evq::StreamContext context;
    context.before = before ? &*before : nullptr;
    const auto source = evq::memory_source(part);
    rows += evq::test::load_source(*source, options, context).rows();
    const auto again = evq::memory_source(part);
    evq::PieceCutter cutter(*again, options, clock, context.before);
    for (auto outcome = evq::PieceCutter::Outcome::kWaiting;
         outcome != evq::PieceCutter::Outcome::kEnd;) {
      evq::Piece piece;
      const auto next = cutter.next(evq::kBlockRowsMax, -1, piece);
      REQUIRE(next.ok());
      outcome = *next;
    }
    before = cutter.behind();
  }
  if (behind != nullptr) {
    *behind = *before;
  }
  return rows;
}

void check_parts(const std::vector<std::string_view>& parts, const evq::IngestOptions& options) {
  std::string whole;
  for (const std::string_view part : parts) {
    whole += part;
  }
  const std::string rows = evq::test::load_events(whole, options).rows();
  CHECK(!rows.empty());
  CHECK(rows_of_parts(parts, options) == rows);
}

}  // namespace

TEST_CASE("what the first part tells holds for those behind it") {
  evq::IngestOptions text;
  text.format = evq::InputFormat::kText;
  check_parts(
      {"10/03/2024 02:30:00 a\n13/03/2024 02:30:00 b\n", "05/04/2024 10:00:00 c\n", " at c\n"},
      text);
  check_parts({"[24/05/12 10:00:00] a\n[24/05/13 10:00:00] a\n[24/05/28 10:00:00] a\n",
               "[24/06/01 10:00:00] b\n"},
              text);
  evq::IngestOptions csv;
  csv.format = evq::InputFormat::kCsv;
  csv.csv_fields = {"a", "b"};
  check_parts({"1,007\n2,x\n", "3,8\n"}, csv);
  evq::IngestOptions w3c;
  w3c.format = evq::InputFormat::kW3c;
  check_parts({"#Fields: date time i\n2024-05-01 00:00:00 0\n", "2024-05-01 00:00:01 1\n"}, w3c);
}

TEST_CASE("what is known behind an input") {
  evq::IngestOptions text;
  text.format = evq::InputFormat::kText;
  evq::InputBefore behind;
  CHECK(!rows_of_parts({"05/04/2024 02:30:00 a\n", "13/03/2024 02:30:00 b\n"}, text, &behind)
             .empty());
  CHECK(behind.bytes == 44);
  CHECK(behind.has_events);
  CHECK(behind.date_order == evq::DateOrder::kDayFirst);
  CHECK(behind.time.has_value());
  CHECK(!rows_of_parts({"nothing\n"}, text, &behind).empty());
  CHECK(!behind.date_order.has_value());
  CHECK(!behind.time.has_value());
}
