#pragma once
// lift<F>() turns an ordinary typed C++ function into an Overload: it reads parameter and result
// types from F and generates the loops over vectors. One loop for numbers that are all flat and
// not null, one for each that is beside a constant, one for any mix of shapes; dictionaries never
// get here when a call has one varying argument (evaluate_call runs once per entry instead).
//
// A loop over texts or dynamics ends between two rows when the query must
// (AllocationMeter::poll()); an F that takes longer than to read its arguments a few times polls by
// itself.
//
//   parameter types: bool, std::int64_t (long), double (real), std::string_view (string),
//     Datetime, Timespan, DynamicView; std::optional<T> receives nulls and may be left out at
//     the end of the list; a leading `const EvalContext&` receives the context, a leading
//     `DynamicBuilder&` an empty builder, to which a DynamicView result may point, a leading
//     `JsonReader&` the one reader of all rows of a call.
//   result types: the same, std::string (copied into the result's arena), DynamicBytes, and
//     std::optional<R> for "may be null". A std::string_view result must point into one of the
//     arguments or into static storage.
// A null in a plain parameter gives a null result without calling F.

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "apl/functions/lift_types.h"
#include "store/column/dynamic_json.h"

namespace evq {

namespace lifting {

// Splits a function pointer type into its result, what it receives before its parameters (void:
// nothing), and these.
template <class R, class First, class... P>
struct SignatureParts {
  using Result = R;
  using Params = std::tuple<P...>;
  template <class T>
  static constexpr bool kReceives = std::is_same_v<First, T>;
};
template <class F>
struct Signature;
template <class R, class... P>
struct Signature<R (*)(P...)> : SignatureParts<R, void, P...> {};
template <class R, class... P>
struct Signature<R (*)(DynamicBuilder&, P...)> : SignatureParts<R, DynamicBuilder, P...> {};
template <class R, class... P>
struct Signature<R (*)(JsonReader&, P...)> : SignatureParts<R, JsonReader, P...> {};
template <class R, class... P>
struct Signature<R (*)(const EvalContext&, P...)> : SignatureParts<R, EvalContext, P...> {};

template <auto F, class S, std::size_t... I>
Vector run(const KernelCall& call, std::index_sequence<I...> /*indexes*/) {
  using Params = typename S::Params;
  std::tuple<Reader<std::tuple_element_t<I, Params>>...> readers{
      Reader<std::tuple_element_t<I, Params>>(call.args[I])...};
  Writer<typename S::Result> out(call.rows, call.args);
  [[maybe_unused]] DynamicBuilder builder;
  [[maybe_unused]] std::conditional_t<S::template kReceives<JsonReader>, JsonReader, std::tuple<>>
      reader;
  const auto invoke = [&](std::size_t i) {
    if constexpr (S::template kReceives<DynamicBuilder>) {
      builder.clear();
      return F(builder, std::get<I>(readers).get(i)...);
    } else if constexpr (S::template kReceives<JsonReader>) {
      return F(reader, std::get<I>(readers).get(i)...);
    } else if constexpr (S::template kReceives<EvalContext>) {
      return F(call.context, std::get<I>(readers).get(i)...);
    } else {
      return F(std::get<I>(readers).get(i)...);
    }
  };
  [[maybe_unused]] PollCounter poll;
  for (std::size_t i = 0; i < call.rows; ++i) {
    if ((std::get<I>(readers).missing(i) || ...)) {
      out.put_null(i);
      continue;
    }
    if constexpr ((Reader<std::tuple_element_t<I, Params>>::kIsText || ...)) {
      poll.add((std::size_t{1} + ... + std::get<I>(readers).poll_steps(i)));
    }
    out.put(i, invoke(i));
  }
  return out.finish();
}

// Converts a result to its stored form, for the loop below.
template <class R>
auto stored(const R& result) {
  if constexpr (std::is_same_v<R, Datetime> || std::is_same_v<R, Timespan>) {
    return result.ns;
  } else if constexpr (std::is_same_v<R, bool>) {
    return static_cast<std::uint8_t>(result ? 1 : 0);
  } else {
    return result;
  }
}

// The vectorisable loop: numbers in, a number out, every argument without nulls and flat, but
// constant where `kConstants` has a bit.
template <auto F, class S, unsigned kConstants, std::size_t... I>
Vector run_flat(const KernelCall& call, std::index_sequence<I...> /*indexes*/) {
  using Params = typename S::Params;
  using Maybe = Optional<Bare<typename S::Result>>;
  using R = typename Maybe::Inner;
  auto values = Values::make(Slot<R>::kType, call.rows);
  auto* out = values->template mutable_data<typename Slot<R>::Stored>();
  const std::tuple<const typename InnerSlot<std::tuple_element_t<I, Params>>::Stored*...> data{
      call.args[I]
          .values()
          .template data<typename InnerSlot<std::tuple_element_t<I, Params>>::Stored>()...};
  const std::tuple<typename InnerSlot<std::tuple_element_t<I, Params>>::Stored...> same{
      *std::get<I>(data)...};
  for (std::size_t i = 0; i < call.rows; ++i) {
    const auto result = F(InnerSlot<std::tuple_element_t<I, Params>>::load(
        ((kConstants >> I) & 1U) != 0 ? std::get<I>(same) : std::get<I>(data)[i])...);
    if constexpr (!Maybe::kIs) {
      out[i] = stored(result);
    } else if (result.has_value()) {
      out[i] = stored(*result);
    } else {
      values->set_null(i);
    }
  }
  return Vector::flat(std::move(values));
}

template <class T>
inline constexpr bool kPlainNumber =
    std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> ||
    std::is_same_v<T, Datetime> || std::is_same_v<T, Timespan>;

template <class S, std::size_t... I>
constexpr bool flat_loop_possible(std::index_sequence<I...> /*indexes*/) {
  return !S::template kReceives<EvalContext> && sizeof...(I) > 0 &&
         kPlainNumber<typename Optional<Bare<typename S::Result>>::Inner> &&
         (kPlainNumber<Bare<std::tuple_element_t<I, typename S::Params>>> && ...);
}

template <auto F>
Vector kernel(const KernelCall& call) {
  using S = Signature<decltype(F)>;
  using Indexes = std::make_index_sequence<std::tuple_size_v<typename S::Params>>;
  if constexpr (flat_loop_possible<S>(Indexes{})) {
    bool plain = call.rows > 0;
    unsigned constants = 0;
    for (std::size_t i = 0; i < Indexes::size(); ++i) {
      const Vector& arg = call.args[i];
      plain = plain && !arg.is_dictionary() && !arg.may_have_nulls();
      constants |= arg.is_constant() ? 1U << i : 0U;
    }
    if (plain && constants == 0) {
      return run_flat<F, S, 0>(call, Indexes{});
    }
    if constexpr (Indexes::size() == 2) {
      if (plain && constants == 1) {
        return run_flat<F, S, 1>(call, Indexes{});
      }
      if (plain && constants == 2) {
        return run_flat<F, S, 2>(call, Indexes{});
      }
    }
  }
  return run<F, S>(call, Indexes{});
}

template <class S, std::size_t... I>
constexpr Overload describe(Kernel kernel, std::index_sequence<I...> /*indexes*/) {
  using Params = typename S::Params;
  static_assert(sizeof...(I) <= kOverloadParametersMax);
  Overload overload;
  overload.parameters = {InnerSlot<std::tuple_element_t<I, Params>>::kType...};
  overload.parameter_count = sizeof...(I);
  std::size_t required = 0;
  std::size_t position = 0;
  ((++position,
    required = Optional<Bare<std::tuple_element_t<I, Params>>>::kIs ? required : position),
   ...);
  overload.required_count = static_cast<std::uint8_t>(required);
  overload.result = Slot<typename Optional<Bare<typename S::Result>>::Inner>::kType;
  overload.kernel = kernel;
  return overload;
}

}  // namespace lifting

// The overload of `F`; a compile-time constant, so function tables need no code before main.
template <auto F>
constexpr Overload lift() {
  using S = lifting::Signature<decltype(F)>;
  return lifting::describe<S>(&lifting::kernel<F>,
                              std::make_index_sequence<std::tuple_size_v<typename S::Params>>{});
}

}  // namespace evq
