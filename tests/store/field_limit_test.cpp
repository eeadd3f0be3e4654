// The limit of a dataset's fields: events that would pass it fail alone, whoever loads beside them.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/dataset.h"
#include "store/fresh_rows.h"
#include "store/store.h"
#include "tests/support/load_events.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

using test::load_events;
using test::Loaded;

void require_clean(Store& store) {
  QueryControl control;
  const auto report = store.check(control);
  REQUIRE(report.ok());
  CHECK(report->problems.empty());
}

// An event of the fields f<first>, f<first + 1>, …
std::string wide_event(std::size_t first, std::size_t count) {
  std::string text = "{\"f" + std::to_string(first) + "\":1";
  for (std::size_t i = first + 1; i < first + count; ++i) {
    text += ",\"f" + std::to_string(i) + "\":1";
  }
  return text + "}\n";
}

// Nine events of a thousand fields each.
std::string nine_thousand_fields(std::size_t first) {
  std::string text;
  for (std::size_t i = 0; i < 9; ++i) {
    text += wide_event(first + i * 1000, 1000);
  }
  return text;
}

TEST_CASE("an event with a field too many fails alone, in a new or empty dataset too") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 16);
  const std::string text = nine_thousand_fields(0);
  DatasetDefinition definition;
  definition.name = "empty";
  REQUIRE(store->definitions().create_dataset(definition).ok());
  for (const char* dataset : {"wide", "empty"}) {
    // _time and _sysTime are fields as well.
    auto report = load(*store, dataset, text + wide_event(9000, 998) + wide_event(9998, 1));
    REQUIRE(report.ok());
    CHECK(report->counts.ingested == 10);
    CHECK(report->counts.failed == 1);
    CHECK(store->fields(dataset)->size() == kDatasetFieldsMax);
  }
}

TEST_CASE("fields of a load that came to nothing take no room") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 16);
  REQUIRE(load(*store, "wide", wide_event(0, 1)).ok());
  IngestRequest request;
  request.atomic = true;
  request.options.format = InputFormat::kJson;
  QueryControl control;
  for (std::size_t i = 1; i <= 10; ++i) {
    const std::string text = "[" + wide_event(i * 1000, 1000) + ",{\"a\":}]";
    const auto source = memory_source(text);
    REQUIRE_FALSE(store->ingest("wide", *source, request, control).ok());
  }
  auto report = load(*store, "wide", wide_event(20000, 1000));
  REQUIRE(report.ok());
  CHECK(report->counts.failed == 0);
}

// Gives `bytes`, tells that there is nothing now, runs `meanwhile`, and gives `rest`.
class InterruptedSource : public ByteSource {
 public:
  InterruptedSource(std::string bytes, std::function<void()> meanwhile, std::string rest)
      : bytes_(std::move(bytes)), meanwhile_(std::move(meanwhile)), rest_(std::move(rest)) {}

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t /*timeout_ms*/) override {
    if (given_ == bytes_.size() && meanwhile_) {
      if (!std::exchange(waited_, true)) {
        return std::optional<std::size_t>();
      }
      std::exchange(meanwhile_, nullptr)();
      bytes_ += rest_;
    }
    const std::size_t size = std::min(buffer.size(), bytes_.size() - given_);
    bytes_.copy(buffer.data(), size, given_);
    given_ += size;
    return std::optional(size);
  }

 private:
  std::string bytes_;
  std::function<void()> meanwhile_;
  std::string rest_;
  std::size_t given_ = 0;
  bool waited_ = false;
};

TEST_CASE("loads into a dataset that is yet to be made keep to the limit together") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 16);
  const auto other = [&] {
    auto report = load(*store, "new", wide_event(20000, 1) + wide_event(30000, 1000));
    REQUIRE(report.ok());
    CHECK(report->counts.ingested == 1);
    CHECK(report->counts.failed == 1);
  };
  InterruptedSource source(nine_thousand_fields(0), other, "");
  QueryControl control;
  auto report = store->ingest("new", source, IngestRequest(), control);
  REQUIRE(report.ok());
  CHECK(report->counts.ingested == 9);
  CHECK(store->fields("new")->size() == 9003);
}

FreshRows wide_rows(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; i += 500) {
    text += wide_event(first + i, 500);
  }
  Loaded loaded = load_events(text);
  REQUIRE(loaded.status.ok());
  REQUIRE(loaded.tables.size() == 1);
  return {std::move(loaded.tables.front()), text.size()};
}

TEST_CASE("rows with more fields than a dataset may have are not joined") {
  const FreshRows some = wide_rows(0, 6000);
  const FreshRows others = wide_rows(10000, 6000);
  const FreshRows few = wide_rows(20000, 2000);
  JoinedRows joined(65536);
  CHECK(joined.add(some));
  CHECK_FALSE(joined.add(others));
  CHECK(joined.add(few));
  CHECK(joined.add(some));
}

TEST_CASE("a block that brings too many fields is refused, and nothing else is lost") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 65536);
  REQUIRE(load(*store, "d", wide_event(0, 1)).ok());
  // Admitted before the fields of the first were known, as by another process.
  auto elsewhere = open_store(directory.path(), 65536);
  const auto meanwhile = [&] { REQUIRE(load(*elsewhere, "d", nine_thousand_fields(20000)).ok()); };
  InterruptedSource source(nine_thousand_fields(0), meanwhile, "");
  QueryControl control;
  auto report = store->ingest("d", source, IngestRequest(), control);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::kLimit);
  CHECK(store->snapshot("d")->rows() == 10);
  require_clean(*store);
}

}  // namespace
}  // namespace evq
