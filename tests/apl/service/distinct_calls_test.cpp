// A function of a column with few values, which blocks hold as a dictionary, is called once for
// each value of a block and not once a row: every function of the registry that takes one text, in
// what is shown and in a filter, through the whole engine but for the counter.

#include <atomic>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "apl/plan/bind.h"
#include "apl/plan/optimizer.h"
#include "apl/service/snapshot_tables.h"
#include "apl/syntax/parser.h"
#include "store/ingest/byte_source.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::size_t kRows = 6000;
constexpr std::size_t kBlockRows = 2000;
constexpr std::size_t kValues = 5;

// Does what another function does, and counts the rows it is asked for.
class CountedCall final : public BoundFunction {
 public:
  CountedCall(std::shared_ptr<const BoundFunction> call, std::atomic<std::size_t>* rows)
      : call_(std::move(call)), rows_(rows) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    *rows_ += rows;
    return call_->evaluate(context, args, rows);
  }

 private:
  std::shared_ptr<const BoundFunction> call_;
  std::atomic<std::size_t>* rows_;
};

void count_calls(plan::Expr* expr, std::atomic<std::size_t>* rows) {
  if (expr->kind == plan::ExprKind::kCall) {
    expr->call.function = std::make_shared<CountedCall>(expr->call.function, rows);
  }
  for (const plan::ExprPtr& arg : expr->args) {
    count_calls(arg.get(), rows);
  }
}

void count_calls(plan::Node* node, std::atomic<std::size_t>* rows) {
  if (auto* project = std::get_if<plan::Project>(&node->op)) {
    for (const plan::ExprPtr& expr : project->exprs) {
      count_calls(expr.get(), rows);
    }
  } else if (auto* filter = std::get_if<plan::Filter>(&node->op)) {
    count_calls(filter->predicate.get(), rows);
  } else if (auto* scan = std::get_if<plan::Scan>(&node->op)) {
    for (const plan::ExprPtr& expr : scan->filters) {
      count_calls(expr.get(), rows);
    }
  }
  for (const plan::NodePtr& input : node->inputs) {
    count_calls(input.get(), rows);
  }
}

class FewValues {
 public:
  FewValues() {
    StoreOptions options;
    options.directory = directory_.path() + "/store";
    options.block_rows = kBlockRows;
    auto opened = Store::open(options);
    REQUIRE(opened.ok());
    store_ = std::move(opened).value();
    std::string text;
    for (std::size_t i = 0; i < kRows; ++i) {
      text += R"({"path":"/a/)" + std::to_string(i * i % kValues) + "\"}\n";
    }
    IngestRequest request;
    request.options.format = InputFormat::kNdjson;
    QueryControl control;
    const std::unique_ptr<ByteSource> source = memory_source(text);
    REQUIRE(store_->ingest("d", *source, request, control).ok());
  }

  // How many rows the query's functions were called for; nothing when it does not bind.
  std::optional<std::size_t> called_rows(const std::string& apl) {
    SnapshotTables tables(*store_, nullptr);
    const auto query = syntax::parse(apl, 0);
    REQUIRE(query.ok());
    plan::BindOptions bind;
    auto plan = plan::bind_query(query.value(), tables, bind);
    if (!plan.ok()) {
      return std::nullopt;
    }
    REQUIRE(plan::optimize(&plan.value(), bind.context).ok());
    std::atomic<std::size_t> rows = 0;
    count_calls(plan->root.get(), &rows);
    QueryStats stats;
    Executor executor(bind.context, {}, &tables, &stats);
    REQUIRE(executor.collect(*plan->root, "test").ok());
    return rows;
  }

 private:
  TempDirectory directory_;
  std::unique_ptr<Store> store_;
};

// A function is left out of the rule when each row has a value of its own.
bool differs_by_row(const ScalarFunction& function) {
  return (static_cast<unsigned>(function.flags) & static_cast<unsigned>(FunctionFlags::kPerRow)) !=
         0;
}

TEST_CASE("a function of a column with few values is called once for each of them") {
  FewValues events;
  constexpr std::size_t kBlocks = kRows / kBlockRows;
  std::size_t functions = 0;
  for (const ScalarFunction* function : all_functions()) {
    if (differs_by_row(*function)) {
      continue;
    }
    // Once for each value of each block, and as often for a conversion of the argument.
    const std::string call = std::string(function->name) + "(path)";
    CAPTURE(call);
    const auto shown = events.called_rows("d | project x = " + call);
    const auto filtered = events.called_rows("d | where isnotempty(" + call + ") | project path");
    CHECK(shown.has_value() == filtered.has_value());
    if (shown.has_value() && filtered.has_value()) {
      ++functions;
      CHECK(*shown > 0);
      CHECK(*shown <= 2 * kValues * kBlocks);
      CHECK(*filtered > 0);
      CHECK(*filtered <= 4 * kValues * kBlocks);
    }
  }
  CHECK(functions > 100);
}

TEST_CASE("several columns of few values meet in their combinations") {
  FewValues events;
  const auto rows = events.called_rows("d | project x = strcat(path, '-', toupper(path))");
  REQUIRE(rows.has_value());
  CHECK(*rows <= (kValues + kValues * kValues) * kRows / kBlockRows);
}

TEST_CASE("all functions but these are called once for each value") {
  std::string names;
  for (const ScalarFunction* function : all_functions()) {
    if (differs_by_row(*function)) {
      names += " " + std::string(function->name);
    }
  }
  CHECK(names ==
        " rand new_guid next prev row_cumsum row_number row_rank_dense row_rank_min "
        "row_window_session");
}

}  // namespace
}  // namespace evq
