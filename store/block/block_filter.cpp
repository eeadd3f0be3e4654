#include "store/block/block_filter.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "store/base/utf8.h"
#include "store/column/ordering.h"
#include "store/encoding/terms.h"
#include "store/encoding/token_filter.h"

// A leaf first asks the header (bounds, null counts), then, if allowed to read, the token filter
// (terms and equality), the entries of a dictionary, and (equality) the packed texts.

namespace evq {
namespace {

// Decoding a longer list of entries costs what decoding the rows does, and its filter has spoken.
constexpr std::uint32_t kEntriesTestedMax = 8192;
// Looking for more texts among packed ones costs what unpacking them does.
constexpr std::size_t kTextsSoughtMax = 8;
constexpr std::size_t kLongDigitsMax = 19;  // in decimal

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

bool holds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
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

// Whether a value can hold that stands between `least` and `greatest` orders from the constant.
bool one_may_hold(CompareOp op, int least, int greatest) {
  return op == CompareOp::kEqual ? least <= 0 && greatest >= 0
                                 : holds(op, least) || holds(op, greatest);
}

// What the bounds say of a column with values and a constant that is not null.
bool header_may_match(const ColumnHeader& column, CompareOp op, const Value& constant) {
  if (!comparable(column.type, constant.type()) || is_nan(constant)) {
    return true;
  }
  // NaN is outside of the bounds; languages differ on its order, but it equals no number.
  if (column.has(kColumnHasNan) && op != CompareOp::kEqual) {
    return true;
  }
  if (!column.has(kColumnHasBounds)) {
    return !column.has(kColumnHasNan);
  }
  return one_may_hold(op, compare_values(column.least, constant),
                      compare_values(column.greatest, constant));
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
bool header_may_have_terms(const ColumnHeader& column, std::uint32_t rows,
                           const std::vector<std::string>& terms) {
  return column.nulls != rows && std::ranges::all_of(terms, [&](const std::string& term) {
           return type_may_have_term(column.type, term) &&
                  (column.type != Type::kLong || long_may_have_term(column, term));
         });
}

}  // namespace

// ---------------------------------------------------------------- the tree

struct BlockTest::Node {
  enum class Kind : std::uint8_t {
    kUnknown,
    kAllOf,
    kAnyOf,
    kEqualsAny,
    kCompare,
    kIsNull,
    kIsNotNull,
    kHasTerms,
  };
  // What a value may be equal to: no null. Those that can be compared with one another ascend.
  struct Sought {
    Value value;
    std::vector<std::string> terms;  // of a text
  };

  Kind kind = Kind::kUnknown;
  std::vector<BlockTest> children;
  std::string field;
  std::vector<Sought> sought;
  CompareOp op = CompareOp::kLess;
  Value constant;
  std::vector<std::string> terms;
};

BlockTest::BlockTest(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
BlockTest::BlockTest(const BlockTest&) = default;
BlockTest::BlockTest(BlockTest&&) noexcept = default;
BlockTest& BlockTest::operator=(BlockTest other) noexcept {
  node_.swap(other.node_);
  return *this;
}
BlockTest::~BlockTest() = default;

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
  if (op == CompareOp::kEqual) {
    std::vector<Value> constants;
    constants.push_back(std::move(constant));
    return in_list(std::move(field), std::move(constants));
  }
  if (constant.is_null()) {
    return unknown();
  }
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kCompare;
  node->field = std::move(field);
  node->op = op;
  node->constant = std::move(constant);
  return BlockTest(std::move(node));
}

BlockTest BlockTest::in_list(std::string field, std::vector<Value> constants) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kEqualsAny;
  node->field = std::move(field);
  for (Value& constant : constants) {
    if (constant.is_null()) {
      return unknown();
    }
    std::vector<std::string> terms;
    if (constant.type() == Type::kString) {
      terms = required_terms(constant.as_text(), false, false);
    }
    node->sought.push_back({std::move(constant), std::move(terms)});
  }
  std::ranges::sort(node->sought, [](const Node::Sought& a, const Node::Sought& b) {
    return comparable(a.value.type(), b.value.type()) ? compare_values(a.value, b.value) < 0
                                                      : a.value.type() < b.value.type();
  });
  return BlockTest(std::move(node));
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

BlockTest BlockTest::has_terms(std::string field, std::vector<std::string> terms) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kHasTerms;
  node->field = std::move(field);
  node->terms = std::move(terms);
  return BlockTest(std::move(node));
}

// ---------------------------------------------------------------- running it

// Whether an entry of a dictionary is one of some constants, whose types its own is comparable
// with.
class AnyOf {
 public:
  // `constants` ascend, and are there for as long as this.
  explicit AnyOf(const std::vector<const Value*>& constants) : constants_(constants) {
    if (constants.front()->type() == Type::kString) {
      for (const Value* text : constants) {
        texts_.emplace_back(text->as_text());
      }
    }
  }

  bool operator()(const Vector& entries, std::size_t i) const {
    if (!texts_.empty()) {
      return std::ranges::binary_search(texts_, entries.at<std::string_view>(i));
    }
    const Value entry = entries.value(i);
    return std::ranges::binary_search(constants_, &entry, [](const Value* a, const Value* b) {
      return compare_values(*a, *b) < 0;
    });
  }

 private:
  const std::vector<const Value*>& constants_;
  std::vector<std::string_view> texts_;  // the same, when they are texts
};

// Runs a tree over a header, and over the bytes behind it when a reader is given.
class BlockTester {
 public:
  BlockTester(const BlockHeader& header, BlockReader* reader) : header_(header), reader_(reader) {}

  Result<bool> may_match(const BlockTest& test) { return may_match(*test.node_); }
  // What headers and filters say of one column.
  Result<bool> may_have_terms(std::size_t column, const std::vector<std::string>& terms);

 private:
  using Node = BlockTest::Node;

  Result<bool> may_match(const Node& node);
  Result<bool> all_may_match(const std::vector<BlockTest>& tests);
  Result<bool> any_may_match(const std::vector<BlockTest>& tests);
  Result<bool> equals_may_match(std::size_t column, const std::vector<Node::Sought>& sought);
  Result<bool> compare_may_match(std::size_t column, const Node& node);
  // Whether more than `header_may_match` can be told of the constant.
  bool tells_more(const ColumnHeader& column, const Value& constant) const;
  Result<bool> terms_may_match(std::size_t column, const std::vector<std::string>& terms);
  Result<bool> filter_denies(std::size_t column, const std::vector<std::string>& terms);
  // Whether `matches` says yes to an entry; nothing when the column is no dictionary, or one too
  // large.
  template <class Matches>
  Result<std::optional<bool>> ask_entries(std::size_t column, Matches matches);

  const BlockHeader& header_;
  BlockReader* reader_;
  // Entries decoded last, and their column: several tests often ask one column.
  std::optional<Vector> entries_;
  std::size_t entries_of_ = 0;
};

Result<bool> BlockTester::may_match(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kUnknown:
      return true;
    case Node::Kind::kAllOf:
      return all_may_match(node.children);
    case Node::Kind::kAnyOf:
      return any_may_match(node.children);
    case Node::Kind::kEqualsAny:
    case Node::Kind::kCompare:
    case Node::Kind::kIsNull:
    case Node::Kind::kIsNotNull:
    case Node::Kind::kHasTerms:
      break;
  }
  const std::optional<std::size_t> column = header_.find(node.field);
  const std::uint32_t nulls = column.has_value() ? header_.columns[*column].nulls : header_.rows;
  if (node.kind == Node::Kind::kIsNull) {
    return nulls != 0;
  }
  if (nulls == header_.rows || node.kind == Node::Kind::kIsNotNull) {
    return nulls != header_.rows;
  }
  if (node.kind == Node::Kind::kEqualsAny) {
    return equals_may_match(*column, node.sought);
  }
  return node.kind == Node::Kind::kCompare ? compare_may_match(*column, node)
                                           : terms_may_match(*column, node.terms);
}

// What headers say of every test comes before any bytes are read for one.
Result<bool> BlockTester::all_may_match(const std::vector<BlockTest>& tests) {
  for (const BlockTest& test : tests) {
    EVQ_TRY_ASSIGN(const bool may, BlockTester(header_, nullptr).may_match(test));
    if (!may) {
      return false;
    }
  }
  if (reader_ == nullptr) {
    return true;
  }
  for (const BlockTest& test : tests) {
    EVQ_TRY_ASSIGN(const bool may, may_match(test));
    if (!may) {
      return false;
    }
  }
  return true;
}

Result<bool> BlockTester::any_may_match(const std::vector<BlockTest>& tests) {
  for (const BlockTest& test : tests) {
    // Without its header's consent no bytes are read.
    EVQ_TRY_ASSIGN(bool may, BlockTester(header_, nullptr).may_match(test));
    if (may && reader_ != nullptr) {
      EVQ_TRY_ASSIGN(may, may_match(test));
    }
    if (may) {
      return true;
    }
  }
  return false;
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
Result<std::optional<bool>> BlockTester::ask_entries(std::size_t column, Matches matches) {
  const ColumnHeader& header = header_.columns[column];
  if (!header.has(kColumnIsDictionary) || header.distinct > kEntriesTestedMax) {
    return std::optional<bool>();
  }
  if (!entries_.has_value() || entries_of_ != column) {
    EVQ_TRY_ASSIGN(entries_, reader_->read_dictionary(column));
    entries_of_ = column;
  }
  if (!entries_.has_value()) {
    return std::optional<bool>();
  }
  for (std::size_t i = 0; i < entries_->size(); ++i) {
    if (!entries_->is_null(i) && matches(*entries_, i)) {
      return std::optional(true);
    }
  }
  return std::optional(false);
}

bool BlockTester::tells_more(const ColumnHeader& column, const Value& constant) const {
  return reader_ != nullptr && !is_nan(constant) && comparable(column.type, constant.type()) &&
         !column.has(kColumnHasNan);
}

// The column has values. All constants that header and filter let pass are looked for at once: a
// list of them may be long.
Result<bool> BlockTester::equals_may_match(std::size_t column,
                                           const std::vector<Node::Sought>& sought) {
  const ColumnHeader& header = header_.columns[column];
  std::vector<const Value*> left;
  for (const Node::Sought& one : sought) {
    if (!header_may_match(header, CompareOp::kEqual, one.value)) {
      continue;
    }
    if (!tells_more(header, one.value)) {
      return true;
    }
    EVQ_TRY_ASSIGN(const bool denied, filter_denies(column, one.terms));
    if (!denied) {
      left.push_back(&one.value);
    }
  }
  if (left.empty()) {
    return false;
  }
  EVQ_TRY_ASSIGN(const std::optional<bool> asked, ask_entries(column, AnyOf(left)));
  if (asked.has_value() || header.type != Type::kString || left.size() > kTextsSoughtMax) {
    return asked.value_or(true);
  }
  for (const Value* text : left) {
    EVQ_TRY_ASSIGN(const bool may, reader_->may_have_text(column, text->as_text()));
    if (may) {
      return true;
    }
  }
  return false;
}

// The column has values.
Result<bool> BlockTester::compare_may_match(std::size_t column, const Node& node) {
  const Value& constant = node.constant;
  const ColumnHeader& header = header_.columns[column];
  if (!header_may_match(header, node.op, constant)) {
    return false;
  }
  if (!tells_more(header, constant)) {
    return true;
  }
  const bool is_text = constant.type() == Type::kString;
  const std::string_view text = is_text ? std::string_view(constant.as_text()) : "";
  EVQ_TRY_ASSIGN(const std::optional<bool> asked,
                 ask_entries(column, [&](const Vector& entries, std::size_t i) {
                   const int order = is_text ? three_way(entries.at<std::string_view>(i), text)
                                             : compare_values(entries.value(i), constant);
                   return holds(node.op, order);
                 }));
  return asked.value_or(true);
}

Result<bool> BlockTester::may_have_terms(std::size_t column,
                                         const std::vector<std::string>& terms) {
  if (!header_may_have_terms(header_.columns[column], header_.rows, terms)) {
    return false;
  }
  if (reader_ == nullptr) {
    return true;
  }
  EVQ_TRY_ASSIGN(const bool denied, filter_denies(column, terms));
  return !denied;
}

Result<bool> BlockTester::terms_may_match(std::size_t column,
                                          const std::vector<std::string>& terms) {
  EVQ_TRY_ASSIGN(const bool may_have, may_have_terms(column, terms));
  if (!may_have || reader_ == nullptr || terms.empty() ||
      header_.columns[column].type != Type::kString) {
    return may_have;
  }
  EVQ_TRY_ASSIGN(const std::optional<bool> asked,
                 ask_entries(column, [&](const Vector& entries, std::size_t i) {
                   const std::vector<std::string> found =
                       fold_terms(entries.at<std::string_view>(i));
                   return std::ranges::all_of(terms, [&](const std::string& term) {
                     return std::ranges::find(found, term) != found.end();
                   });
                 }));
  return asked.value_or(true);
}

bool BlockTest::may_match(const BlockHeader& header) const {
  const Result<bool> may = BlockTester(header, nullptr).may_match(*this);
  // Without a reader nothing can fail.
  return may.ok() ? *may : true;
}

Result<bool> BlockTest::may_match(BlockReader& reader) const {
  return BlockTester(reader.header(), &reader).may_match(*this);
}

Result<bool> column_may_have_terms(BlockReader& reader, std::size_t column,
                                   const std::vector<std::string>& terms) {
  return BlockTester(reader.header(), &reader).may_have_terms(column, terms);
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
