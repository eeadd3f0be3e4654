// links: evq_ingest
// JSON lines through the fast parser and through the tolerant one: both must take the same events
// with the same values and refuse the same lines at the same places. The first byte chooses
// options.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "store/ingest/event_rules.h"
#include "store/ingest/json_index.h"
#include "store/ingest/piece_parser.h"

namespace {

struct Outcome {
  evq::ParseReport report;
  evq::Table table;
};

Outcome parse(std::string_view text, const evq::ParseSettings& settings) {
  evq::Piece piece;
  // Exactly the padding promised, so that a read past it is seen.
  piece.memory.reset(new char[text.size() + evq::JsonIndex::kPaddingBytes]);
  std::copy(text.begin(), text.end(), piece.memory.get());
  // Padding may hold anything: here what would do most harm.
  std::fill_n(piece.memory.get() + text.size(), evq::JsonIndex::kPaddingBytes,
              text.empty() ? '}' : text.front());
  piece.size = text.size();
  evq::PieceParser parser(settings);
  evq::BatchBuilder builder(settings.rules);
  Outcome outcome;
  if (!parser.parse(piece, builder, outcome.report, [](std::size_t) { return evq::Status(); })
           .ok()) {
    __builtin_trap();
  }
  outcome.table = builder.take();
  return outcome;
}

// Columns in any order: the two see different parts of the events that fail.
bool same_tables(const evq::Table& a, const evq::Table& b) {
  if (a.rows != b.rows || a.columns.size() != b.columns.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const auto other = b.schema.find(a.schema[i].name);
    if (!other || !(a.schema[i] == b.schema[*other])) {
      return false;
    }
    for (std::size_t row = 0; row < a.rows; ++row) {
      if (!(a.columns[i].value(row) == b.columns[*other].value(row))) {
        return false;
      }
    }
  }
  return true;
}

bool same_reports(const evq::IngestCounts& a, const evq::IngestCounts& b) {
  return a.ingested == b.ingested && a.failed == b.failed && a.repaired == b.repaired &&
         std::equal(a.failures.begin(), a.failures.end(), b.failures.begin(), b.failures.end(),
                    [](const evq::IngestFailure& x, const evq::IngestFailure& y) {
                      return x.line == y.line && x.column == y.column && x.offset == y.offset &&
                             x.reason == y.reason;
                    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  auto rules = std::make_shared<evq::EventRules>();
  rules->strict = (data[0] & 1) != 0;
  if ((data[0] & 2) != 0) {
    rules->map_fields = {"a", "m.n"};
  }
  if ((data[0] & 4) != 0) {
    rules->timestamp_field = "t";
  }
  evq::ParseSettings settings;
  settings.rules = rules;
  settings.line_bytes_max = 1U << 20;
  settings.one_value_a_line = (data[0] & 8) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome fast = parse(text, settings);
  settings.tolerant_only = true;
  const Outcome tolerant = parse(text, settings);
  if (!same_tables(fast.table, tolerant.table) ||
      !same_reports(fast.report.counts, tolerant.report.counts)) {
    __builtin_trap();
  }
  return 0;
}
