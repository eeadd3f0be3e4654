// The optimiser over queries as long as they may be: it ends when the query must, and what it makes
// of a plan stays within bounds.

#include <string>

#include <doctest/doctest.h>

#include "apl/plan/bind.h"
#include "apl/plan/optimizer.h"
#include "apl/service/snapshot_tables.h"
#include "apl/syntax/parser.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

std::string inputs_and_conditions(int inputs, int conditions) {
  std::string apl = "union ";
  for (int i = 0; i < inputs; ++i) {
    apl += std::string(i == 0 ? "" : ", ") + "(range n from 1 to 9 step 1)";
  }
  for (int i = 0; i < conditions; ++i) {
    apl += (i == 0 ? " | where n != " : " and n != ") + std::to_string(i + 5);
  }
  return apl;
}

plan::Plan bound(const std::string& apl) {
  const TempDirectory folder;
  StoreOptions options;
  options.directory = folder.path() + "/store";
  const auto store = Store::open(options);
  REQUIRE(store.ok());
  SnapshotTables tables(**store, nullptr);
  const auto query = syntax::parse(apl, 0);
  REQUIRE(query.ok());
  auto plan = plan::bind_query(query.value(), tables, {});
  REQUIRE(plan.ok());
  return std::move(plan).value();
}

std::size_t calls(const plan::Expr& expr) {
  std::size_t count = expr.kind == plan::ExprKind::kCall ? 1 : 0;
  for (const plan::ExprPtr& arg : expr.args) {
    count += calls(*arg);
  }
  return count;
}

// Of the filters of a plan.
std::size_t filter_calls(const plan::Node& node) {
  std::size_t count = 0;
  if (const auto* filter = std::get_if<plan::Filter>(&node.op)) {
    count += calls(*filter->predicate);
  }
  for (const plan::NodePtr& input : node.inputs) {
    count += filter_calls(*input);
  }
  return count;
}

TEST_CASE("the optimiser ends when the query must") {
  plan::Plan plan = bound(inputs_and_conditions(3, 10));
  QueryControl control;
  control.cancel();
  EvalContext context;
  context.control = &control;
  const Status status = plan::optimize(&plan, context);
  REQUIRE(!status.ok());
  CHECK(status.error().code == ErrorCode::kCancelled);
}

TEST_CASE("a few conditions go to every input of a union, and thousands to some") {
  plan::Plan few = bound(inputs_and_conditions(50, 20));
  REQUIRE(plan::optimize(&few, {}).ok());
  CHECK(filter_calls(*few.root) >= 50 * 20);

  constexpr std::size_t kCallsMax = 150'000;
  plan::Plan many = bound(inputs_and_conditions(50, 15'000));
  REQUIRE(plan::optimize(&many, {}).ok());
  CHECK(filter_calls(*many.root) < kCallsMax);
}

}  // namespace
}  // namespace evq
