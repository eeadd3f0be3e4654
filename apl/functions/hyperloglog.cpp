// HyperLogLog: the exact set, the registers, and the estimator.

#include "apl/functions/hyperloglog.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "apl/functions/table_slot.h"

namespace evq {
namespace {

constexpr std::size_t kFirstRoom = 16;
// Room is made quickly to here: hashes are looked at each time, and memory is not short yet.
constexpr std::size_t kQuickRoomMax = 1024;
constexpr char kExactForm = 0;
constexpr char kDenseForm = 1;

// Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", algorithm 6: the two
// series correct for registers still at zero and for those that are full.
double sigma(double x) {
  if (x == 1) {
    return std::numeric_limits<double>::infinity();
  }
  double y = 1;
  double z = x;
  for (double before = -1; z != before; y += y) {
    x *= x;
    before = z;
    z += x * y;
  }
  return z;
}

double tau(double x) {
  if (x == 0 || x == 1) {
    return 0;
  }
  double y = 1;
  double z = 1 - x;
  for (double before = -1; z != before;) {
    x = std::sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  }
  return z / 3;
}

void append_u64(std::uint64_t value, std::string* out) {
  for (unsigned byte = 0; byte < 8; ++byte) {
    out->push_back(static_cast<char>((value >> (8 * byte)) & 0xFFU));
  }
}

std::uint64_t read_u64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (unsigned byte = 0; byte < 8; ++byte) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[byte])) << (8 * byte);
  }
  return value;
}

}  // namespace

std::size_t HyperLogLog::size_bytes() const {
  if (const auto* registers = std::get_if<Registers>(&held_)) {
    return registers->capacity();
  }
  const auto* list = std::get_if<List>(&held_);
  return list == nullptr ? 0 : list->capacity() * sizeof(std::uint64_t);
}

std::span<const std::uint64_t> HyperLogLog::hashes() const {
  if (const auto* list = std::get_if<List>(&held_)) {
    return *list;
  }
  return std::span(std::get<Few>(held_)).first(distinct_);
}

void HyperLogLog::drop_repeated(List* list) {
  thread_local std::vector<std::uint64_t> table;  // open addressing; 0 marks a free slot
  const std::size_t slots = std::bit_ceil(list->size() * 2);
  const std::size_t mask = slots - 1;
  table.assign(slots, 0);
  std::uint32_t distinct = 0;
  for (const std::uint64_t hash : *list) {
    std::size_t at = table_slot(hash, slots);
    while (table[at] != 0 && table[at] != hash) {
      at = (at + 1) & mask;
    }
    // Whether a hash is new cannot be foreseen: no branch asks for it.
    (*list)[distinct] = hash;
    distinct += table[at] == 0 ? 1U : 0U;
    table[at] = hash;
  }
  list->resize(distinct);
  distinct_ = distinct;
}

bool HyperLogLog::is_settled() const {
  return !is_exact() || (hashes().size() == distinct_ && exact_count() <= kExactMax);
}

void HyperLogLog::settle() {
  if (is_settled()) {
    return;
  }
  if (auto* list = std::get_if<List>(&held_); list != nullptr && list->size() > distinct_) {
    drop_repeated(list);
  }
  if (exact_count() > kExactMax) {
    make_dense();
  }
}

HyperLogLog HyperLogLog::settled() const {
  HyperLogLog copy = *this;
  copy.settle();
  return copy;
}

// Half of what there is afterwards, or more, so that what is dropped pays for having looked at all.
void HyperLogLog::make_room() {
  settle();
  if (auto* list = std::get_if<List>(&held_);
      list != nullptr && std::size_t{distinct_} * 2 > list->capacity()) {
    const std::size_t growth = list->capacity() < kQuickRoomMax ? 4 : 2;
    list->reserve(list->capacity() * growth);
  }
}

void HyperLogLog::add_exact(std::uint64_t hash) {
  if (hash == 0) {
    has_zero_ = true;
    return;
  }
  if (auto* few = std::get_if<Few>(&held_)) {
    if (add_to(few, hash)) {
      return;
    }
    List list;
    list.reserve(kFirstRoom);
    list.assign(few->begin(), few->end());
    held_ = std::move(list);
  } else if (const auto& list = std::get<List>(held_); list.size() == list.capacity()) {
    make_room();
  }
  if (auto* list = std::get_if<List>(&held_)) {
    list->push_back(hash);
  } else {
    add_to(&std::get<Registers>(held_), hash);
  }
}

bool HyperLogLog::add_to(Few* few, std::uint64_t hash) {
  const auto taken = std::span(*few).first(distinct_);
  if (std::ranges::find(taken, hash) != taken.end()) {
    return true;
  }
  if (distinct_ == few->size()) {
    return false;
  }
  (*few)[distinct_++] = hash;
  return true;
}

HyperLogLog::Registers& HyperLogLog::make_dense() {
  Registers registers(std::size_t{1} << precision_);
  if (has_zero_) {
    add_to(&registers, 0);
  }
  for (const std::uint64_t hash : hashes()) {
    add_to(&registers, hash);
  }
  distinct_ = 0;
  has_zero_ = false;
  return held_.emplace<Registers>(std::move(registers));
}

// The bits of an index that fall away become the first bits of the run of zeros.
void HyperLogLog::lower_precision(unsigned precision) {
  const unsigned dropped = precision_ - precision;
  if (auto* registers = std::get_if<Registers>(&held_)) {
    Registers lower(std::size_t{1} << precision);
    for (std::size_t index = 0; index < registers->size(); ++index) {
      const std::uint8_t higher = (*registers)[index];
      if (higher == 0) {
        continue;
      }
      const std::size_t tail = index & ((std::size_t{1} << dropped) - 1);
      const unsigned rank =
          tail == 0 ? higher + dropped : dropped - static_cast<unsigned>(std::bit_width(tail)) + 1;
      auto& target = lower[index >> dropped];
      target = std::max(target, static_cast<std::uint8_t>(rank));
    }
    *registers = std::move(lower);
  }
  precision_ = static_cast<std::uint8_t>(precision);
}

void HyperLogLog::merge(const HyperLogLog& other) {
  if (other.precision_ < precision_) {
    lower_precision(other.precision_);
  }
  if (is_empty() && precision_ == other.precision_) {
    *this = other;
    return;
  }
  const auto* theirs = std::get_if<Registers>(&other.held_);
  if (theirs == nullptr) {
    if (other.has_zero_) {
      add(0);
    }
    for (const std::uint64_t hash : other.hashes()) {
      add(hash);
    }
    return;
  }
  if (other.precision_ > precision_) {
    HyperLogLog lowered = other;
    lowered.lower_precision(precision_);
    merge(lowered);
    return;
  }
  Registers& ours = is_exact() ? make_dense() : std::get<Registers>(held_);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ours[i] = std::max(ours[i], (*theirs)[i]);
  }
}

std::uint64_t HyperLogLog::estimate() const {
  if (!is_settled()) {
    return settled().estimate();
  }
  const auto* registers = std::get_if<Registers>(&held_);
  if (registers == nullptr) {
    return exact_count();
  }
  std::array<std::uint32_t, 66> histogram{};
  for (const std::uint8_t rank : *registers) {
    ++histogram[rank];
  }
  const unsigned q = 64U - precision_;
  const auto m = static_cast<double>(registers->size());
  double z = m * tau(1 - static_cast<double>(histogram[q + 1]) / m);
  for (unsigned k = q; k >= 1; --k) {
    z = 0.5 * (z + static_cast<double>(histogram[k]));
  }
  z += m * sigma(static_cast<double>(histogram[0]) / m);
  constexpr double kAlphaInfinity = 0.72134752044448170368;  // 1 / (2 ln 2)
  const double estimate = kAlphaInfinity * m * m / z;        // infinite when all registers are full
  constexpr double kLimit = 0x1p63;
  return estimate < kLimit ? static_cast<std::uint64_t>(std::llround(estimate)) : kEstimateMax;
}

std::string HyperLogLog::serialize() const {
  if (!is_settled()) {
    return settled().serialize();
  }
  std::string bytes;
  bytes.push_back(static_cast<char>(precision_));
  bytes.push_back(is_exact() ? kExactForm : kDenseForm);
  if (const auto* registers = std::get_if<Registers>(&held_)) {
    bytes.append(registers->begin(), registers->end());
    return bytes;
  }
  if (has_zero_) {
    append_u64(0, &bytes);
  }
  List ascending(hashes().begin(), hashes().end());
  std::ranges::sort(ascending);
  for (const std::uint64_t hash : ascending) {
    append_u64(hash, &bytes);
  }
  return bytes;
}

std::optional<HyperLogLog> HyperLogLog::parse(std::string_view bytes) {
  if (bytes.size() < 2) {
    return std::nullopt;
  }
  const unsigned precision = static_cast<unsigned char>(bytes[0]);
  const char form = bytes[1];
  bytes.remove_prefix(2);
  if (precision < kPrecisionMin || precision > kPrecisionMax) {
    return std::nullopt;
  }
  HyperLogLog sketch(precision);
  if (form == kExactForm && bytes.size() % 8 == 0 && bytes.size() / 8 <= kExactMax) {
    for (; !bytes.empty(); bytes.remove_prefix(8)) {
      sketch.add(read_u64(bytes));
    }
    return sketch;
  }
  if (form != kDenseForm || bytes.size() != std::size_t{1} << precision) {
    return std::nullopt;
  }
  const auto& registers = sketch.held_.emplace<Registers>(bytes.begin(), bytes.end());
  const bool sound =
      std::ranges::all_of(registers, [&](std::uint8_t rank) { return rank <= 65 - precision; });
  return sound ? std::optional(std::move(sketch)) : std::nullopt;
}

}  // namespace evq
