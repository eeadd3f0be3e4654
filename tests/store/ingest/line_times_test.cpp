// The times of log lines, one after the other.
#include "store/ingest/line_times.h"

#include <memory>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "store/base/ascii.h"
#include "store/base/time.h"
#include "tests/support/load_events.h"

using evq::test::kReceiptNs;

TEST_CASE("a line without a time is from when the line before it is") {
  const auto times_of = [](evq::PieceKind kind, std::string_view text,
                           std::optional<std::int64_t> before) {
    evq::Piece piece;
    piece.kind = kind;
    piece.receipt_ns = kReceiptNs;
    piece.time_before = before;
    piece.size = text.size();
    piece.memory = std::make_unique<char[]>(text.size());
    text.copy(piece.memory.get(), text.size());
    evq::LineTimes times(piece, true);
    std::string found;
    while (!text.empty()) {
      const auto time = times.next(evq::take_line(&text));
      found += time ? evq::instant_text(*time) + " " : "none ";
    }
    const auto last = evq::last_line_time(piece);
    return found + "| " + (last ? evq::instant_text(*last) : "none");
  };
  using enum evq::PieceKind;
  CHECK(times_of(kText, "a\n2024-05-01T10:20:30Z b\n\tc\n\nd", std::nullopt) ==
        "2024-05-01T10:20:30Z 2024-05-01T10:20:30Z 2024-05-01T10:20:30Z 2024-05-01T10:20:30Z "
        "2024-05-01T10:20:30Z | 2024-05-01T10:20:30Z");
  CHECK(times_of(kText, "a\nb\n", kReceiptNs) ==
        "2023-11-14T22:13:20Z 2023-11-14T22:13:20Z | 2023-11-14T22:13:20Z");
  CHECK(times_of(kText, "a\n2024-05-01T10:20:30Z b\n", kReceiptNs) ==
        "2023-11-14T22:13:20Z 2024-05-01T10:20:30Z | 2024-05-01T10:20:30Z");
  // What a log begins with is from its first time, but nobody looks far ahead for it.
  CHECK(times_of(kText, "a\n\nb\n2024-05-01T10:20:30Z c\n2024-05-01T10:20:31Z d", std::nullopt) ==
        "2024-05-01T10:20:30Z 2024-05-01T10:20:30Z 2024-05-01T10:20:30Z 2024-05-01T10:20:30Z "
        "2024-05-01T10:20:31Z | 2024-05-01T10:20:31Z");
  CHECK(times_of(kLogfmt, "a=b\nts=2024-05-01T10:20:30Z a=b\n", std::nullopt) ==
        "2024-05-01T10:20:30Z 2024-05-01T10:20:30Z | 2024-05-01T10:20:30Z");
  CHECK(times_of(kText, "a\nb\n", std::nullopt) == "none none | none");
  CHECK(times_of(kText, std::string(2000, '\n') + "2024-05-01T10:20:30Z x", std::nullopt)
            .starts_with("none "));
  CHECK(times_of(kText, "", kReceiptNs) == "| 2023-11-14T22:13:20Z");
  CHECK(times_of(kLogfmt, "ts=2024-05-01T10:20:30Z a=b\n at x\n", std::nullopt) ==
        "2024-05-01T10:20:30Z 2024-05-01T10:20:30Z | 2024-05-01T10:20:30Z");
  // Nobody looks back for ever.
  const std::string many(3000, '\n');
  CHECK(times_of(kText, "2024-05-01T10:20:30Z x\n" + many, kReceiptNs).ends_with("| none"));
}
