// Commits of a stream: in order, beside the reading, and what becomes of one that fails.
#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "store/base/thread_pool.h"
#include "tests/support/load_events.h"

TEST_CASE("a sink that refuses ends the load; what was committed is a prefix") {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "{\"i\":" + std::to_string(i) + "}\n";
  }
  for (const bool apart : {false, true}) {
    for (const int fail_at : {0, 1, 3, 9}) {
      evq::ThreadPool pool(2);
      evq::ThreadPool committer(1);
      evq::StreamContext context;
      context.pool = &pool;
      context.committer = apart ? &committer : nullptr;
      context.clock = [] { return evq::test::kReceiptNs; };
      evq::IngestOptions options;
      options.batch_rows_max = 500;
      evq::test::TableSink sink;
      sink.fail_at = fail_at;
      const auto source = evq::memory_source(text);
      evq::IngestCounts so_far;
      const auto counts = evq::parse_stream(*source, options, sink, context, &so_far);
      REQUIRE_FALSE(counts.ok());
      CHECK(counts.error().code == evq::ErrorCode::kDiskFull);
      CHECK(sink.tables.size() == static_cast<std::size_t>(fail_at));
      CHECK(so_far.ingested == 500 * static_cast<std::uint64_t>(fail_at));
    }
  }
}

TEST_CASE("the input is read on while a commit is on its way, and no further than memory allows") {
  // Each read gives one batch; the second batch is not committed before the fifth was read.
  constexpr int kBatches = 12;
  constexpr int kRows = 100;
  struct Source : evq::ByteSource {
    evq::Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                                 std::int64_t /*timeout_ms*/) override {
      std::string text;
      if (given < kBatches) {
        for (int i = 0; i < kRows; ++i) {
          text += "{\"i\":" + std::to_string(kRows * given + i) + "}\n";
        }
        // A buffer full at a time is what is cut.
        text.pop_back();
        text.resize(buffer.size(), ' ');
        text.back() = '\n';
        ++given;
      }
      std::ranges::copy(text, buffer.begin());
      return std::optional(text.size());
    }
    std::atomic<int> given{0};
  };
  struct SlowSink : evq::test::TableSink {
    explicit SlowSink(const Source& from) : source(from) {}
    evq::Status commit(std::unique_ptr<evq::SealedBatch> batch,
                       const evq::IngestCounts& counts) override {
      const std::int64_t until = evq::monotonic_now_ns() + std::int64_t{20} * 1000000000;
      while (tables.size() == 1 && source.given < 5 && evq::monotonic_now_ns() < until) {
      }
      given_at_second = tables.size() == 1 ? source.given.load() : given_at_second;
      return TableSink::commit(std::move(batch), counts);
    }
    const Source& source;
    int given_at_second = 0;
  };
  Source source;
  SlowSink sink(source);
  evq::ThreadPool pool(2);
  evq::ThreadPool committer(1);
  evq::StreamContext context;
  context.pool = &pool;
  context.committer = &committer;
  evq::IngestOptions options;
  options.batch_rows_max = kRows;
  const auto counts = evq::parse_stream(source, options, sink, context);
  REQUIRE(counts.ok());
  CHECK(counts->ingested == kBatches * kRows);
  CHECK(sink.given_at_second >= 5);
  CHECK(sink.given_at_second < kBatches);
}
