#pragma once
// What the store's tests share: a store in a folder of its own, loading NDJSON text, and reading
// every event back as one line of text, in (time, ordinal) order.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/ingest/byte_source.h"
#include "store/store.h"
#include "tests/support/temp_store.h"

namespace evq {

inline constexpr std::int64_t kReceipt = 1'700'000'000'000'000'000;

inline std::unique_ptr<Store> open_store(const std::string& directory, std::uint32_t block_rows,
                                         ThreadPool* pool = nullptr) {
  StoreOptions options;
  options.directory = directory;
  options.block_rows = block_rows;
  options.pool = pool;
  auto store = Store::open(options);
  REQUIRE(store.ok());
  return std::move(store).value();
}

inline Result<IngestReport> load(Store& store, std::string_view dataset, std::string_view text,
                                 bool atomic = true) {
  IngestRequest request;
  request.atomic = atomic;
  request.options.format = InputFormat::kNdjson;
  request.clock = [] { return kReceipt; };
  QueryControl control;
  const std::unique_ptr<ByteSource> source = memory_source(text);
  return store.ingest(dataset, *source, request, control);
}

struct ReadRow {
  RowId id;
  std::string text;  // of the wanted field
};

// Every row's id and one field of it; in order of ids. Any error fails the test.
inline std::vector<ReadRow> read_rows(const Snapshot& snapshot, std::string_view field) {
  std::vector<ReadRow> rows;
  for (const SnapshotBlock& info : snapshot.blocks()) {
    auto block = snapshot.open(info);
    REQUIRE(block.ok());
    const auto times = block->column("_time");
    const auto ordinals = block->ordinals();
    const auto values = block->column(field);
    REQUIRE(times.ok());
    REQUIRE(ordinals.ok());
    REQUIRE(values.ok());
    for (std::size_t i = 0; i < info.rows; ++i) {
      rows.push_back(
          {{times->at<std::int64_t>(i), static_cast<std::uint64_t>(ordinals->at<std::int64_t>(i))},
           values->value(i).to_text()});
    }
  }
  std::ranges::sort(rows, {}, &ReadRow::id);
  return rows;
}

inline std::vector<ReadRow> read_rows(Store& store, std::string_view dataset,
                                      std::string_view field) {
  auto snapshot = store.snapshot(dataset);
  REQUIRE(snapshot.ok());
  return read_rows(*snapshot, field);
}

inline std::vector<std::string> texts(const std::vector<ReadRow>& rows) {
  std::vector<std::string> out;
  for (const ReadRow& row : rows) {
    out.push_back(row.text);
  }
  return out;
}

// `count` events numbered from `first`, a second apart from `second` on, `step` seconds each.
inline std::string numbered_events(int first, int count, int second, int step) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "{\"_time\":" + std::to_string(1'600'000'000 + second + i * step) +
            ",\"n\":" + std::to_string(first + i) + "}\n";
  }
  return text;
}

}  // namespace evq
