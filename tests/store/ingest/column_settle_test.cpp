// A column that takes many cells at once is the one that took them one by one.
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/column/dynamic.h"
#include "store/column/value.h"
#include "store/ingest/column_builder.h"
#include "tests/support/random_text.h"

namespace {

using evq::Cell;
using evq::CellKind;
using evq::ColumnBuilder;
using evq::Random;
using evq::Vector;

// What comes in one column: cells of one kind, and now and then another.
struct Mixture {
  const char* name;
  std::vector<CellKind> kinds;
  std::size_t texts;        // different ones
  std::size_t gap_max;      // rows without a value between two
  std::size_t other_every;  // 0: never
};

class Cells {
 public:
  explicit Cells(std::uint64_t seed) : random_(seed) {}

  Cell make(const Mixture& mixture) {
    const bool other = mixture.other_every != 0 && random_() % mixture.other_every == 0;
    switch (mixture.kinds[other ? random_() % mixture.kinds.size() : 0]) {
      case CellKind::kBool:
        return Cell::of_bool(random_() % 2 == 0);
      case CellKind::kLong:
        return Cell::of_long(static_cast<std::int64_t>(random_() % 1000));
      case CellKind::kReal:
        return Cell::of_real(static_cast<double>(random_() % 1000) / 8);
      case CellKind::kText:
        return make_text("v" + std::to_string(pick(mixture.texts)));
      case CellKind::kRawText:
        return Cell::of_text(CellKind::kRawText, keep(raw_text(pick(mixture.texts))));
      case CellKind::kDynamic:
        break;
    }
    evq::DynamicBuilder list;
    list.add_string("d" + std::to_string(pick(mixture.texts)));
    return Cell::of_text(CellKind::kDynamic, keep(std::string(list.bytes())));
  }
  std::size_t pick(std::size_t count) { return random_() % count; }

 private:
  // Integers, as most batches have nothing else, and now and then what changes the whole column.
  std::string raw_text(std::size_t number) {
    const std::size_t kind = pick(6000);
    return kind == 0   ? "n/a"
           : kind == 1 ? "0.5"
           : kind == 2 ? "00"
                       : (number % 5 == 0 ? "-" : "") + std::to_string(number * 1000003 + 1);
  }
  // Some longer than a head, some with their last bytes behind it. Sixteen bytes of a string's
  // memory can always be read.
  Cell make_text(std::string text) {
    const char last = text.back();
    text.append(last % 2 == 0 ? 0 : 13 + static_cast<std::size_t>(last % 10), '.');
    text += last;
    Cell cell = Cell::of_text(CellKind::kText, keep(std::move(text)));
    cell.readable = random_() % 2 == 0;
    return cell;
  }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  Random random_;
  std::deque<std::string> texts_;
};

void check_same(const Vector& a, const Vector& b) {
  REQUIRE(a.type() == b.type());
  REQUIRE(a.size() == b.size());
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    const bool same =
        a.is_null(row) == b.is_null(row) && (a.is_null(row) || a.value(row) == b.value(row));
    wrong += same ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("cells that are settled together make the column that they make one by one") {
  const Mixture mixtures[] = {
      {"few texts", {CellKind::kText}, 5, 0, 0},
      {"few texts, sparse", {CellKind::kText}, 5, 9, 0},
      {"many texts", {CellKind::kText}, 100000, 0, 0},
      {"many texts, sparse", {CellKind::kText}, 100000, 3, 0},
      {"texts that stop to repeat", {CellKind::kText}, 900, 2, 0},
      {"longs", {CellKind::kLong}, 1, 0, 0},
      {"longs, sparse", {CellKind::kLong}, 1, 200, 0},
      {"reals, sparse", {CellKind::kReal}, 1, 5, 0},
      {"reals and longs", {CellKind::kReal, CellKind::kLong}, 1, 1, 4},
      {"longs, then reals", {CellKind::kLong, CellKind::kReal}, 1, 1, 500},
      {"dynamic values", {CellKind::kDynamic}, 50, 1, 0},
      {"CSV", {CellKind::kRawText}, 40, 2, 0},
      {"CSV, many values", {CellKind::kRawText}, 100000, 0, 0},
      {"CSV, then anything",
       {CellKind::kRawText, CellKind::kText, CellKind::kLong, CellKind::kDynamic},
       100000,
       1,
       2000},
      {"texts and CSV", {CellKind::kText, CellKind::kRawText}, 40, 2, 3},
      {"texts, then anything",
       {CellKind::kText, CellKind::kLong, CellKind::kDynamic, CellKind::kBool, CellKind::kReal},
       100000,
       1,
       700},
      {"anything",
       {CellKind::kLong, CellKind::kText, CellKind::kDynamic, CellKind::kBool, CellKind::kReal},
       30,
       2,
       2},
  };
  for (const Mixture& mixture : mixtures) {
    CAPTURE(mixture.name);
    Cells cells(11);
    ColumnBuilder one_by_one(3);
    ColumnBuilder together(3);
    for (int batch = 0; batch < 3; ++batch) {
      std::size_t row = cells.pick(3);
      for (int i = 0; i < 3000; ++i, row += 1 + cells.pick(mixture.gap_max + 1)) {
        const Cell cell = cells.make(mixture);
        one_by_one.append(row, cell);
        together.defer(row, cell);
        if (cells.pick(100) == 0) {
          together.settle();
        }
      }
      const std::size_t rows = row + cells.pick(3);
      check_same(one_by_one.take(rows), together.take(rows));
      one_by_one.clear();
      together.clear();
    }
  }
}

TEST_CASE("a column whose texts stop to repeat gives its dictionary's memory back") {
  constexpr std::size_t kTexts = 5000;  // more than a dictionary takes
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kTexts; ++i) {
    texts.push_back("value " + std::to_string(i));
  }
  ColumnBuilder builder(3);
  for (std::size_t row = 0; row < 2 * kTexts; ++row) {
    builder.append(row, Cell::of_text(CellKind::kText, texts[row / 2]));
  }
  const Vector column = builder.take(2 * kTexts);
  CHECK_FALSE(column.is_dictionary());
  // The texts are the vector's: where each ended is what is left.
  CHECK(builder.memory_bytes() < sizeof(ColumnBuilder) + 2 * kTexts * 2 * sizeof(std::uint32_t));
}
