#include "apl/exec/pruning.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace evq {
namespace {

// Nothing for !=, of which a block's bounds say nothing.
std::optional<CompareOp> compare_op(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return CompareOp::kEqual;
    case Comparison::kLess:
      return CompareOp::kLess;
    case Comparison::kLessEqual:
      return CompareOp::kLessEqual;
    case Comparison::kGreater:
      return CompareOp::kGreater;
    case Comparison::kGreaterEqual:
      return CompareOp::kGreaterEqual;
    case Comparison::kNotEqual:
      break;
  }
  return std::nullopt;
}

// The terms that a text must have for it to match a search for the constant.
std::vector<std::string> terms_of(const plan::Expr& sought, OpenEnds open) {
  return required_terms(sought.constant.as_text(), open.begin, open.end);
}

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
    if (expr.function->comparison.has_value()) {
      return translate_comparison(expr, *expr.function->comparison);
    }
    if (expr.function->required_terms.has_value()) {
      return translate_search(expr, *expr.function->required_terms);
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

  BlockTest translate_comparison(const plan::Expr& expr, Comparison comparison) const {
    const plan::Expr& left = *expr.args[0];
    const plan::Expr& right = *expr.args[1];
    const bool turned = !right.is_constant();
    const std::string* field = stored_field(turned ? right : left);
    const plan::Expr& constant = turned ? left : right;
    const std::optional<CompareOp> op = compare_op(turned ? mirrored(comparison) : comparison);
    return field != nullptr && constant.is_constant() && op.has_value()
               ? BlockTest::compare(*field, *op, constant.constant)
               : BlockTest::unknown();
  }

  BlockTest translate_search(const plan::Expr& expr, OpenEnds open) const {
    const plan::Expr& left = *expr.args[0];
    const plan::Expr& right = *expr.args[1];
    const std::string* field = stored_field(left);
    if (field == nullptr || left.type != Type::kString || !right.is_constant() ||
        right.type != Type::kString || right.constant.is_null()) {
      return BlockTest::unknown();
    }
    std::vector<std::string> terms = terms_of(right, open);
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
    const ScalarFunction* test =
        find_function("op_" + std::string(expr.args[1]->constant.as_text()));
    if (test != nullptr && test->required_terms.has_value()) {
      terms = std::make_shared<const std::vector<std::string>>(
          terms_of(*expr.args[0], *test->required_terms));
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
