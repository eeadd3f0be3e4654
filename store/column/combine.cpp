// Several vectors as one: all rows of each or runs of them (concatenate), or any rows of any
// (interleave).

#include <algorithm>
#include <numeric>
#include <utility>

#include "store/column/physical.h"
#include "store/column/row_runs.h"
#include "store/column/vector.h"

namespace evq {
namespace {

// Above this many owners a vector holds them through one bundle, so that gathers stay cheap.
constexpr std::size_t kOwnersInlineMax = 8;
// Rows a run has on average where copying runs is faster than picking rows.
constexpr std::size_t kRunRowsMin = 16;
// Codes have 16 bits.
constexpr std::size_t kEntriesMax = std::size_t{1} << 16U;

void append_owners(const Values& from, std::vector<TextOwner>* owners) {
  owners->insert(owners->end(), from.owners().begin(), from.owners().end());
}

void set_owners(std::vector<TextOwner> owners, Values* to) {
  std::ranges::sort(owners, {}, &TextOwner::memory);
  owners.erase(std::unique(owners.begin(), owners.end(),
                           [](const TextOwner& one, const TextOwner& other) {
                             return one.memory == other.memory;
                           }),
               owners.end());
  if (owners.size() > kOwnersInlineMax) {
    std::size_t bytes = 0;
    for (const TextOwner& owner : owners) {
      bytes += owner.size_bytes;
    }
    to->add_owner({std::make_shared<const std::vector<TextOwner>>(std::move(owners)), bytes});
    return;
  }
  for (TextOwner& owner : owners) {
    to->add_owner(std::move(owner));
  }
}

// Writes rows of `part` to the slots from `to` on; where it stopped.
template <class T>
T* place_rows(const Vector& part, const RowRun& run, T* to) {
  const T* from = part.values().data<T>();
  if (part.is_flat()) {
    return std::copy_n(from + run.begin, run.count, to);
  }
  if (part.is_constant()) {
    return std::fill_n(to, run.count, from[0]);
  }
  const Code* codes = part.codes() + run.begin;
  return std::transform(codes, codes + run.count, to, [from](Code code) { return from[code]; });
}

// `count` bits, at most 64, from bit `begin` on; what is above them is anything.
std::uint64_t word_at(const std::uint64_t* bits, std::size_t begin, std::size_t count) {
  const std::size_t shift = begin & 63;
  std::uint64_t word = bits[begin >> 6] >> shift;
  if (shift + count > 64) {
    word |= bits[(begin >> 6) + 1] << (64 - shift);
  }
  return word;
}

// Clears the bits of the null rows among those of `run`, which are the bits from `offset` on and
// all set.
void clear_nulls(const Vector& part, const RowRun& run, std::size_t offset, Bits* bits) {
  const std::uint64_t* valid = part.values().validity();
  std::size_t begin = run.begin;
  Bits gathered;
  if (!part.is_flat()) {
    gathered = gather_bits(valid, run.count, [&](std::size_t i) { return part.slot(begin + i); });
    if (gathered.empty()) {
      return;
    }
    valid = gathered.data();
    begin = 0;
  }
  for (std::size_t done = 0; done < run.count; done += 64) {
    const std::size_t rows = std::min<std::size_t>(64, run.count - done);
    const std::uint64_t nulls =
        ~word_at(valid, begin + done, rows) & (~std::uint64_t{0} >> (64 - rows));
    const std::size_t at = offset + done;
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
  std::vector<TextOwner> owners;
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
  return concatenate(parts, whole_runs(parts));
}

std::vector<RowRun> whole_runs(std::span<const Vector> parts) {
  std::vector<RowRun> runs;
  runs.reserve(parts.size());
  for (const Vector& part : parts) {
    const auto number = static_cast<std::uint32_t>(runs.size());
    runs.push_back({number, 0, static_cast<std::uint32_t>(part.size())});
  }
  return runs;
}

Vector concatenate(std::span<const Vector> parts, std::span<const RowRun> runs) {
  std::size_t rows = 0;
  bool has_nulls = false;
  Type type = Type::kNull;
  std::vector<TextOwner> owners;
  for (const Vector& part : parts) {
    EVQ_CHECK(part.size() == 0 || rows == 0 || part.type() == type);
    type = rows == 0 && part.type() != Type::kNull ? part.type() : type;
    rows += part.size();
    has_nulls = has_nulls || part.may_have_nulls();
    if (part.size() != 0) {
      append_owners(part.values(), &owners);
    }
  }
  std::size_t size = 0;
  for (const RowRun& run : runs) {
    size += run.count;
  }
  auto to = Values::make(type, size);
  Bits bits(has_nulls && type != Type::kNull ? bitmap_words(size) : 0, ~std::uint64_t{0});
  with_physical(type, [&](auto zero) {
    auto* target = to->template mutable_data<decltype(zero)>();
    for (const RowRun& run : runs) {
      EVQ_DCHECK(run.begin + std::size_t{run.count} <= parts[run.part].size());
      target = run.count == 0 ? target : place_rows(parts[run.part], run, target);
    }
  });
  std::size_t offset = 0;
  for (const RowRun& run : runs) {
    if (!bits.empty() && parts[run.part].may_have_nulls()) {
      clear_nulls(parts[run.part], run, offset, &bits);
    }
    offset += run.count;
  }
  to->set_validity(std::move(bits));
  set_owners(std::move(owners), to.get());
  return Vector::flat(std::move(to));
}

std::vector<RowRun> long_runs(std::span<const std::uint32_t> order,
                              std::span<const std::size_t> part_sizes) {
  if (part_sizes.size() < 2) {
    return {};
  }
  std::vector<std::size_t> ends(part_sizes.size());
  std::partial_sum(part_sizes.begin(), part_sizes.end(), ends.begin());
  std::vector<RowRun> runs;
  for (std::size_t i = 0; i < order.size();) {
    if (runs.size() * kRunRowsMin > order.size()) {
      return {};
    }
    const auto part =
        static_cast<std::size_t>(std::ranges::upper_bound(ends, order[i]) - ends.begin());
    const std::size_t first = i;
    do {
      ++i;
    } while (i < order.size() && order[i] == order[i - 1] + 1 && order[i] < ends[part]);
    const std::size_t begin = ends[part] - part_sizes[part];
    runs.push_back({static_cast<std::uint32_t>(part),
                    static_cast<std::uint32_t>(order[first] - begin),
                    static_cast<std::uint32_t>(i - first)});
  }
  return runs;
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
