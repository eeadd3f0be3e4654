#pragma once
// The types that lifted functions may take and return (lift.h), how each is stored in a vector, and
// the readers and writers that the generated loops use.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "apl/functions/function.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {

struct Datetime {
  std::int64_t ns = 0;
};
struct Timespan {
  std::int64_t ns = 0;
};
// Makes a Datetime of a computation's result; nullopt when it has overflowed.
inline std::optional<Datetime> time_of(std::optional<std::int64_t> ns) {
  return ns.has_value() ? std::optional(Datetime{*ns}) : std::nullopt;
}
struct DynamicBytes {
  std::string bytes;  // encoded as in store/column/dynamic.h; none for null
};
// Types of values that may be null, which is nullopt.
using MaybeBool = std::optional<bool>;
using MaybeLong = std::optional<std::int64_t>;
using MaybeReal = std::optional<double>;
using MaybeText = std::optional<std::string>;
using MaybeTime = std::optional<Datetime>;
using MaybeSpan = std::optional<Timespan>;
using MaybeDynamic = std::optional<DynamicBytes>;
// False when the value nests deeper, or is larger, than values made by functions may. A result that
// is too large becomes null, as a text above kStringValueBytesMax does.
bool within_dynamic_limits(DynamicView value);

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
  bool missing(std::size_t i) const { return !Optional<Bare<P>>::kIs && values_->is_null(slot(i)); }
  Bare<P> get(std::size_t i) const {
    const std::size_t at = slot(i);
    if constexpr (Optional<Bare<P>>::kIs) {
      return values_->is_null(at) ? Bare<P>() : Bare<P>(Inner::load(data_[at]));
    } else {
      return Inner::load(data_[at]);
    }
  }
  // Returns the steps of a PollCounter that looking at row `i` takes.
  std::size_t poll_steps(std::size_t i) const {
    if constexpr (kIsText) {
      const std::size_t at = slot(i);
      return values_->is_null(at) ? 0 : data_[at].size() / kPollTextBytes;
    } else {
      return 0;
    }
  }
  static constexpr bool kIsText = std::is_same_v<typename Inner::Stored, std::string_view>;

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
        values_->add_owners_of(arg.values());
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
      if (value.size() > kStringValueBytesMax) {
        return put_null(i);
      }
      data_[i] = arena().copy(value);
    } else if constexpr (std::is_same_v<Inner, DynamicBytes>) {
      if (value.bytes.empty() || !within_dynamic_limits(DynamicView(value.bytes))) {
        return put_null(i);
      }
      data_[i] = arena().copy(value.bytes);
    } else if constexpr (std::is_same_v<Inner, DynamicView>) {
      if (value.bytes().size() > kStringValueBytesMax) {
        return put_null(i);
      }
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

}  // namespace lifting

}  // namespace evq
