#pragma once
// lift<F>() turns an ordinary typed C++ function into an Overload: it reads parameter and result
// types from F and generates the loops over vectors. One loop for all-flat arguments without
// nulls, one for any mix of shapes; dictionaries never get here when a call has one varying
// argument (evaluate_call runs once per entry instead).
//
//   parameter types: bool, std::int64_t (long), double (real), std::string_view (string),
//     Datetime, Timespan, DynamicView; std::optional<T> receives nulls and may be left out at
//     the end of the list; a leading `const EvalContext&` receives the context.
//   result types: the same, std::string (copied into the result's arena), DynamicBytes, and
//     std::optional<R> for "may be null". A std::string_view result must point into one of the
//     arguments or into static storage.
// A null in a plain parameter gives a null result without calling F.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "apl/functions/function.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {

struct Datetime {
  std::int64_t ns = 0;
};
struct Timespan {
  std::int64_t ns = 0;
};
struct DynamicBytes {
  std::string bytes;  // encoded as in store/column/dynamic.h
};

namespace lifting {

template <class T>
struct Slot;  // Type, stored form, and conversion of a C++ type

template <>
struct Slot<bool> {
  static constexpr Type kType = Type::kBool;
  using Stored = std::uint8_t;
  static bool load(std::uint8_t v) { return v != 0; }
};
template <>
struct Slot<std::int64_t> {
  static constexpr Type kType = Type::kLong;
  using Stored = std::int64_t;
  static std::int64_t load(std::int64_t v) { return v; }
};
template <>
struct Slot<double> {
  static constexpr Type kType = Type::kReal;
  using Stored = double;
  static double load(double v) { return v; }
};
template <>
struct Slot<std::string_view> {
  static constexpr Type kType = Type::kString;
  using Stored = std::string_view;
  static std::string_view load(std::string_view v) { return v; }
};
template <>
struct Slot<Datetime> {
  static constexpr Type kType = Type::kDatetime;
  using Stored = std::int64_t;
  static Datetime load(std::int64_t v) { return {v}; }
};
template <>
struct Slot<Timespan> {
  static constexpr Type kType = Type::kTimespan;
  using Stored = std::int64_t;
  static Timespan load(std::int64_t v) { return {v}; }
};
template <>
struct Slot<DynamicView> {
  static constexpr Type kType = Type::kDynamic;
  using Stored = std::string_view;
  static DynamicView load(std::string_view v) { return DynamicView(v); }
};
template <>
struct Slot<std::string> : Slot<std::string_view> {};
template <>
struct Slot<DynamicBytes> : Slot<DynamicView> {};

template <class T>
struct Optional {
  static constexpr bool kIs = false;
  using Inner = T;
};
template <class T>
struct Optional<std::optional<T>> {
  static constexpr bool kIs = true;
  using Inner = T;
};

template <class T>
using Bare = std::remove_cvref_t<T>;
template <class T>
using InnerSlot = Slot<typename Optional<Bare<T>>::Inner>;

// Reads one argument of any shape; slots of a constant are reached through a zero mask.
template <class P>
class Reader {
 public:
  using Inner = InnerSlot<P>;
  explicit Reader(const Vector& vector)
      : values_(&vector.values()),
        data_(vector.values().template data<typename Inner::Stored>()),
        codes_(vector.codes()),
        mask_(vector.is_constant() ? 0 : ~std::size_t{0}) {}

  std::size_t slot(std::size_t i) const { return codes_ != nullptr ? codes_[i] : (i & mask_); }
  bool missing(std::size_t i) const {
    return !Optional<Bare<P>>::kIs && values_->is_null(slot(i));
  }
  Bare<P> get(std::size_t i) const {
    const std::size_t at = slot(i);
    if constexpr (Optional<Bare<P>>::kIs) {
      return values_->is_null(at) ? Bare<P>() : Bare<P>(Inner::load(data_[at]));
    } else {
      return Inner::load(data_[at]);
    }
  }

 private:
  const Values* values_;
  const typename Inner::Stored* data_;
  const Code* codes_;
  std::size_t mask_;
};

// Writes results into fresh Values of the result's type.
template <class R>
class Writer {
 public:
  using Inner = typename Optional<Bare<R>>::Inner;
  Writer(std::size_t rows, std::span<const Vector> args)
      : values_(Values::make(Slot<Inner>::kType, rows)) {
    data_ = values_->template mutable_data<typename Slot<Inner>::Stored>();
    if constexpr (std::is_same_v<Inner, std::string_view>) {
      for (const Vector& arg : args) {
        for (const auto& owner : arg.values().owners()) {
          values_->add_owner(owner);
        }
        values_->add_owner(arg.shared_values());
      }
    }
  }

  void put(std::size_t i, R result) {
    if constexpr (Optional<Bare<R>>::kIs) {
      if (!result.has_value()) {
        put_null(i);
        return;
      }
      store(i, *std::move(result));
    } else {
      store(i, std::move(result));
    }
  }
  void put_null(std::size_t i) { values_->set_null(i); }
  Vector finish() {
    if (arena_ != nullptr) {
      values_->add_owner(std::move(arena_));
    }
    return Vector::flat(std::move(values_));
  }

 private:
  void store(std::size_t i, Inner value) {
    if constexpr (std::is_same_v<Inner, std::string>) {
      data_[i] = arena().copy(value);
    } else if constexpr (std::is_same_v<Inner, DynamicBytes>) {
      data_[i] = arena().copy(value.bytes);
    } else if constexpr (std::is_same_v<Inner, DynamicView>) {
      data_[i] = arena().copy(value.bytes());
    } else if constexpr (std::is_same_v<Inner, Datetime> || std::is_same_v<Inner, Timespan>) {
      data_[i] = value.ns;
    } else if constexpr (std::is_same_v<Inner, bool>) {
      data_[i] = value ? 1 : 0;
    } else {
      data_[i] = value;
    }
  }
  StringArena& arena() {
    if (arena_ == nullptr) {
      arena_ = std::make_shared<StringArena>();
    }
    return *arena_;
  }

  std::shared_ptr<Values> values_;
  typename Slot<Inner>::Stored* data_;
  std::shared_ptr<StringArena> arena_;
};

// Splits a function pointer type into context flag, result and parameters.
template <class F>
struct Signature;
template <class R, class... P>
struct Signature<R (*)(P...)> {
  using Result = R;
  using Params = std::tuple<P...>;
  static constexpr bool kContext = false;
};
template <class R, class... P>
struct Signature<R (*)(const EvalContext&, P...)> {
  using Result = R;
  using Params = std::tuple<P...>;
  static constexpr bool kContext = true;
};

template <auto F, class S, std::size_t... I>
Vector run(const KernelCall& call, std::index_sequence<I...> /*indexes*/) {
  using Params = typename S::Params;
  std::tuple<Reader<std::tuple_element_t<I, Params>>...> readers{
      Reader<std::tuple_element_t<I, Params>>(call.args[I])...};
  Writer<typename S::Result> out(call.rows, call.args);
  const auto invoke = [&](std::size_t i) {
    if constexpr (S::kContext) {
      return F(call.context, std::get<I>(readers).get(i)...);
    } else {
      return F(std::get<I>(readers).get(i)...);
    }
  };
  for (std::size_t i = 0; i < call.rows; ++i) {
    if ((std::get<I>(readers).missing(i) || ...)) {
      out.put_null(i);
    } else {
      out.put(i, invoke(i));
    }
  }
  return out.finish();
}

// The vectorisable loop: numbers in, a plain number out, every argument flat without nulls.
template <auto F, class S, std::size_t... I>
Vector run_flat(const KernelCall& call, std::index_sequence<I...> /*indexes*/) {
  using Params = typename S::Params;
  using R = Bare<typename S::Result>;
  auto values = Values::make(Slot<R>::kType, call.rows);
  auto* out = values->template mutable_data<typename Slot<R>::Stored>();
  std::tuple<const typename InnerSlot<std::tuple_element_t<I, Params>>::Stored*...> data{
      call.args[I].values()
          .template data<typename InnerSlot<std::tuple_element_t<I, Params>>::Stored>()...};
  for (std::size_t i = 0; i < call.rows; ++i) {
    const R result =
        F(InnerSlot<std::tuple_element_t<I, Params>>::load(std::get<I>(data)[i])...);
    if constexpr (std::is_same_v<R, Datetime> || std::is_same_v<R, Timespan>) {
      out[i] = result.ns;
    } else if constexpr (std::is_same_v<R, bool>) {
      out[i] = result ? 1 : 0;
    } else {
      out[i] = result;
    }
  }
  return Vector::flat(std::move(values));
}

template <class T>
inline constexpr bool kPlainNumber = std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                                     std::is_same_v<T, double> || std::is_same_v<T, Datetime> ||
                                     std::is_same_v<T, Timespan>;

template <class S, std::size_t... I>
constexpr bool flat_loop_possible(std::index_sequence<I...> /*indexes*/) {
  return !S::kContext && sizeof...(I) > 0 && kPlainNumber<Bare<typename S::Result>> &&
         (kPlainNumber<Bare<std::tuple_element_t<I, typename S::Params>>> && ...);
}

template <auto F>
Vector kernel(const KernelCall& call) {
  using S = Signature<decltype(F)>;
  using Indexes = std::make_index_sequence<std::tuple_size_v<typename S::Params>>;
  if constexpr (flat_loop_possible<S>(Indexes{})) {
    bool flat = true;
    for (const Vector& arg : call.args) {
      flat = flat && arg.is_flat() && !arg.may_have_nulls();
    }
    if (flat) {
      return run_flat<F, S>(call, Indexes{});
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
  ((++position, required = Optional<Bare<std::tuple_element_t<I, Params>>>::kIs ? required : position),
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
