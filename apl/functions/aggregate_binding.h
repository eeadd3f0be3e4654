#pragma once
// What the aggregate tables share when a call is bound: making a BoundAggregate out of a state
// class, reading constant arguments, choosing the type in which numbers are aggregated, and the
// …if forms, which are the plain aggregate over the rows whose predicate is true.

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apl/functions/aggregate_function.h"

namespace evq {

// The condition of the …if aggregates, documented once.
inline constexpr ParameterDoc kPredicate{"predicate", "A bool; null is not true."};

// A BoundAggregate that makes State(args...) for every worker. Where State has one, the static
// State::join(&args..., args...) appends to the former what the latter ask for, or says that it
// cannot: then states of both answer calls with the same rows together.
template <class State, class... Args>
class StateMaker final : public BoundAggregate {
 public:
  explicit StateMaker(Args... args) : args_(std::move(args)...) {}
  std::unique_ptr<AggregateState> make_state() const override {
    return std::apply([](const Args&... args) { return std::make_unique<State>(args...); }, args_);
  }
  std::shared_ptr<const BoundAggregate> joined(const BoundAggregate& other) const override {
    if constexpr (requires(Args * ... mine, const Args&... theirs) {
                    State::join(mine..., theirs...);
                  }) {
      const auto* same = dynamic_cast<const StateMaker*>(&other);
      auto both = std::make_shared<StateMaker>(*this);
      const bool joins = same != nullptr && std::apply(
                                                [&](Args&... mine) {
                                                  return std::apply(
                                                      [&](const Args&... theirs) {
                                                        return State::join(&mine..., theirs...);
                                                      },
                                                      same->args_);
                                                },
                                                both->args_);
      return joins ? both : nullptr;
    } else {
      return nullptr;
    }
  }
  const std::tuple<Args...>& args() const { return args_; }

 private:
  std::tuple<Args...> args_;
};

template <class State, class... Args>
std::shared_ptr<const BoundAggregate> make_aggregate(Args... args) {
  return std::make_shared<StateMaker<State, Args...>>(std::move(args)...);
}

// Returns the types of `arguments` in order, those of constants included.
std::vector<Type> types_of(std::span<const Argument> arguments);

// A call with one result whose first argument is converted to `first` and the others left alone.
BoundAggregateCall one_result(const AggregateBindRequest& request, Type result, Type first,
                              std::shared_ptr<const BoundAggregate> aggregate);

// Returns the type in which a numeric argument is aggregated: long, real and timespan as they are,
// null and dynamic as real. nullopt for types that are no numbers.
std::optional<Type> number_type(Type type);
// The same, but datetime as it is too.
std::optional<Type> number_or_time_type(Type type);
BindFailure not_a_number(const AggregateBindRequest& request, int argument);

// Allows a whole number in [min, max]; `otherwise` stands for an absent argument.
struct WholeNumberRule {
  std::string_view what;  // "the number of bins"
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t otherwise = 0;
};
std::variant<std::int64_t, BindFailure> constant_whole_number(const AggregateBindRequest& request,
                                                              std::size_t index,
                                                              const WholeNumberRule& rule);

// ---- …if forms

using AggregateBind = AggregateBindResult (*)(const AggregateBindRequest& request);

// Binds `bind` to the arguments without the predicate at `position` and filters its input.
AggregateBindResult bind_filtered(const AggregateBindRequest& request, AggregateBind bind,
                                  std::size_t position);
// Returns `call` restricted to the rows for which one more argument, a bool and the last, is true.
BoundAggregateCall filtered(BoundAggregateCall call);

}  // namespace evq
