#pragma once
// MakeListState: make_list, the values of each group in the order of rows, as the bytes that an
// array of them has. Long lists are merged without copies: theirs stay where they are until the
// answer is made of them.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/functions/aggregate_function.h"
#include "apl/functions/list_bytes.h"
#include "apl/functions/value_encoder.h"
#include "store/base/large_pages.h"
#include "store/base/limits.h"
#include "store/base/short_copy.h"
#include "store/column/dynamic_bytes.h"

namespace evq {

class MakeListState final : public AggregateState {
 public:
  MakeListState(std::size_t items_max, bool with_nulls)
      : items_max_(items_max), with_nulls_(with_nulls) {}

  void resize(std::size_t groups) override { lists_.resize(std::max(groups, lists_.size())); }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    const Values& values = args[0].values();
    if (const std::optional<DynamicTag> tag = number_tag(values.type()); tag.has_value()) {
      const auto add_numbers = [&](const auto* numbers) {
        add_each(args[0], groups, rows, [&](std::size_t slot) {
          return encode_dynamic_number(*tag, std::bit_cast<std::uint64_t>(numbers[slot]));
        });
      };
      if (*tag == DynamicTag::kReal) {
        add_numbers(values.data<double>());
      } else {
        add_numbers(values.data<std::int64_t>());
      }
    } else {
      add_each(args[0], groups, rows,
               [&](std::size_t slot) { return encoder_.encode(values, slot); });
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const MakeListState&>(other);
    const bool shares = from.held_.size_bytes() >= from.lists_.size() * kSharedListBytesMin;
    if (shares) {
      held_.share(from.held_);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const GroupPair ahead = pairs[std::min(i + kListsAhead, pairs.size() - 1)];
      __builtin_prefetch(&from.lists_[ahead.from]);
      __builtin_prefetch(&lists_[ahead.to], 1);
      const List& added = from.lists_[pairs[i].from];
      List& list = lists_[pairs[i].to];
      if (list.items + added.items > items_max_ ||
          list.bytes + added.bytes > kCollectedValueBytesMax) {
        append_some(added, &list);
        continue;
      }
      if (shares) {
        held_.append_shared(added, &list);
      } else {
        ListBytes::for_each_piece(added,
                                  [&](std::string_view piece) { held_.append(piece, &list); });
      }
      list.items += added.items;
    }
  }

  void own_shared() override {
    if (!held_.shares()) {
      return;
    }
    ListBytes own;
    for (List& list : lists_) {
      List copy;
      copy.items = list.items;
      ListBytes::for_each_piece(list, [&](std::string_view piece) { own.append(piece, &copy); });
      list = copy;
    }
    held_ = std::move(own);
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    const std::shared_ptr<Values> arrays = Values::make(Type::kDynamic, count);
    const auto arena = std::make_shared<StringArena>();
    auto* const views = arrays->mutable_data<std::string_view>();
    for (std::size_t i = 0; i < count; ++i) {
      __builtin_prefetch(lists_[std::min(begin + i + kListsAhead, lists_.size() - 1)].first);
      const List& list = lists_[begin + i];
      const std::size_t size = kDynamicArrayHeadBytes + list.bytes;
      char* const array = arena->allocate(size);
      write_dynamic_array_head(list.bytes, list.items, array);
      char* to = array + kDynamicArrayHeadBytes;
      ListBytes::for_each_piece(list, [&](std::string_view piece) {
        copy_short(piece.data(), piece.size(), to);
        to += piece.size();
      });
      views[i] = {array, size};
    }
    arrays->add_owner(std::shared_ptr<const StringArena>(arena));
    return {Vector::flat(arrays)};
  }

  std::size_t size_bytes() const override {
    return lists_.capacity() * sizeof(List) + held_.size_bytes();
  }

 private:
  using List = ListBytes::List;
  // Where lists have fewer bytes on average, copies of them are as small as what shares them.
  static constexpr std::size_t kSharedListBytesMin = 128;
  static constexpr std::size_t kListsAhead = 8;  // of lists that are read in turn

  // Of types whose values are eight bytes.
  static std::optional<DynamicTag> number_tag(Type type) {
    switch (type) {
      case Type::kLong:
        return DynamicTag::kLong;
      case Type::kReal:
        return DynamicTag::kReal;
      case Type::kDatetime:
        return DynamicTag::kDatetime;
      case Type::kTimespan:
        return DynamicTag::kTimespan;
      case Type::kNull:
      case Type::kBool:
      case Type::kString:
      case Type::kDynamic:
        break;
    }
    return std::nullopt;
  }

  // encoded(slot) gives the bytes of what is there, which is not null.
  template <class Encoded>
  void add_each(const Vector& vector, const std::uint32_t* groups, std::size_t rows,
                const Encoded& encoded) {
    const Values& values = vector.values();
    const bool nulls = values.has_nulls();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t slot = vector.slot(row);
      const bool null = nulls && values.is_null(slot);
      List& list = lists_[groups == nullptr ? 0 : groups[row]];
      if ((!null || with_nulls_) && list.items < items_max_) {
        if (null) {
          append(DynamicView().bytes(), &list);
        } else {
          const auto& value = encoded(slot);
          append({value.data(), value.size()}, &list);
        }
      }
    }
  }

  // Value by value, as far as there is room.
  void append_some(const List& added, List* list) {
    ListBytes::for_each_piece(added, [&](std::string_view rest) {
      while (!rest.empty() && list->items < items_max_) {
        const std::size_t size = dynamic_size(rest);
        append(rest.substr(0, size), list);
        rest.remove_prefix(size);
      }
    });
  }

  // One value, when there is room for it.
  void append(std::string_view value, List* list) {
    if (list->bytes + value.size() <= kCollectedValueBytesMax) {
      held_.append(value, list);
      ++list->items;
    }
  }

  std::size_t items_max_;
  bool with_nulls_;
  LargeVector<List> lists_;
  ListBytes held_;
  ValueEncoder encoder_;
};

}  // namespace evq
