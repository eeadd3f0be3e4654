// Several vectors as one: all rows of each (concatenate), or any rows of any (interleave).

#include <algorithm>
#include <utility>

#include "store/column/physical.h"
#include "store/column/vector.h"

namespace evq {
namespace {

using Owner = std::shared_ptr<const void>;

// Above this many owners a vector holds them through one bundle, so that gathers stay cheap.
constexpr std::size_t kOwnersInlineMax = 8;
// Codes have 16 bits.
constexpr std::size_t kEntriesMax = std::size_t{1} << 16U;

void append_owners(const Values& from, std::vector<Owner>* owners) {
  owners->insert(owners->end(), from.owners().begin(), from.owners().end());
}

void set_owners(std::vector<Owner> owners, Values* to) {
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  if (owners.size() > kOwnersInlineMax) {
    to->add_owner(std::make_shared<const std::vector<Owner>>(std::move(owners)));
    return;
  }
  for (Owner& owner : owners) {
    to->add_owner(std::move(owner));
  }
}

// Writes the rows of `part` to the slots of `to` from `offset` on.
void place_rows(const Vector& part, std::size_t offset, Values* to) {
  with_physical(to->type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = part.values().data<T>();
    T* target = to->template mutable_data<T>() + offset;
    if (part.is_flat()) {
      std::copy_n(source, part.size(), target);
    } else if (part.is_constant()) {
      std::fill_n(target, part.size(), source[0]);
    } else {
      for (std::size_t i = 0; i < part.size(); ++i) {
        target[i] = source[part.codes()[i]];
      }
    }
  });
}

// Clears the bits of the null rows of `part`, which are those from `offset` on and all set.
void clear_nulls(const Vector& part, std::size_t offset, Bits* bits) {
  const std::uint64_t* valid = part.values().validity();
  Bits gathered;
  if (!part.is_flat()) {
    gathered = gather_bits(valid, part.size(), [&](std::size_t i) { return part.slot(i); });
    valid = gathered.data();
  }
  const std::size_t words = part.is_flat() ? bitmap_words(part.size()) : gathered.size();
  for (std::size_t word = 0; word < words; ++word) {
    const std::size_t rows = std::min<std::size_t>(64, part.size() - word * 64);
    const std::uint64_t nulls = ~valid[word] & (~std::uint64_t{0} >> (64 - rows));
    const std::size_t at = offset + word * 64;
    (*bits)[at >> 6] &= ~(nulls << (at & 63));
    if ((at & 63) != 0 && (at >> 6) + 1 < bits->size()) {
      (*bits)[(at >> 6) + 1] &= ~(nulls >> (64 - (at & 63)));
    }
  }
}

bool all_null_constants(std::span<const Vector> parts) {
  return std::ranges::all_of(
      parts, [](const Vector& part) { return part.is_constant() && part.values().is_null(0); });
}

// Whether the parts' entries make one dictionary that is no longer than its rows.
bool fit_one_dictionary(std::span<const Vector> parts, std::size_t rows) {
  std::size_t entries = 0;
  for (const Vector& part : parts) {
    if (part.is_flat()) {
      return false;
    }
    entries += part.values().size();
  }
  return entries <= std::min(rows, kEntriesMax);
}

Vector interleave_codes(std::span<const Vector> parts, std::span<const RowPlace> places) {
  std::vector<Vector> entries;
  std::vector<std::size_t> first_codes;
  std::size_t total = 0;
  for (const Vector& part : parts) {
    entries.push_back(Vector::flat(part.shared_values()));
    first_codes.push_back(total);
    total += part.values().size();
  }
  std::shared_ptr<Code[]> codes = make_codes(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const RowPlace place = places[i];
    codes.get()[i] = static_cast<Code>(first_codes[place.part] + parts[place.part].slot(place.row));
  }
  return Vector::dictionary(concatenate(entries).shared_values(), std::move(codes), places.size());
}

// The slots of the wanted rows, part after part resolved once and not row by row.
struct PartSlots {
  const Code* codes = nullptr;  // of a dictionary
  std::uint32_t mask = 0;       // of the row's number otherwise: a constant has one slot

  std::size_t operator[](std::uint32_t row) const {
    return codes != nullptr ? codes[row] : row & mask;
  }
};

Vector interleave_slots(std::span<const Vector> parts, std::span<const RowPlace> places) {
  auto to = Values::make(parts[0].type(), places.size());
  std::vector<PartSlots> slots;
  std::vector<Owner> owners;
  bool has_nulls = false;
  for (const Vector& part : parts) {
    slots.push_back({part.is_dictionary() ? part.codes() : nullptr, part.is_flat() ? ~0U : 0U});
    append_owners(part.values(), &owners);
    has_nulls = has_nulls || part.may_have_nulls();
  }
  with_physical(to->type(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<const T*> sources;
    for (const Vector& part : parts) {
      sources.push_back(part.values().data<T>());
    }
    T* target = to->template mutable_data<T>();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const RowPlace place = places[i];
      target[i] = sources[place.part][slots[place.part][place.row]];
    }
  });
  if (has_nulls) {
    Bits bits(bitmap_words(places.size()), ~std::uint64_t{0});
    for (std::size_t i = 0; i < places.size(); ++i) {
      const RowPlace place = places[i];
      if (parts[place.part].values().is_null(slots[place.part][place.row])) {
        bits[i >> 6] &= ~(std::uint64_t{1} << (i & 63));
      }
    }
    to->set_validity(std::move(bits));
  }
  set_owners(std::move(owners), to.get());
  return Vector::flat(std::move(to));
}

}  // namespace

Vector concatenate(std::span<const Vector> parts) {
  if (parts.size() == 1) {
    return parts[0].flatten();
  }
  std::size_t size = 0;
  bool has_nulls = false;
  Type type = Type::kNull;
  for (const Vector& part : parts) {
    EVQ_CHECK(part.size() == 0 || size == 0 || part.type() == type);
    type = size == 0 && part.type() != Type::kNull ? part.type() : type;
    size += part.size();
    has_nulls = has_nulls || part.may_have_nulls();
  }
  auto to = Values::make(type, size);
  std::vector<Owner> owners;
  std::size_t offset = 0;
  Bits bits(has_nulls && type != Type::kNull ? bitmap_words(size) : 0, ~std::uint64_t{0});
  for (const Vector& part : parts) {
    if (part.size() == 0) {
      continue;
    }
    place_rows(part, offset, to.get());
    append_owners(part.values(), &owners);
    if (!bits.empty() && part.may_have_nulls()) {
      clear_nulls(part, offset, &bits);
    }
    offset += part.size();
  }
  to->set_validity(std::move(bits));
  set_owners(std::move(owners), to.get());
  return Vector::flat(std::move(to));
}

Vector interleave(std::span<const Vector> parts, std::span<const RowPlace> places) {
  EVQ_CHECK(!parts.empty());
  const Type type = parts[0].type();
  for (const Vector& part : parts) {
    EVQ_CHECK(part.type() == type);
  }
  if (type == Type::kNull || all_null_constants(parts)) {
    return Vector::constant(Value::null(type), places.size());
  }
  return fit_one_dictionary(parts, places.size()) ? interleave_codes(parts, places)
                                                  : interleave_slots(parts, places);
}

}  // namespace evq
