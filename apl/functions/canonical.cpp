#include "apl/functions/canonical.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "store/column/dynamic.h"

namespace evq {

Vector canonical_dynamics(const Vector& vector) {
  if (vector.type() != Type::kDynamic) {
    return vector;
  }
  const Values& from = vector.values();
  const std::string_view* bytes = from.data<std::string_view>();
  const auto fits = [&](std::size_t slot) {
    return from.is_null(slot) || is_canonical_dynamic(DynamicView(bytes[slot]));
  };
  std::size_t slot = 0;
  while (slot < from.size() && fits(slot)) {
    ++slot;
  }
  if (slot == from.size()) {
    return vector;
  }
  auto made = Values::make(Type::kDynamic, from.size());
  auto arena = std::make_shared<StringArena>();
  auto* to = made->mutable_data<std::string_view>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from.is_null(i)) {
      made->set_null(i);
    } else {
      to[i] =
          i < slot || fits(i) ? bytes[i] : arena->copy(canonical_dynamic(DynamicView(bytes[i])));
    }
  }
  made->add_owner(std::move(arena));
  made->add_owners_of(from);
  return vector.with_values(std::move(made));
}

}  // namespace evq
