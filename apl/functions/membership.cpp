// in, !in, in~ and !in~: whether a value equals one of a list. Items that are arrays stand for
// their elements, and so do arrays among these, down to the last; an element that is an array is an
// item as well. Equality is that of ==: numbers by value whatever their types, timespans beside
// them as their nanoseconds, dynamics by the value inside. A null and NaN are in no list. Lists of
// constants are prepared once for the query.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/functions/registry.h"
#include "apl/functions/repeated_items.h"
#include "apl/functions/string_operator.h"
#include "store/base/allocation_meter.h"
#include "store/base/checksum.h"
#include "store/base/text_hash.h"
#include "store/base/utf8.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

// Below this many items comparing them all beats hashing.
constexpr std::size_t kLinearItemsMax = 4;

// By halves, without a branch that half of the rows take.
template <class T>
bool is_sorted_in(const std::vector<T>& sorted, T value) {
  const T* first = sorted.data();
  std::size_t count = sorted.size();
  while (count > 1) {
    const std::size_t half = count / 2;
    first = first[half] <= value ? first + half : first;
    count -= half;
  }
  return count == 1 && *first == value;
}

// Numbers that a look tells to be there or not: those that lie close together by their place among
// these, few by halves, others by their hash, with a seed since they may be somebody's events.
class LongItems {
 public:
  void add(std::int64_t value) { values_.push_back(value); }

  // Must be called after the last add() and before the first has().
  void finish() {
    if (values_.size() <= kLinearItemsMax) {
      std::ranges::sort(values_);
      return;
    }
    const auto [least, greatest] = std::ranges::minmax(values_);
    const std::uint64_t range = distance(least, greatest);
    if (range < std::max<std::uint64_t>(kMarkedMin, kMarkedEach * values_.size())) {
      least_ = least;
      marked_.resize(range + 1, false);
      for (const std::int64_t value : values_) {
        marked_[distance(least_, value)] = true;
      }
    } else if (values_.size() <= kSortedMax) {
      std::ranges::sort(values_);
    } else {
      hash_all();
    }
  }

  bool has(std::int64_t value) const {
    if (!marked_.empty()) {
      const std::uint64_t place = distance(least_, value);
      return place < marked_.size() && marked_[place];
    }
    if (slots_.empty()) {
      return is_sorted_in(values_, value);
    }
    if (value == kEmpty) {
      return has_empty_;
    }
    std::size_t slot = first_slot(value);
    while (slots_[slot] != kEmpty && slots_[slot] != value) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slots_[slot] == value;
  }

  const std::vector<std::int64_t>& values() const { return values_; }

 private:
  static constexpr std::uint64_t kMarkedMin = std::uint64_t{1} << 16U;
  static constexpr std::uint64_t kMarkedEach = 64;  // bits for each number: as many as it has
  static constexpr std::size_t kSortedMax = 1024;
  static constexpr std::int64_t kEmpty = std::numeric_limits<std::int64_t>::min();

  static std::uint64_t distance(std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  }
  std::size_t first_slot(std::int64_t value) const {
    return hash64(static_cast<std::uint64_t>(value), seed_) & (slots_.size() - 1);
  }

  void hash_all() {
    seed_ = random_seed();
    slots_.assign(std::bit_ceil(2 * values_.size()), kEmpty);
    for (const std::int64_t value : values_) {
      if (value == kEmpty) {
        has_empty_ = true;
        continue;
      }
      std::size_t slot = first_slot(value);
      while (slots_[slot] != kEmpty && slots_[slot] != value) {
        slot = (slot + 1) & (slots_.size() - 1);
      }
      slots_[slot] = value;
    }
  }

  std::vector<std::int64_t> values_;
  std::int64_t least_ = 0;
  std::vector<bool> marked_;  // from the least on
  std::vector<std::int64_t> slots_;
  bool has_empty_ = false;
  std::uint64_t seed_ = 0;  // of the slots
};

// The same of texts.
class TextItems {
 public:
  void add(std::string_view text) {
    bytes_.append(text);
    ends_.push_back(bytes_.size());
  }

  void finish() {
    if (ends_.size() <= kLinearItemsMax) {
      return;
    }
    seed_ = random_seed();
    slots_.resize(std::bit_ceil(2 * ends_.size()));
    for (std::size_t item = 0; item < ends_.size(); ++item) {
      const std::uint64_t hash = hash_text(text(item), seed_);
      slots_[find(text(item), hash)] = {hash, item + 1};
    }
  }

  bool has(std::string_view value) const {
    if (!slots_.empty()) {
      return slots_[find(value, hash_text(value, seed_))].item != 0;
    }
    for (std::size_t item = 0; item < ends_.size(); ++item) {
      if (text(item) == value) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t item = 0;  // counted from 1; 0: empty
  };

  std::string_view text(std::size_t item) const {
    const std::size_t begin = item == 0 ? 0 : ends_[item - 1];
    return std::string_view(bytes_).substr(begin, ends_[item] - begin);
  }
  // Where the text is, or would be.
  std::size_t find(std::string_view value, std::uint64_t hash) const {
    std::size_t place = hash & (slots_.size() - 1);
    while (slots_[place].item != 0 &&
           (slots_[place].hash != hash || text(slots_[place].item - 1) != value)) {
      place = (place + 1) & (slots_.size() - 1);
    }
    return place;
  }

  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<Slot> slots_;
  std::uint64_t seed_ = 0;  // of the slots
};

// The items of a list by type, each in a form that is quick to look up.
class ItemList {
 public:
  // For values of one type, to be looked up there.
  ItemList(bool fold, Type value)
      : fold_(fold),
        as_longs_(value != Type::kReal),
        as_reals_(value == Type::kReal || value == Type::kDynamic) {}

  void add(const Values& values, std::size_t slot) {
    if (values.is_null(slot)) {
      return;
    }
    switch (values.type()) {
      case Type::kNull:
        return;
      case Type::kBool:
        bools_[values.data<std::uint8_t>()[slot] != 0 ? 1 : 0] = true;
        return;
      case Type::kLong:
        longs_.add(values.data<std::int64_t>()[slot]);
        return;
      case Type::kReal:
        reals_.push_back(values.data<double>()[slot]);
        return;
      case Type::kString:
        add_text(values.data<std::string_view>()[slot]);
        return;
      case Type::kDatetime:
        datetimes_.add(values.data<std::int64_t>()[slot]);
        return;
      case Type::kTimespan:
        longs_.add(values.data<std::int64_t>()[slot]);
        return;
      case Type::kDynamic:
        add_dynamic(DynamicView(values.data<std::string_view>()[slot]), 0);
        return;
    }
  }

  // Must be called after the last add() and before the first look-up.
  void finish() {
    // A number is kept in each of the two types that can hold it exactly, as far as it is looked up
    // there.
    for (const std::int64_t value : longs_.values()) {
      const auto real = static_cast<double>(value);
      if (as_reals_ && compare_long_with_real(value, real) == 0) {
        reals_.push_back(real);
      }
    }
    for (const double real : reals_) {
      if (as_longs_ && real >= -0x1.0p63 && real < 0x1.0p63 &&
          static_cast<double>(static_cast<std::int64_t>(real)) == real) {
        longs_.add(static_cast<std::int64_t>(real));
      }
    }
    std::erase_if(reals_, [](double real) { return std::isnan(real); });
    std::ranges::sort(reals_);
    longs_.finish();
    datetimes_.finish();
    texts_.finish();
  }

  bool has_bool(bool value) const { return bools_[value ? 1 : 0]; }
  bool has_long(std::int64_t value) const { return longs_.has(value); }
  bool has_real(double value) const { return !std::isnan(value) && is_sorted_in(reals_, value); }
  bool has_datetime(std::int64_t value) const { return datetimes_.has(value); }

  bool has_text(std::string_view value) const {
    return fold_ ? texts_.has(fold_case(value)) : texts_.has(value);
  }

  bool has_dynamic(DynamicView value) const {
    switch (value.tag()) {
      case DynamicTag::kNull:
        return false;
      case DynamicTag::kFalse:
      case DynamicTag::kTrue:
        return has_bool(value.as_bool());
      case DynamicTag::kLong:
        return has_long(value.as_integer());
      case DynamicTag::kReal:
        return has_real(value.as_real());
      case DynamicTag::kString:
        return has_text(value.as_string());
      case DynamicTag::kDatetime:
        return has_datetime(value.as_integer());
      case DynamicTag::kTimespan:
        return has_long(value.as_integer());
      case DynamicTag::kArray:
      case DynamicTag::kBag:
        return std::ranges::any_of(containers_, [value](const std::string& bytes) {
          return compare_dynamic(value, DynamicView(bytes)) == 0;
        });
    }
    return false;
  }

 private:
  void add_text(std::string_view text) { fold_ ? texts_.add(fold_case(text)) : texts_.add(text); }

  // Inside `depth` arrays of the item.
  void add_dynamic(DynamicView value, std::size_t depth) {
    switch (value.tag()) {
      case DynamicTag::kNull:
        return;
      case DynamicTag::kFalse:
      case DynamicTag::kTrue:
        bools_[value.as_bool() ? 1 : 0] = true;
        return;
      case DynamicTag::kLong:
        longs_.add(value.as_integer());
        return;
      case DynamicTag::kReal:
        reals_.push_back(value.as_real());
        return;
      case DynamicTag::kString:
        add_text(value.as_string());
        return;
      case DynamicTag::kDatetime:
        datetimes_.add(value.as_integer());
        return;
      case DynamicTag::kTimespan:
        longs_.add(value.as_integer());
        return;
      case DynamicTag::kArray: {
        if (depth == 1) {
          containers_.emplace_back(value.bytes());
        }
        DynamicView::Iterator elements(value);
        while (elements.next()) {
          add_dynamic(elements.value(), depth + 1);
        }
        return;
      }
      case DynamicTag::kBag:
        containers_.emplace_back(value.bytes());
        return;
    }
  }

  bool fold_;
  bool as_longs_;
  bool as_reals_;
  std::array<bool, 2> bools_{};
  LongItems longs_;  // and timespans, as their nanoseconds
  std::vector<double> reals_;
  LongItems datetimes_;
  TextItems texts_;
  std::vector<std::string> containers_;
};

bool is_in(const Values& values, std::size_t slot, const ItemList& list) {
  if (values.is_null(slot)) {
    return false;
  }
  switch (values.type()) {
    case Type::kNull:
      return false;
    case Type::kBool:
      return list.has_bool(values.data<std::uint8_t>()[slot] != 0);
    case Type::kLong:
      return list.has_long(values.data<std::int64_t>()[slot]);
    case Type::kReal:
      return list.has_real(values.data<double>()[slot]);
    case Type::kString:
      return list.has_text(values.data<std::string_view>()[slot]);
    case Type::kDatetime:
      return list.has_datetime(values.data<std::int64_t>()[slot]);
    case Type::kTimespan:
      return list.has_long(values.data<std::int64_t>()[slot]);
    case Type::kDynamic:
      return list.has_dynamic(DynamicView(values.data<std::string_view>()[slot]));
  }
  return false;
}

class InCall final : public BoundFunction {
 public:
  InCall(bool fold, bool negated, std::optional<ItemList> list)
      : fold_(fold), negated_(negated), list_(std::move(list)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    if (list_.has_value()) {
      return look_up_all(args[0], *list_);
    }
    const bool constant =
        std::ranges::all_of(args.subspan(1), [](const Vector& item) { return item.is_constant(); });
    if (constant && rows != 0) {
      return look_up_all(args[0], list_of(args, 0));
    }
    auto out = Values::make(Type::kBool, rows);
    auto* to = out->mutable_data<std::uint8_t>();
    RepeatedItems<ItemList> lists(args.subspan(1));
    PollCounter poll;
    for (std::size_t i = 0; i < rows; ++i) {
      std::size_t bytes = 0;
      for (const Vector& item : args.subspan(1)) {
        bytes += item.is_null(i) || item.type() != Type::kDynamic
                     ? 0
                     : item.at<std::string_view>(i).size();
      }
      poll.add(args.size() + bytes / kPollTextBytes);
      const ItemList& list = lists.of(i, [&](std::size_t row) { return list_of(args, row); });
      const bool found = is_in(args[0].values(), args[0].slot(i), list);
      to[i] = static_cast<std::uint8_t>(found != negated_);
    }
    return Vector::flat(std::move(out));
  }

 private:
  ItemList list_of(std::span<const Vector> args, std::size_t row) const {
    ItemList list(fold_, args[0].type());
    for (const Vector& item : args.subspan(1)) {
      list.add(item.values(), item.slot(row));
    }
    list.finish();
    return list;
  }

  Vector look_up_all(const Vector& left, const ItemList& list) const {
    const Values& slots = left.values();
    auto out = Values::make(Type::kBool, slots.size());
    auto* to = out->mutable_data<std::uint8_t>();
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      to[slot] = static_cast<std::uint8_t>(is_in(slots, slot, list) != negated_);
    }
    return left.with_values(std::move(out));
  }

  bool fold_;
  bool negated_;
  std::optional<ItemList> list_;  // when all items are constants
};

bool may_equal(Type value, Type item) {
  const auto is_quantity = [](Type type) { return is_numeric(type) || type == Type::kTimespan; };
  return value == item || (is_quantity(value) && is_quantity(item)) || value == Type::kNull ||
         item == Type::kNull || value == Type::kDynamic || item == Type::kDynamic;
}

template <bool kFold, bool kNegated>
BindResult bind_in(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kBool;
  const Type value = request.arguments[0].type;
  std::optional<ItemList> list(std::in_place, kFold, value);
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Argument& argument = request.arguments[i];
    call.arguments.push_back(argument.type);
    if (i == 0) {
      continue;
    }
    if (!may_equal(value, argument.type)) {
      return BindFailure{
          static_cast<int>(i),
          "a " + std::string(type_name(value)) + " is never equal to a " +
              std::string(type_name(argument.type)),
          "write the items as " + std::string(type_name(value)) + " values, or convert one side"};
    }
    if (argument.constant == nullptr) {
      list.reset();
    } else if (list.has_value()) {
      list->add(*Values::make_constant(*argument.constant), 0);
    }
  }
  if (list.has_value()) {
    list->finish();
  }
  call.function = std::make_shared<InCall>(kFold, kNegated, std::move(list));
  return call;
}

constexpr std::array kMembershipOperators = {
    operator_row("op_in", "a in (b, …)", bind_in<false, false>, 1, 255),
    operator_row("op_not_in", "a !in (b, …)", bind_in<false, true>, 1, 255),
    operator_row("op_in_fold", "a in~ (b, …)", bind_in<true, false>, 1, 255),
    operator_row("op_not_in_fold", "a !in~ (b, …)", bind_in<true, true>, 1, 255),
};

}  // namespace

std::span<const ScalarFunction> membership_operators() {
  return kMembershipOperators;
}

}  // namespace evq
