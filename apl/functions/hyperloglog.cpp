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

void HyperLogLog::drop_repeated() {
  thread_local std::vector<std::uint64_t> table;  // open addressing; 0 marks a free slot
  const std::size_t slots = std::bit_ceil(exact_.size() * 2);
  const std::size_t mask = slots - 1;
  table.assign(slots, 0);
  std::size_t distinct = 0;
  for (const std::uint64_t hash : exact_) {
    std::size_t at = table_slot(hash, slots);
    while (table[at] != 0 && table[at] != hash) {
      at = (at + 1) & mask;
    }
    // Whether a hash is new cannot be foreseen: no branch asks for it.
    exact_[distinct] = hash;
    distinct += table[at] == 0 ? 1U : 0U;
    table[at] = hash;
  }
  exact_.resize(distinct);
  distinct_ = distinct;
}

void HyperLogLog::settle() {
  if (is_settled()) {
    return;
  }
  if (exact_.size() > distinct_) {
    drop_repeated();
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
  if (is_exact() && distinct_ * 2 > exact_.capacity()) {
    const std::size_t growth = exact_.capacity() < kQuickRoomMax ? 4 : 2;
    exact_.reserve(exact_.capacity() * growth);
  }
}

void HyperLogLog::add_exact(std::uint64_t hash) {
  if (hash == 0) {
    has_zero_ = true;
    return;
  }
  if (exact_.empty()) {
    if (add_to_few(hash)) {
      return;
    }
    exact_.reserve(kFirstRoom);
    exact_.assign(few_.begin(), few_.end());
  } else if (exact_.size() == exact_.capacity()) {
    make_room();
    if (!is_exact()) {
      add_dense(hash);
      return;
    }
  }
  exact_.push_back(hash);
}

bool HyperLogLog::add_to_few(std::uint64_t hash) {
  const auto few = std::span(few_).first(distinct_);
  if (std::ranges::find(few, hash) != few.end()) {
    return true;
  }
  if (distinct_ == few_.size()) {
    return false;
  }
  few_[distinct_++] = hash;
  return true;
}

void HyperLogLog::make_dense() {
  registers_.assign(std::size_t{1} << precision_, 0);
  visit_exact([this](std::uint64_t hash) { add_dense(hash); });
  std::vector<std::uint64_t>().swap(exact_);  // assigning {} would keep the memory
  distinct_ = 0;
  has_zero_ = false;
}

// The bits of an index that fall away become the first bits of the run of zeros.
void HyperLogLog::lower_precision(unsigned precision) {
  const unsigned dropped = precision_ - precision;
  if (!registers_.empty()) {
    std::vector<std::uint8_t> lower(std::size_t{1} << precision, 0);
    for (std::size_t index = 0; index < registers_.size(); ++index) {
      if (registers_[index] == 0) {
        continue;
      }
      const std::size_t tail = index & ((std::size_t{1} << dropped) - 1);
      const unsigned rank = tail == 0 ? registers_[index] + dropped
                                      : dropped - static_cast<unsigned>(std::bit_width(tail)) + 1;
      auto& target = lower[index >> dropped];
      target = std::max(target, static_cast<std::uint8_t>(rank));
    }
    registers_ = std::move(lower);
  }
  precision_ = precision;
}

void HyperLogLog::merge(const HyperLogLog& other) {
  if (other.precision_ < precision_) {
    lower_precision(other.precision_);
  }
  if (is_exact() && distinct_ == 0 && !has_zero_ && precision_ == other.precision_) {
    *this = other;
    return;
  }
  if (other.is_exact()) {
    other.visit_exact([this](std::uint64_t hash) { add(hash); });
    return;
  }
  if (is_exact()) {
    make_dense();
  }
  if (other.precision_ > precision_) {
    HyperLogLog lowered = other;
    lowered.lower_precision(precision_);
    merge(lowered);
    return;
  }
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
}

std::uint64_t HyperLogLog::estimate() const {
  if (!is_settled()) {
    return settled().estimate();
  }
  if (is_exact()) {
    return exact_count();
  }
  std::array<std::uint32_t, 66> histogram{};
  for (const std::uint8_t rank : registers_) {
    ++histogram[rank];
  }
  const unsigned q = 64 - precision_;
  const auto m = static_cast<double>(registers_.size());
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
  if (!is_exact()) {
    bytes.append(registers_.begin(), registers_.end());
    return bytes;
  }
  std::vector<std::uint64_t> hashes;
  visit_exact([&hashes](std::uint64_t hash) { hashes.push_back(hash); });
  std::ranges::sort(hashes);
  for (const std::uint64_t hash : hashes) {
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
  sketch.registers_.assign(bytes.begin(), bytes.end());
  const bool sound = std::ranges::all_of(sketch.registers_,
                                         [&](std::uint8_t rank) { return rank <= 65 - precision; });
  return sound ? std::optional(std::move(sketch)) : std::nullopt;
}

}  // namespace evq
