// Binding of aggregate calls, and the filter in front of the …if forms.

#include "apl/functions/aggregate_binding.h"

#include <cmath>

#include "apl/functions/aggregate_rows.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

// Passes on the rows whose predicate is true. Null is not true.
class FilteredState final : public AggregateState {
 public:
  FilteredState(const std::shared_ptr<const BoundAggregate>& inner, std::size_t predicate)
      : inner_(inner->make_state()), predicate_(predicate) {}

  static bool join(std::shared_ptr<const BoundAggregate>* inner, const std::size_t* predicate,
                   const std::shared_ptr<const BoundAggregate>& other_inner,
                   const std::size_t& other_predicate) {
    *inner = (*inner)->joined(*other_inner);
    return *inner != nullptr && *predicate == other_predicate;
  }

  void resize(std::size_t groups) override { inner_->resize(groups); }

  void add(const EvalContext& context, std::span<const Vector> args, const std::uint32_t* groups,
           std::size_t rows) override {
    select(args[predicate_], rows);
    if (selected_.empty()) {
      return;
    }
    const bool all = selected_.size() == rows;
    args_.clear();
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i != predicate_) {
        args_.push_back(all ? args[i] : args[i].gather(selected_));
      }
    }
    if (!all && groups != nullptr) {
      groups_.resize(selected_.size());
      for (std::size_t i = 0; i < selected_.size(); ++i) {
        groups_[i] = groups[selected_[i]];
      }
      groups = groups_.data();
    }
    inner_->add(context, args_, groups, selected_.size());
    args_.clear();
  }

  void settle() override { inner_->settle(); }
  bool merges_unsettled() const override { return inner_->merges_unsettled(); }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    inner_->merge(*static_cast<const FilteredState&>(other).inner_, pairs);
  }
  std::vector<Vector> finish(const EvalContext& context, std::size_t begin,
                             std::size_t count) const override {
    return inner_->finish(context, begin, count);
  }
  std::size_t size_bytes() const override { return inner_->size_bytes(); }
  void own_shared() override { inner_->own_shared(); }

 private:
  void select(const Vector& predicate, std::size_t rows) {
    selected_.resize(rows);
    std::size_t count = 0;
    if (rows > 0) {
      const std::uint8_t* flags = predicate.values().data<std::uint8_t>();
      visiting::visit_shapes(predicate, rows, [&](std::size_t row, std::size_t slot) {
        selected_[count] = static_cast<std::uint32_t>(row);
        count += flags[slot] != 0 ? 1 : 0;
      });
    }
    selected_.resize(count);
  }

  std::unique_ptr<AggregateState> inner_;
  std::size_t predicate_;
  std::vector<std::uint32_t> selected_;
  std::vector<std::uint32_t> groups_;
  std::vector<Vector> args_;
};

}  // namespace

std::vector<Type> types_of(std::span<const Argument> arguments) {
  std::vector<Type> types;
  types.reserve(arguments.size());
  for (const Argument& argument : arguments) {
    types.push_back(argument.type);
  }
  return types;
}

BoundAggregateCall one_result(const AggregateBindRequest& request, Type result, Type first,
                              std::shared_ptr<const BoundAggregate> aggregate) {
  BoundAggregateCall call;
  call.results = {result};
  call.result_suffixes = {""};
  call.arguments = types_of(request.arguments);
  if (!call.arguments.empty()) {
    call.arguments[0] = first;
  }
  call.aggregate = std::move(aggregate);
  return call;
}

std::optional<Type> number_type(Type type) {
  switch (type) {
    case Type::kLong:
    case Type::kReal:
    case Type::kTimespan:
      return type;
    case Type::kNull:
    case Type::kDynamic:
      return Type::kReal;
    case Type::kDatetime:
    case Type::kBool:
    case Type::kString:
      break;
  }
  return std::nullopt;
}

std::optional<Type> number_or_time_type(Type type) {
  return type == Type::kDatetime ? type : number_type(type);
}

BindFailure not_a_number(const AggregateBindRequest& request, int argument) {
  const Type type = request.arguments[static_cast<std::size_t>(argument)].type;
  return {argument,
          std::string(request.function) + "() needs numbers, but this is a " +
              std::string(type_name(type)),
          type == Type::kString     ? "convert the text with toreal() or tolong() first"
          : type == Type::kBool     ? "toint() makes 1 and 0 of it; countif() counts the true ones"
          : type == Type::kTimespan ? "divide it by a unit first: x / 1s"
                                    : ""};
}

std::variant<std::int64_t, BindFailure> constant_whole_number(const AggregateBindRequest& request,
                                                              std::size_t index,
                                                              const WholeNumberRule& rule) {
  if (index >= request.arguments.size()) {
    return rule.otherwise;
  }
  const Value* constant = request.arguments[index].constant;
  const BindFailure failure{static_cast<int>(index),
                            "this must be " + std::string(rule.what) + ", a constant from " +
                                std::to_string(rule.min) + " to " + std::to_string(rule.max),
                            ""};
  if (constant == nullptr || constant->is_null() || !is_numeric(constant->type())) {
    return failure;
  }
  std::int64_t number = 0;
  if (constant->type() == Type::kLong) {
    number = constant->as_integer();
  } else if (std::abs(constant->as_real()) < 0x1.0p53 &&
             std::trunc(constant->as_real()) == constant->as_real()) {
    number = static_cast<std::int64_t>(constant->as_real());
  } else {
    return failure;
  }
  if (number < rule.min || number > rule.max) {
    return failure;
  }
  return number;
}

AggregateBindResult bind_filtered(const AggregateBindRequest& request, AggregateBind bind,
                                  std::size_t position) {
  const std::size_t at = std::min(position, request.arguments.size() - 1);
  const Argument& predicate = request.arguments[at];
  if (!implicit_cast_cost(predicate.type, Type::kBool).has_value()) {
    return BindFailure{
        static_cast<int>(at),
        "the predicate must be a bool, but this is a " + std::string(type_name(predicate.type)),
        "compare the value with something"};
  }
  std::vector<Argument> rest(request.arguments.begin(), request.arguments.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  AggregateBindResult bound = bind({rest, request.context, request.bin_ns, {}, request.function});
  if (auto* failure = std::get_if<BindFailure>(&bound)) {
    if (failure->argument >= static_cast<int>(at)) {
      ++failure->argument;
    }
    return bound;
  }
  auto& call = std::get<BoundAggregateCall>(bound);
  call.arguments.resize(std::max(call.arguments.size(), at), Type::kNull);
  call.arguments.insert(call.arguments.begin() + static_cast<std::ptrdiff_t>(at), Type::kBool);
  if (at < call.settled_end) {
    ++call.settled_begin;
    ++call.settled_end;
  }
  call.aggregate = make_aggregate<FilteredState>(std::move(call.aggregate), at);
  return bound;
}

BoundAggregateCall filtered(BoundAggregateCall call) {
  call.aggregate = make_aggregate<FilteredState>(std::move(call.aggregate), call.arguments.size());
  call.arguments.push_back(Type::kBool);
  return call;
}

}  // namespace evq
