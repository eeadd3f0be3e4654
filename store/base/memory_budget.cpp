#include "store/base/memory_budget.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "store/base/check.h"
#include "store/base/told_number.h"

namespace evq {

std::optional<std::size_t> MemoryBudget::try_reserve(std::size_t bytes) {
  const std::size_t limit = limit_ == 0 ? std::numeric_limits<std::size_t>::max() : limit_;
  std::size_t before = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit || before > limit - bytes) {
      return std::nullopt;
    }
  } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  return before + bytes;
}

Status MemoryBudget::reserve(std::size_t bytes, std::string_view operator_name) {
  const std::optional<std::size_t> now = try_reserve(bytes);
  if (!now.has_value()) {
    return make_error(ErrorCode::kLimit,
                      "memory limit of " + memory_limit_text(limit_) + " exceeded in " +
                          std::string(operator_name),
                      "filter earlier, group by fewer values, or raise the memory limit");
  }
  if (parent_ != nullptr) {
    if (Status status = parent_->reserve(bytes, operator_name); !status.ok()) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      return status;
    }
  }
  watch_.note(bytes, *now);
  std::size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < *now && !peak_.compare_exchange_weak(peak, *now, std::memory_order_relaxed)) {
  }
  return Status::success();
}

void MemoryBudget::release(std::size_t bytes) {
  const std::size_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
  EVQ_CHECK(before >= bytes);
  if (parent_ != nullptr) {
    parent_->release(bytes);
  }
}

MemoryLease::MemoryLease(MemoryLease&& other) noexcept
    : budget_(other.budget_),
      operator_name_(other.operator_name_),
      bytes_(std::exchange(other.bytes_, 0)) {}

MemoryLease& MemoryLease::operator=(MemoryLease&& other) noexcept {
  if (this != &other) {
    reset();
    budget_ = other.budget_;
    operator_name_ = other.operator_name_;
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Status MemoryLease::grow(std::size_t bytes) {
  if (budget_ == nullptr) {
    return Status::success();
  }
  EVQ_TRY(budget_->reserve(bytes, operator_name_));
  bytes_ += bytes;
  return Status::success();
}

void MemoryLease::shrink(std::size_t bytes) {
  if (budget_ != nullptr) {
    budget_->release(bytes);
    bytes_ -= bytes;
  }
}

Status MemoryLease::resize(std::size_t bytes) {
  if (bytes > bytes_) {
    return grow(bytes - bytes_);
  }
  shrink(bytes_ - bytes);
  return Status::success();
}

void MemoryLease::take(MemoryLease* other) {
  EVQ_CHECK(other->budget_ == budget_);
  bytes_ += std::exchange(other->bytes_, 0);
}

void MemoryLease::reset() {
  if (budget_ != nullptr && bytes_ > 0) {
    budget_->release(bytes_);
  }
  bytes_ = 0;
}

}  // namespace evq
