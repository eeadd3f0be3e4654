// links: evq_ingest
// A whole input of any format (the first byte forces one) read at once and read a few bytes at a
// time: the same counts, failures and end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "store/ingest/stream.h"

namespace {

class SteppingSource : public evq::ByteSource {
 public:
  SteppingSource(std::string_view bytes, std::size_t step) : rest_(bytes), step_(step) {}

  evq::Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                               std::int64_t /*timeout_ms*/) override {
    waiting_ = !waiting_;
    if (waiting_) {
      return std::optional<std::size_t>();
    }
    const std::size_t size = std::min({buffer.size(), rest_.size(), step_});
    std::copy_n(rest_.begin(), size, buffer.begin());
    rest_.remove_prefix(size);
    return std::optional(size);
  }

 private:
  std::string_view rest_;
  std::size_t step_;
  bool waiting_ = false;
};

class CountingSink : public evq::BatchSink {
 public:
  evq::Result<std::unique_ptr<evq::SealedBatch>> seal(evq::BatchColumns& batch,
                                                      std::uint64_t /*raw_bytes*/) override {
    rows += batch.take_all().rows;
    return std::make_unique<evq::SealedBatch>();
  }
  evq::Status commit(std::unique_ptr<evq::SealedBatch> /*batch*/,
                     const evq::IngestCounts& /*counts*/) override {
    return {};
  }

  std::uint64_t rows = 0;
};

struct Outcome {
  std::string error;
  evq::IngestCounts counts;
  std::uint64_t rows = 0;
};

Outcome load(evq::ByteSource& source, const evq::IngestOptions& options) {
  CountingSink sink;
  evq::StreamContext context;
  context.clock = [] { return std::int64_t{0}; };
  Outcome outcome;
  const auto counts = evq::parse_stream(source, options, sink, context, &outcome.counts);
  if (!counts.ok()) {
    outcome.error = counts.error().message;
  } else {
    outcome.counts = counts.value();
    if (sink.rows != outcome.counts.ingested) {
      __builtin_trap();
    }
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  evq::IngestOptions options;
  constexpr evq::InputFormat kFormats[] = {evq::InputFormat::kCsv, evq::InputFormat::kAuto,
                                           evq::InputFormat::kJson, evq::InputFormat::kCsv};
  options.format = kFormats[data[0] & 3];
  // A sniffed delimiter may depend on how much of the first record was there.
  options.csv_delimiter = ',';
  options.line_bytes_max = 200;
  const std::size_t step = 1 + data[1] % 16;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  // A zero byte tells that the input is no text only where it came with the first line.
  if (options.format != evq::InputFormat::kJson && text.find('\0') != std::string_view::npos) {
    return 0;
  }
  const auto whole_source = evq::memory_source(text);
  const Outcome whole = load(*whole_source, options);
  SteppingSource stepping(text, step);
  const Outcome parts = load(stepping, options);
  const auto same = [](const evq::IngestFailure& x, const evq::IngestFailure& y) {
    return x.line == y.line && x.column == y.column && x.reason == y.reason;
  };
  if (whole.error != parts.error) {
    __builtin_trap();
  }
  if (whole.error.empty() &&
      (whole.counts.ingested != parts.counts.ingested ||
       whole.counts.failed != parts.counts.failed ||
       whole.counts.processed_bytes != parts.counts.processed_bytes ||
       !std::equal(whole.counts.failures.begin(), whole.counts.failures.end(),
                   parts.counts.failures.begin(), parts.counts.failures.end(), same))) {
    __builtin_trap();
  }
  return 0;
}
