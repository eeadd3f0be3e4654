#include "store/base/allocation_meter.h"

#include <algorithm>
#include <utility>

#include "store/base/limits.h"
#include "store/base/uncharged_bytes.h"

namespace evq {

namespace {

struct ThreadMeters {
  AllocationMeter* current = nullptr;
  std::size_t bytes = 0;  // of all meters of the thread
};

ThreadMeters& thread_meters() {
  thread_local ThreadMeters meters;
  return meters;
}

}  // namespace

AllocationMeter::AllocationMeter(MemoryBudget* budget, const QueryControl* control,
                                 std::string_view operator_name)
    : control_(control), lease_(budget, operator_name) {}

AllocationMeter::~AllocationMeter() {
  thread_meters().bytes -= bytes_;
}

AllocationMeter::Current::Current(AllocationMeter* meter)
    : before_(std::exchange(thread_meters().current, meter)) {}

AllocationMeter::Current::~Current() {
  thread_meters().current = before_;
}

Status AllocationMeter::take(std::size_t bytes) {
  if (control_ != nullptr) {
    EVQ_TRY(control_->check());
  }
  std::size_t& held = thread_meters().bytes;
  const std::size_t most = uncharged_bytes(kUnchargedColumnBytesMax, nullptr);
  const std::size_t free = most - std::min(most, held);
  EVQ_TRY(lease_.grow(bytes - std::min(bytes, free)));
  bytes_ += bytes;
  held += bytes;
  return {};
}

void AllocationMeter::charge(std::size_t bytes) {
  AllocationMeter* meter = thread_meters().current;
  if (meter == nullptr) {
    return;
  }
  if (meter->refusal_.ok()) {
    meter->refusal_ = meter->take(bytes);
  }
  if (!meter->refusal_.ok()) {
    throw std::bad_alloc();
  }
}

void AllocationMeter::drop(std::size_t bytes) {
  const std::size_t dropped = std::min(bytes, bytes_);
  lease_.shrink(std::min(dropped, lease_.bytes()));
  bytes_ -= dropped;
  thread_meters().bytes -= dropped;
}

void AllocationMeter::give_back(std::size_t bytes) noexcept {
  if (AllocationMeter* meter = thread_meters().current; meter != nullptr) {
    meter->drop(bytes);
  }
}

void AllocationMeter::refuse(Error reason) {
  AllocationMeter* meter = thread_meters().current;
  if (meter == nullptr) {
    return;
  }
  if (meter->refusal_.ok()) {
    meter->refusal_ = std::move(reason);
  }
  throw std::bad_alloc();
}

std::size_t AllocationMeter::held_bytes() {
  return thread_meters().bytes;
}

}  // namespace evq
