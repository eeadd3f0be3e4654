#include "apl/exec/pruning.h"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace evq {
namespace {

struct CompareRow {
  std::string_view function;
  CompareOp op;
  CompareOp mirrored;  // for constant op column
};

constexpr std::array<CompareRow, 5> kCompareRows = {{
    {"op_equal", CompareOp::kEqual, CompareOp::kEqual},
    {"op_less", CompareOp::kLess, CompareOp::kGreater},
    {"op_less_equal", CompareOp::kLessEqual, CompareOp::kGreaterEqual},
    {"op_greater", CompareOp::kGreater, CompareOp::kLess},
    {"op_greater_equal", CompareOp::kGreaterEqual, CompareOp::kLessEqual},
}};

// String operators whose match must contain the terms of the text sought. `open_begin` and
// `open_end` say on which side the text may be a part of a longer term.
struct TextRow {
  std::string_view function;  // "op_" and the kind of a search
  bool open_begin;
  bool open_end;
};

constexpr std::array<TextRow, 13> kTextRows = {{
    {"op_has", false, false},
    {"op_has_cs", false, false},
    {"op_hasprefix", false, true},
    {"op_hasprefix_cs", false, true},
    {"op_hassuffix", true, false},
    {"op_hassuffix_cs", true, false},
    {"op_contains", true, true},
    {"op_contains_cs", true, true},
    {"op_startswith", true, true},
    {"op_startswith_cs", true, true},
    {"op_endswith", true, true},
    {"op_endswith_cs", true, true},
    {"op_equal_fold", false, false},
}};

class Translator {
 public:
  explicit Translator(const plan::Scan& scan) : scan_(scan) {}

  BlockTest translate(const plan::Expr& expr) const {
    if (expr.kind != plan::ExprKind::kCall) {
      return BlockTest::unknown();
    }
    const std::string_view name = expr.function->name;
    if (name == "op_and" || name == "op_or") {
      std::vector<BlockTest> tests;
      for (const plan::ExprPtr& arg : expr.args) {
        tests.push_back(translate(*arg));
      }
      return name == "op_and" ? BlockTest::all_of(std::move(tests))
                              : BlockTest::any_of(std::move(tests));
    }
    if (name == "isnull" || name == "isnotnull") {
      const std::string* field = stored_field(*expr.args[0]);
      if (field == nullptr) {
        return BlockTest::unknown();
      }
      return name == "isnull" ? BlockTest::is_null(*field) : BlockTest::is_not_null(*field);
    }
    if (name == "op_in") {
      return translate_in(expr);
    }
    if (expr.args.size() == 2) {
      return translate_binary(expr, name);
    }
    return BlockTest::unknown();
  }

 private:
  // The dataset's field a column reference reads, when its stored values are compared as they are.
  const std::string* stored_field(const plan::Expr& expr) const {
    if (!expr.is_column()) {
      return nullptr;
    }
    const plan::ScanColumn& column = scan_.columns[expr.column];
    if (column.field == plan::kRowColumn || column.type == Type::kDynamic) {
      return nullptr;
    }
    return column.field == plan::kTimeColumn ? &time_field_ : &column.field;
  }

  BlockTest translate_binary(const plan::Expr& expr, std::string_view name) const {
    const plan::Expr& left = *expr.args[0];
    const plan::Expr& right = *expr.args[1];
    for (const CompareRow& row : kCompareRows) {
      if (row.function != name) {
        continue;
      }
      if (const std::string* field = stored_field(left); field && right.is_constant()) {
        return BlockTest::compare(*field, row.op, right.constant);
      }
      if (const std::string* field = stored_field(right); field && left.is_constant()) {
        return BlockTest::compare(*field, row.mirrored, left.constant);
      }
      return BlockTest::unknown();
    }
    for (const TextRow& row : kTextRows) {
      if (row.function == name) {
        return translate_text(left, right, row);
      }
    }
    return BlockTest::unknown();
  }

  BlockTest translate_text(const plan::Expr& left, const plan::Expr& right,
                           const TextRow& row) const {
    const std::string* field = stored_field(left);
    if (field == nullptr || left.type != Type::kString || !right.is_constant() ||
        right.type != Type::kString || right.constant.is_null()) {
      return BlockTest::unknown();
    }
    std::vector<std::string> terms =
        required_terms(right.constant.as_text(), row.open_begin, row.open_end);
    return terms.empty() ? BlockTest::unknown() : BlockTest::has_terms(*field, std::move(terms));
  }

  BlockTest translate_in(const plan::Expr& expr) const {
    const std::string* field = stored_field(*expr.args[0]);
    if (field == nullptr) {
      return BlockTest::unknown();
    }
    std::vector<Value> constants;
    for (std::size_t i = 1; i < expr.args.size(); ++i) {
      const plan::Expr& item = *expr.args[i];
      if (!item.is_constant() || item.type == Type::kDynamic) {
        return BlockTest::unknown();
      }
      if (!item.constant.is_null()) {
        constants.push_back(item.constant);
      }
    }
    return BlockTest::in_list(*field, std::move(constants));
  }

  const plan::Scan& scan_;
  const std::string time_field_ = std::string(kTimeField);
};

// Takes what `expr` reads apart: columns of searches with required terms, and all other columns.
void collect_searches(const plan::Expr& expr, SearchedColumns* searched,
                      std::set<std::size_t>* other) {
  if (expr.is_column()) {
    other->insert(expr.column);
    return;
  }
  SharedTerms terms;
  if (expr.is_call("op_search")) {
    const std::string function = "op_" + std::string(expr.args[1]->constant.as_text());
    for (const TextRow& row : kTextRows) {
      if (row.function == function) {
        terms = std::make_shared<const std::vector<std::string>>(
            required_terms(expr.args[0]->constant.as_text(), row.open_begin, row.open_end));
      }
    }
  }
  for (const plan::ExprPtr& arg : expr.args) {
    if (terms != nullptr && !terms->empty() && arg->is_column()) {
      (*searched)[arg->column].push_back(terms);
    } else {
      collect_searches(*arg, searched, other);
    }
  }
}

}  // namespace

bool lies_inside(const SnapshotBlock& block, const plan::Scan& scan, std::int64_t time_min,
                 std::int64_t time_max) {
  return time_min <= block.min_time && block.max_time <= time_max &&
         scan.arrived_from <= block.first_ordinal && block.ordinal_end <= scan.arrived_before;
}

SearchedColumns searched_columns(const plan::Expr& filter) {
  SearchedColumns searched;
  std::set<std::size_t> other;
  collect_searches(filter, &searched, &other);
  for (const std::size_t column : other) {
    searched.erase(column);
  }
  return searched;
}

BlockTest block_test(const plan::Scan& scan) {
  const Translator translator(scan);
  std::vector<BlockTest> tests;
  for (const plan::ExprPtr& filter : scan.filters) {
    tests.push_back(translator.translate(*filter));
  }
  return BlockTest::all_of(std::move(tests));
}

}  // namespace evq
