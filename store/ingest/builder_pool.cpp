#include "store/ingest/builder_pool.h"

#include <atomic>
#include <new>
#include <utility>

#include "store/base/limits.h"
#include "store/ingest/event_rules.h"

namespace evq {

namespace {

// Of the builders in all pools.
std::atomic<std::size_t>& idle_bytes() {
  static std::atomic<std::size_t> bytes{0};
  return bytes;
}

}  // namespace

BuilderPool::BuilderPool(std::shared_ptr<const EventRules> rules) : rules_(std::move(rules)) {}

BuilderPool::~BuilderPool() {
  for (const auto& builder : idle_) {
    idle_bytes() -= builder->memory_bytes();
  }
}

bool BuilderPool::refused_fields() const {
  return rules_->admission != nullptr && rules_->admission->refused();
}

std::unique_ptr<BatchBuilder> BuilderPool::take() {
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<BatchBuilder> builder = std::move(idle_.back());
      idle_.pop_back();
      idle_bytes() -= builder->memory_bytes();
      return builder;
    }
  }
  return std::make_unique<BatchBuilder>(rules_);
}

void BuilderPool::put(std::unique_ptr<BatchBuilder> builder) {
  const std::size_t bytes = builder->memory_bytes();
  if (idle_bytes().fetch_add(bytes) + bytes > kIdleBuilderBytesMax) {
    idle_bytes() -= bytes;
    return;
  }
  const MutexLock lock(mutex_);
  try {
    idle_.push_back(std::move(builder));
  } catch (const std::bad_alloc&) {
    idle_bytes() -= bytes;  // one less to wait for the next load
  }
}

}  // namespace evq
