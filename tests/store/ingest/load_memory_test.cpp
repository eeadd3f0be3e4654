#include "store/ingest/load_memory.h"

#include <cstddef>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/ingest/batch_builder.h"
#include "store/ingest/event_rules.h"

namespace {

using evq::BuilderShare;
using evq::LoadMemory;

constexpr std::size_t kFields = 900;

evq::BatchBuilder make_builder() {
  auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  return evq::BatchBuilder(std::move(rules).value());
}

// An event of short texts, no two alike: what their dictionaries take is more than the texts.
std::string event_of(std::size_t row) {
  std::string text = "{";
  for (std::size_t field = 0; field < kFields; ++field) {
    text += (field == 0 ? "\"f" : ",\"f") + std::to_string(field) + "\":\"" +
            std::to_string(row * kFields + field) + '"';
  }
  return text + '}';
}

void fill(evq::BatchBuilder& builder) {
  for (std::size_t row = 0; !builder.full(); ++row) {
    REQUIRE(builder.add_json(event_of(row), 0).ok());
  }
}

}  // namespace

TEST_CASE("builders are a part of what a load holds while they are of it") {
  LoadMemory load;
  load.add_text(1000);
  {
    BuilderShare one;
    one.set(10);
    one.join(&load);
    CHECK(load.bytes() == 1010);
    one.set(4);
    CHECK(load.bytes() == 1004);
    BuilderShare moved = std::move(one);
    moved.set(5);
    CHECK(load.bytes() == 1005);
    BuilderShare other;
    other.set(7);
    other.join(&load);
    CHECK(load.bytes() == 1012);
    other.join(nullptr);
    other.set(9);
    CHECK(load.bytes() == 1005);
  }
  CHECK(load.bytes() == 1000);
}

TEST_CASE("the largest builder yields where a load holds too much") {
  LoadMemory load;
  BuilderShare small;
  BuilderShare large;
  small.join(&load);
  large.join(&load);
  small.set(10);
  large.set(20);
  CHECK_FALSE(large.has_to_yield());
  load.add_sealed(evq::kIngestMemoryBytesMax - 31);
  CHECK_FALSE(large.has_to_yield());
  load.add_sealed(1);
  CHECK(large.has_to_yield());
  CHECK_FALSE(small.has_to_yield());
  small.set(20);  // as large
  CHECK(small.has_to_yield());
  load.drop_sealed(evq::kIngestMemoryBytesMax - 30);
  CHECK_FALSE(large.has_to_yield());
}

TEST_CASE("text is read ahead until workers have enough of it and memory is short") {
  LoadMemory load;
  load.add_text(evq::kIngestBatchTextBytesMax - 1);
  load.set_spare(evq::kIngestMemoryBytesMax);
  CHECK_FALSE(load.has_text_enough(evq::kIngestBatchTextBytesMax));
  load.add_text(1);
  CHECK(load.has_text_enough(evq::kIngestBatchTextBytesMax));
  load.set_spare(0);
  CHECK_FALSE(load.has_text_enough(evq::kIngestBatchTextBytesMax));
}

TEST_CASE("a batch ends for the memory of its builder, which then lets it go") {
  evq::BatchBuilder builder = make_builder();
  fill(builder);
  CHECK(builder.size_bytes() >= evq::kIngestBatchColumnBytesMin);
  CHECK(builder.size_bytes() < evq::kIngestBatchColumnBytesMax);
  CHECK(builder.memory_bytes() < evq::kIngestBuilderBytesMax + 8 * evq::kMebibyte);
  builder.take();
  CHECK(builder.memory_bytes() < evq::kIngestBuilderBytesMax / 4);
}

TEST_CASE("a batch ends sooner where its load holds too much, but not at once") {
  LoadMemory load;
  load.add_text(evq::kIngestMemoryBytesMax);
  evq::BatchBuilder builder = make_builder();
  builder.share_memory(&load);
  fill(builder);
  CHECK(builder.size_bytes() >= evq::kIngestBatchColumnBytesMin);
  CHECK(builder.size_bytes() < evq::kIngestBatchColumnBytesMin + 4 * evq::kMebibyte);
  builder.take();
  builder.share_memory(nullptr);
  CHECK(load.bytes() == evq::kIngestMemoryBytesMax);
}
