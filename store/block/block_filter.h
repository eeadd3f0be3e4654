#pragma once
// BlockTest: what can be said about a predicate over the rows of a block without decoding rows. It
// is a tree of "and" and "or" over leaf tests; the answer is never wrong: kCannotMatch means that
// no row matches, kAllMatch that every row does, kMayMatch everything else. The caller translates
// its predicate into a tree that is true at least wherever the predicate is (a conjunct nothing is
// known about becomes `unknown`, which may match); kAllMatch helps only when it is exact.
//
// Nulls: a null row matches no comparison, no `in` and no text test, also not kNotEqual; a caller
// whose language says otherwise adds `or is_null`. A column the block lacks is null in all rows.
// Numbers compare as numbers (long against real); strings by bytes; a constant of a type that the
// column's cannot be compared with, and any dynamic column, may match.
//
// Terms are maximal runs of letters and digits of any script (is_alphanumeric of
// store/base/utf8.h), case-folded.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/block/block_reader.h"
#include "store/column/value.h"

namespace evq {

enum class TestOutcome : std::uint8_t { kCannotMatch, kMayMatch, kAllMatch };

enum class CompareOp : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

// A test of one text value: a match has every one of `terms` among its terms, and `matches`, when
// given, says exactly whether a value matches (it is asked about dictionary entries).
struct TextTest {
  std::vector<std::string> terms;  // folded
  std::function<bool(std::string_view)> matches;
};

class BlockTest {
 public:
  static BlockTest always();
  static BlockTest never();
  static BlockTest unknown();
  static BlockTest all_of(std::vector<BlockTest> tests);
  static BlockTest any_of(std::vector<BlockTest> tests);
  // A null constant makes it unknown.
  static BlockTest compare(std::string field, CompareOp op, Value constant);
  static BlockTest in_list(const std::string& field, std::vector<Value> constants);
  static BlockTest is_null(std::string field);
  static BlockTest is_not_null(std::string field);
  // For has, contains, startswith, matches regex, ==~ and their like on a string column.
  static BlockTest text(std::string field, TextTest test);
  // Some column of the block has a value, taken as text, that passes the test: `search`. The text
  // of a long is its digits; bools are true/false; reals, datetimes and timespans any usual text.
  static BlockTest any_text(TextTest test);

  BlockTest(const BlockTest&);
  BlockTest(BlockTest&&) noexcept;
  BlockTest& operator=(BlockTest) noexcept;
  ~BlockTest();

  // From the header alone: no I/O.
  TestOutcome run(const BlockHeader& header) const;
  // Header first, then filters and dictionary entries of the columns it names, cheapest first, as
  // long as they can still change the answer. Errors are those of the reader.
  Result<TestOutcome> run(BlockReader& reader) const;

 private:
  friend class BlockTester;  // block_filter.cpp
  struct Node;
  explicit BlockTest(std::shared_ptr<const Node> node);

  std::shared_ptr<const Node> node_;
};

// False when no value of the column, as text, has all of `terms` (folded): `search` asks it to know
// which columns of a block to decode. Headers and token filters answer; dictionary entries are not
// read, because who decodes the column looks at them anyway.
Result<bool> column_may_have_terms(BlockReader& reader, std::size_t column,
                                   const std::vector<std::string>& terms);

// The folded terms of `text`, each once. A term that touches an open end is left out: there the
// text sought may be a part of a longer term (contains: both ends open; startswith: the end; has,
// equality: none).
std::vector<std::string> required_terms(std::string_view text, bool open_begin, bool open_end);

}  // namespace evq
