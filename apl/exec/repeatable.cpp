#include "apl/exec/repeatable.h"

#include <algorithm>
#include <variant>

#include "apl/plan/node_traits.h"

namespace evq {
namespace {

// What may come in another order when it is made again, since memory may be short at one time.
bool is_made_by_keys(const plan::Node& node) {
  return std::holds_alternative<plan::Aggregate>(node.op) ||
         std::holds_alternative<plan::Join>(node.op) ||
         std::ranges::any_of(node.inputs,
                             [](const plan::NodePtr& input) { return is_made_by_keys(*input); });
}

// Whether one node makes the same rows again when its inputs do.
bool repeats(const plan::Node& node) {
  const plan::NodeTraits traits = plan::traits_of(node.op);
  // What is made of a row depends on those before it.
  const bool looks_around =
      traits.order_seen == plan::OrderSeen::kInRows && traits.rows != plan::RowsMade::kOfSeveral;
  return traits.repeats && !plan::draws_itself(node.op) && !(looks_around && is_made_by_keys(node));
}

}  // namespace

bool is_repeatable(const plan::Node& node) {
  return repeats(node) && std::ranges::all_of(node.inputs, [](const plan::NodePtr& input) {
           return is_repeatable(*input);
         });
}

}  // namespace evq
