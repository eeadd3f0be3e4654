#pragma once
// BlockTest: whether rows of a block may match a predicate, told without decoding them. It is a
// tree of "and" and "or" over leaf tests; "no" is never wrong. The caller translates its predicate
// into a tree that is true at least wherever the predicate is: a conjunct nothing is known about
// becomes `unknown`, which may match.
//
// Nulls: a null row matches no comparison, no `in` and no text test; a caller whose language says
// otherwise adds `or is_null`. A column the block lacks is null in all rows. Numbers compare as
// numbers (long against real); strings by bytes; a constant of a type that the column's cannot be
// compared with, and any dynamic column, may match.
//
// Terms are maximal runs of letters and digits of any script (is_alphanumeric of
// store/base/utf8.h), case-folded.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/block/block_reader.h"
#include "store/column/value.h"

namespace evq {

enum class CompareOp : std::uint8_t {
  kEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

class BlockTest {
 public:
  static BlockTest unknown();
  static BlockTest all_of(std::vector<BlockTest> tests);
  static BlockTest any_of(std::vector<BlockTest> tests);
  // A null constant makes these unknown.
  static BlockTest compare(std::string field, CompareOp op, Value constant);
  static BlockTest in_list(std::string field, std::vector<Value> constants);
  static BlockTest is_null(std::string field);
  static BlockTest is_not_null(std::string field);
  // True for values whose terms include all of `terms` (folded): for has, contains, startswith, =~
  // and their like on a string column.
  static BlockTest has_terms(std::string field, std::vector<std::string> terms);

  BlockTest(const BlockTest&);
  BlockTest(BlockTest&&) noexcept;
  BlockTest& operator=(BlockTest) noexcept;
  ~BlockTest();

  // Tests with the header alone, without I/O.
  bool may_match(const BlockHeader& header) const;
  // Tests with the header first, then with filters, dictionary entries and packed texts of the
  // columns that the test names. Errors are those of the reader.
  Result<bool> may_match(BlockReader& reader) const;

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
