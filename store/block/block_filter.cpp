#include "store/block/block_filter.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "store/base/utf8.h"
#include "store/column/ordering.h"
#include "store/encoding/terms.h"
#include "store/encoding/token_filter.h"

// Three-valued logic over column facts. A leaf first asks the header (bounds, null counts), then,
// if allowed to read, the token filter (text leaves and equality), then the entries of a
// dictionary. "All rows match" is claimed only from facts that are exact for every row.

namespace evq {
namespace {

using enum TestOutcome;

// Decoding a longer list of entries costs what decoding the rows does, and its filter has spoken.
constexpr std::uint32_t kEntriesTestedMax = 8192;
constexpr std::size_t kLongDigitsMax = 19;  // in decimal

TestOutcome both(TestOutcome a, TestOutcome b) {
  if (a == kCannotMatch || b == kCannotMatch) {
    return kCannotMatch;
  }
  return a == kAllMatch && b == kAllMatch ? kAllMatch : kMayMatch;
}

TestOutcome either(TestOutcome a, TestOutcome b) {
  if (a == kAllMatch || b == kAllMatch) {
    return kAllMatch;
  }
  return a == kCannotMatch && b == kCannotMatch ? kCannotMatch : kMayMatch;
}

bool is_nan(const Value& value) {
  return value.type() == Type::kReal && std::isnan(value.as_real());
}

// Whether values of the two types have one order here.
bool comparable(Type a, Type b) {
  if (is_numeric(a) && is_numeric(b)) {
    return true;
  }
  return a == b && a != Type::kDynamic && a != Type::kNull;
}

// A long against a real, exactly: doubles cannot hold every long.
int compare_long_real(std::int64_t integer, double real) {
  if (real >= 9223372036854775808.0) {
    return -1;
  }
  if (real < -9223372036854775808.0) {
    return 1;
  }
  const double whole = std::trunc(real);
  const auto truncated = static_cast<std::int64_t>(whole);
  if (integer != truncated) {
    return integer < truncated ? -1 : 1;
  }
  return whole < real ? -1 : whole > real ? 1 : 0;
}

// Both non-null, comparable, not NaN.
int compare(const Value& a, const Value& b) {
  if (a.type() == Type::kReal && b.type() == Type::kReal) {
    return three_way(a.as_real(), b.as_real());
  }
  if (a.type() == Type::kReal) {
    return -compare_long_real(b.as_integer(), a.as_real());
  }
  if (b.type() == Type::kReal) {
    return compare_long_real(a.as_integer(), b.as_real());
  }
  if (a.type() == Type::kString) {
    return three_way(a.as_text(), b.as_text());
  }
  if (a.type() == Type::kBool) {
    return three_way(a.as_bool(), b.as_bool());
  }
  return three_way(a.as_integer(), b.as_integer());
}

bool holds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterEqual:
      return order >= 0;
  }
  return true;
}

// Where a value stands that lies between `low` and `high` orders against the constant: whether
// none, some or all of them can hold.
TestOutcome compare_bounds(CompareOp op, int low, int high) {
  // low and high are the signs of (least - constant) and (greatest - constant).
  const bool below = low < 0;
  const bool above = high > 0;
  const bool equal = low <= 0 && high >= 0;
  const bool any = (below && holds(op, -1)) || (above && holds(op, 1)) || (equal && holds(op, 0));
  if (!any) {
    return kCannotMatch;
  }
  const bool all =
      (!below || holds(op, -1)) && (!above || holds(op, 1)) && (!equal || holds(op, 0));
  return all ? kAllMatch : kMayMatch;
}

TestOutcome without_all(TestOutcome outcome) {
  return outcome == kAllMatch ? kMayMatch : outcome;
}

// One column, with what is needed to ask about it; a null header stands for an absent column.
TestOutcome compare_header(const ColumnHeader* column, std::uint32_t rows, CompareOp op,
                           const Value& constant) {
  if (constant.is_null()) {
    return kMayMatch;
  }
  if (column == nullptr || column->nulls == rows) {
    return kCannotMatch;
  }
  if (!comparable(column->type, constant.type()) || is_nan(constant)) {
    return kMayMatch;
  }
  if (column->has(kColumnHasNan)) {
    // NaN is outside of the bounds; languages differ on its order, so only what is certain counts.
    const bool nan_never = op == CompareOp::kEqual;
    if (!nan_never || !column->has(kColumnHasBounds)) {
      return nan_never ? kCannotMatch : kMayMatch;
    }
  }
  if (!column->has(kColumnHasBounds)) {
    return kMayMatch;
  }
  const TestOutcome outcome =
      compare_bounds(op, compare(column->least, constant), compare(column->greatest, constant));
  const bool certain = column->nulls == 0 && !column->has(kColumnHasNan);
  return certain ? outcome : without_all(outcome);
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

// Whether the usual text of a non-text type can have the term.
bool type_may_have_term(Type type, std::string_view term) {
  switch (type) {
    case Type::kNull:
      return term == "null";
    case Type::kBool:
      return term == "true" || term == "false" || term == "0" || term == "1";
    case Type::kLong:
      return all_digits(term) && term.size() <= kLongDigitsMax;
    case Type::kReal:
      return starts_with_digit(term) || term == "nan" || term == "inf" || term == "infinity" ||
             term == "e";
    case Type::kDatetime:
    case Type::kTimespan:
      return starts_with_digit(term);
    case Type::kString:
    case Type::kDynamic:
      break;
  }
  return true;
}

// A long column against a term of digits: some value must be plus or minus that number.
bool long_may_have_term(const ColumnHeader& column, std::string_view term) {
  if (!column.has(kColumnHasBounds) || (term.size() > 1 && term.front() == '0')) {
    return !column.has(kColumnHasBounds);
  }
  std::uint64_t number = 0;
  for (const char digit : term) {
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  const std::int64_t least = column.least.as_integer();
  const std::int64_t greatest = column.greatest.as_integer();
  const bool positive = number <= static_cast<std::uint64_t>(INT64_MAX) &&
                        static_cast<std::int64_t>(number) >= least &&
                        static_cast<std::int64_t>(number) <= greatest;
  // The negation is taken in unsigned arithmetic, where the least long has one too.
  const auto negated = static_cast<std::int64_t>(std::uint64_t{0} - number);
  const bool negative = number <= std::uint64_t{1} << 63 && negated >= least && negated <= greatest;
  return positive || negative;
}

// The header's word on a text test of one column: only types and bounds are known.
TestOutcome text_header(const ColumnHeader* column, std::uint32_t rows,
                        const std::vector<std::string>& terms) {
  if (column == nullptr || column->nulls == rows) {
    return kCannotMatch;
  }
  for (const std::string& term : terms) {
    if (!type_may_have_term(column->type, term)) {
      return kCannotMatch;
    }
    if (column->type == Type::kLong && !long_may_have_term(*column, term)) {
      return kCannotMatch;
    }
  }
  return kMayMatch;
}

}  // namespace

// ---------------------------------------------------------------- the tree

struct BlockTest::Node {
  enum class Kind : std::uint8_t {
    kOutcome,
    kAllOf,
    kAnyOf,
    kCompare,
    kIsNull,
    kIsNotNull,
    kText,
    kAnyText,
  };

  Kind kind = Kind::kOutcome;
  TestOutcome outcome = kMayMatch;
  std::vector<BlockTest> children;
  std::string field;
  CompareOp op = CompareOp::kEqual;
  std::vector<Value> constants;
  TextTest text;
};

BlockTest::BlockTest(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
BlockTest::BlockTest(const BlockTest&) = default;
BlockTest::BlockTest(BlockTest&&) noexcept = default;
BlockTest& BlockTest::operator=(BlockTest other) noexcept {
  node_.swap(other.node_);
  return *this;
}
BlockTest::~BlockTest() = default;

BlockTest BlockTest::always() {
  auto node = std::make_shared<Node>();
  node->outcome = kAllMatch;
  return BlockTest(std::move(node));
}

BlockTest BlockTest::never() {
  auto node = std::make_shared<Node>();
  node->outcome = kCannotMatch;
  return BlockTest(std::move(node));
}

BlockTest BlockTest::unknown() {
  return BlockTest(std::make_shared<Node>());
}

BlockTest BlockTest::all_of(std::vector<BlockTest> tests) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kAllOf;
  node->children = std::move(tests);
  return BlockTest(std::move(node));
}

BlockTest BlockTest::any_of(std::vector<BlockTest> tests) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kAnyOf;
  node->children = std::move(tests);
  return BlockTest(std::move(node));
}

BlockTest BlockTest::compare(std::string field, CompareOp op, Value constant) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kCompare;
  node->field = std::move(field);
  node->op = op;
  if (op == CompareOp::kEqual && constant.type() == Type::kString && !constant.is_null()) {
    node->text.terms = required_terms(constant.as_text(), false, false);
  }
  node->constants.push_back(std::move(constant));
  return BlockTest(std::move(node));
}

BlockTest BlockTest::in_list(const std::string& field, std::vector<Value> constants) {
  std::vector<BlockTest> tests;
  tests.reserve(constants.size());
  for (Value& constant : constants) {
    tests.push_back(compare(field, CompareOp::kEqual, std::move(constant)));
  }
  return any_of(std::move(tests));
}

BlockTest BlockTest::is_null(std::string field) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kIsNull;
  node->field = std::move(field);
  return BlockTest(std::move(node));
}

BlockTest BlockTest::is_not_null(std::string field) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kIsNotNull;
  node->field = std::move(field);
  return BlockTest(std::move(node));
}

BlockTest BlockTest::text(std::string field, TextTest test) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kText;
  node->field = std::move(field);
  node->text = std::move(test);
  return BlockTest(std::move(node));
}

BlockTest BlockTest::any_text(TextTest test) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kAnyText;
  node->text = std::move(test);
  return BlockTest(std::move(node));
}

// ---------------------------------------------------------------- running it

// Runs a tree over a header, and over the bytes behind it when a reader is given.
class BlockTester {
 public:
  BlockTester(const BlockHeader& header, BlockReader* reader) : header_(header), reader_(reader) {}

  Result<TestOutcome> run(const BlockTest& test) { return run_node(*test.node_); }

  // What headers and filters say of one column.
  Result<bool> may_have_terms(std::size_t column, const std::vector<std::string>& terms);

 private:
  using Node = BlockTest::Node;

  Result<TestOutcome> run_node(const Node& node);
  Result<TestOutcome> run_all_of(const Node& node);
  Result<TestOutcome> run_any_of(const Node& node);
  Result<TestOutcome> run_compare(const Node& node);
  Result<TestOutcome> run_any_text(const Node& node);
  // A text test of one column.
  Result<TestOutcome> test_text(std::size_t column, const TextTest& test);
  Result<bool> filter_denies(std::size_t column, const std::vector<std::string>& terms);
  // Asks `matches` about every entry: whether none, some or all rows match; nothing when the column
  // is no dictionary, or one too large.
  template <class Matches>
  Result<std::optional<TestOutcome>> ask_entries(std::size_t column, Matches matches);

  const ColumnHeader* column_of(const std::string& field) const {
    const std::optional<std::size_t> column = header_.find(field);
    return column.has_value() ? &header_.columns[*column] : nullptr;
  }

  const BlockHeader& header_;
  BlockReader* reader_;
};

Result<TestOutcome> BlockTester::run_node(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kOutcome:
      return node.outcome;
    case Node::Kind::kAllOf:
      return run_all_of(node);
    case Node::Kind::kAnyOf:
      return run_any_of(node);
    case Node::Kind::kCompare:
      return run_compare(node);
    case Node::Kind::kIsNull:
    case Node::Kind::kIsNotNull: {
      const ColumnHeader* column = column_of(node.field);
      const std::uint32_t nulls = column == nullptr ? header_.rows : column->nulls;
      const std::uint32_t matching =
          node.kind == Node::Kind::kIsNull ? nulls : header_.rows - nulls;
      return matching == 0 ? kCannotMatch : matching == header_.rows ? kAllMatch : kMayMatch;
    }
    case Node::Kind::kText: {
      const std::optional<std::size_t> column = header_.find(node.field);
      if (!column.has_value()) {
        return kCannotMatch;
      }
      return test_text(*column, node.text);
    }
    case Node::Kind::kAnyText:
      return run_any_text(node);
  }
  return kMayMatch;
}

// Two rounds: what headers say of every child comes before any bytes are read for one.
Result<TestOutcome> BlockTester::run_all_of(const Node& node) {
  for (BlockReader* reader : {static_cast<BlockReader*>(nullptr), reader_}) {
    TestOutcome outcome = kAllMatch;
    for (const BlockTest& child : node.children) {
      BlockTester tester(header_, reader);
      EVQ_TRY_ASSIGN(const TestOutcome one, tester.run(child));
      outcome = both(outcome, one);
      if (outcome == kCannotMatch) {
        return outcome;
      }
    }
    if (outcome == kAllMatch || reader == reader_) {
      return outcome;
    }
  }
  return kMayMatch;
}

Result<TestOutcome> BlockTester::run_any_of(const Node& node) {
  for (BlockReader* reader : {static_cast<BlockReader*>(nullptr), reader_}) {
    TestOutcome outcome = kCannotMatch;
    for (const BlockTest& child : node.children) {
      BlockTester tester(header_, reader);
      EVQ_TRY_ASSIGN(const TestOutcome one, tester.run(child));
      outcome = either(outcome, one);
      if (outcome == kAllMatch) {
        return outcome;
      }
    }
    if (outcome == kCannotMatch || reader == reader_) {
      return outcome;
    }
  }
  return kMayMatch;
}

Result<bool> BlockTester::filter_denies(std::size_t column, const std::vector<std::string>& terms) {
  if (terms.empty() || header_.columns[column].filter_bytes == 0) {
    return false;
  }
  if (header_.columns[column].distinct <= kEntriesTestedMax &&
      reader_->known_dictionary(column).has_value()) {
    return false;  // asking the entries says more and reads less
  }
  EVQ_TRY_ASSIGN(const std::string_view filter, reader_->filter(column));
  return std::any_of(terms.begin(), terms.end(),
                     [&](const std::string& term) { return !may_have_term(filter, term); });
}

template <class Matches>
Result<std::optional<TestOutcome>> BlockTester::ask_entries(std::size_t column, Matches matches) {
  const ColumnHeader& header = header_.columns[column];
  if (!header.has(kColumnIsDictionary) || header.distinct > kEntriesTestedMax) {
    return std::optional<TestOutcome>();
  }
  EVQ_TRY_ASSIGN(const std::optional<Vector> entries, reader_->read_dictionary(column));
  if (!entries.has_value()) {
    return std::optional<TestOutcome>();
  }
  bool any = false;
  bool all = header.nulls == 0;
  for (std::size_t i = 0; i < entries->size() && !(any && !all); ++i) {
    if (!entries->is_null(i)) {
      const bool one = matches(*entries, i);
      any = any || one;
      all = all && one;
    }
  }
  return std::optional(!any ? kCannotMatch : all ? kAllMatch : kMayMatch);
}

Result<TestOutcome> BlockTester::run_compare(const Node& node) {
  const std::optional<std::size_t> column = header_.find(node.field);
  const Value& constant = node.constants[0];
  const ColumnHeader* header = column.has_value() ? &header_.columns[*column] : nullptr;
  const TestOutcome outcome = compare_header(header, header_.rows, node.op, constant);
  if (outcome != kMayMatch || header == nullptr || reader_ == nullptr || constant.is_null() ||
      is_nan(constant) || !comparable(header->type, constant.type()) ||
      header->has(kColumnHasNan)) {
    return outcome;
  }
  if (node.op == CompareOp::kEqual) {
    EVQ_TRY_ASSIGN(const bool denied, filter_denies(*column, node.text.terms));
    if (denied) {
      return kCannotMatch;
    }
  }
  const std::string_view wanted =
      constant.type() == Type::kString ? std::string_view(constant.as_text()) : "";
  EVQ_TRY_ASSIGN(const std::optional<TestOutcome> asked,
                 ask_entries(*column, [&](const Vector& entries, std::size_t i) {
                   const int order = constant.type() == Type::kString
                                         ? three_way(entries.at<std::string_view>(i), wanted)
                                         : evq::compare(entries.value(i), constant);
                   return holds(node.op, order);
                 }));
  return asked.value_or(outcome);
}

Result<bool> BlockTester::may_have_terms(std::size_t column,
                                         const std::vector<std::string>& terms) {
  const ColumnHeader& header = header_.columns[column];
  if (text_header(&header, header_.rows, terms) == kCannotMatch) {
    return false;
  }
  EVQ_TRY_ASSIGN(const bool denied, filter_denies(column, terms));
  return !denied;
}

Result<TestOutcome> BlockTester::test_text(std::size_t column, const TextTest& test) {
  const ColumnHeader& header = header_.columns[column];
  const TestOutcome outcome = text_header(&header, header_.rows, test.terms);
  if (outcome != kMayMatch || reader_ == nullptr || header.type != Type::kString) {
    return outcome;
  }
  EVQ_TRY_ASSIGN(const bool denied, filter_denies(column, test.terms));
  if (denied) {
    return kCannotMatch;
  }
  if (!test.matches && test.terms.empty()) {
    return outcome;
  }
  EVQ_TRY_ASSIGN(const std::optional<TestOutcome> asked,
                 ask_entries(column, [&](const Vector& entries, std::size_t i) {
                   const auto text = entries.at<std::string_view>(i);
                   if (test.matches) {
                     return test.matches(text);
                   }
                   const std::vector<std::string> terms = fold_terms(text);
                   return std::all_of(test.terms.begin(), test.terms.end(), [&](const auto& term) {
                     return std::find(terms.begin(), terms.end(), term) != terms.end();
                   });
                 }));
  if (!asked.has_value()) {
    return outcome;
  }
  // Having the terms is necessary for a match, and only `matches` knows whether it is enough.
  return test.matches ? *asked : without_all(*asked);
}

Result<TestOutcome> BlockTester::run_any_text(const Node& node) {
  TestOutcome outcome = kCannotMatch;
  for (std::size_t column = 0; column < header_.columns.size(); ++column) {
    EVQ_TRY_ASSIGN(const TestOutcome one, test_text(column, node.text));
    outcome = either(outcome, one);
    if (outcome == kAllMatch) {
      return outcome;
    }
    // Some column may match: more reading could only find that all rows do, which is rare.
    if (outcome == kMayMatch && reader_ != nullptr) {
      return outcome;
    }
  }
  return outcome;
}

TestOutcome BlockTest::run(const BlockHeader& header) const {
  BlockTester tester(header, nullptr);
  const Result<TestOutcome> outcome = tester.run(*this);
  // Without a reader nothing can fail.
  return outcome.ok() ? *outcome : kMayMatch;
}

Result<TestOutcome> BlockTest::run(BlockReader& reader) const {
  BlockTester tester(reader.header(), &reader);
  return tester.run(*this);
}

Result<bool> column_may_have_terms(BlockReader& reader, std::size_t column,
                                   const std::vector<std::string>& terms) {
  BlockTester tester(reader.header(), &reader);
  return tester.may_have_terms(column, terms);
}

std::vector<std::string> required_terms(std::string_view text, bool open_begin, bool open_end) {
  std::vector<std::string> terms = fold_terms(text);
  if (!terms.empty() && open_end) {
    std::size_t position = text.size();
    if (is_alphanumeric(previous_code_point(text, position))) {
      terms.pop_back();
    }
  }
  if (!terms.empty() && open_begin) {
    std::size_t position = 0;
    if (is_alphanumeric(next_code_point(text, position))) {
      terms.erase(terms.begin());
    }
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

}  // namespace evq
