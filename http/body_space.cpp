#include "http/body_space.h"

#include <algorithm>
#include <utility>

#include "http/limits.h"
#include "store/base/time.h"

namespace evq {

bool ByteBudget::take(std::uint64_t bytes) {
  if (held.fetch_add(bytes) + bytes <= bytes_max) {
    return true;
  }
  held.fetch_sub(bytes);
  return false;
}

HeldBytes::HeldBytes(HeldBytes&& other) noexcept
    : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}

HeldBytes& HeldBytes::operator=(HeldBytes&& other) noexcept {
  if (this != &other) {
    give_back();
    budget_ = std::move(other.budget_);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

bool HeldBytes::grow(const std::shared_ptr<ByteBudget>& budget, std::uint64_t bytes) {
  if (budget == nullptr || bytes <= bytes_) {
    return true;
  }
  if (!budget->take(bytes - bytes_)) {
    return false;
  }
  budget_ = budget;
  bytes_ = bytes;
  return true;
}

void HeldBytes::give_back() {
  if (bytes_ != 0) {
    budget_->held.fetch_sub(std::exchange(bytes_, 0));
  }
}

bool QuietWatch::is_due(std::uint64_t held, std::int64_t now_ns) {
  constexpr std::uint64_t kMuch = kHttpBodiesMemoryBytesMax / 4;
  constexpr std::int64_t kQuietNs = kSecondNs;
  peak_ = std::max(peak_, held);
  if (peak_ < kMuch || held > peak_ / 4) {
    busy_ns_ = now_ns;
    return false;
  }
  if (now_ns - busy_ns_ <= kQuietNs) {
    return false;
  }
  peak_ = held;
  return true;
}

std::shared_ptr<ByteBudget> memory_of(const std::shared_ptr<BodySpace>& space) {
  return space == nullptr ? nullptr : std::shared_ptr<ByteBudget>(space, &space->memory);
}

std::shared_ptr<ByteBudget> files_of(const std::shared_ptr<BodySpace>& space) {
  return space == nullptr ? nullptr : std::shared_ptr<ByteBudget>(space, &space->files);
}

}  // namespace evq
