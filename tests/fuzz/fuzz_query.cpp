// links: evq_service evq_plan evq_store
// sources: support/reference.cpp support/reference_rows.cpp
// A whole query over a small store of odd events: with the optimiser, without it, and by the slow
// twin. All that answer, answer the same; none crashes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/result_writer.h"
#include "apl/service/service.h"
#include "store/ingest/byte_source.h"
#include "tests/support/reference.h"
#include "tests/support/temp_store.h"

namespace {

constexpr std::int64_t kNow = 1'700'000'000'000'000'000;
constexpr std::size_t kTextBytesMax = 400;
constexpr std::int64_t kTimeoutMs = 2000;

constexpr std::string_view kEvents =
    R"({"_time":"2024-05-01T00:00:00Z","n":1,"r":1.5,"s":"alpha","b":true,"l":[1,"x",null],"m":1}
{"_time":"2024-05-01T00:00:01Z","n":-7,"r":null,"s":"Beta gamma","b":false,"o":{"k":"v","d":2},"m":"1"}
{"_time":"2024-05-01T00:00:01Z","n":9223372036854775807,"r":-0.0,"s":"","b":null,"l":[]}
{"_time":"2024-05-02T12:30:00Z","n":0,"r":1e300,"s":"10.0.0.1 GET /a?b=c 200","t":"2024-01-02T03:04:05Z"}
{"_time":"2024-05-02T12:30:00Z","s":"alpha","o":{"k":null},"m":true}
{"_time":"2024-05-03T00:00:00Z","n":3,"r":0.1,"s":"\u00e9t\u00e9 \ud83d\ude00","j":"{\"a\":[1,2]}"}
)";

// What differs from run to run, or between plans, by design.
constexpr std::string_view kUnsteady[] = {
    "rand",       "now(",           "ago(",     "sample",       "_sysTime", "_cursor", "_rowID",
    "_blockInfo", "ingestion_time", "new_guid", "externaldata", "_source",  "tdigest", "hll"};

class Rows final : public evq::ResultSink {
 public:
  evq::Status begin(const evq::ResultHeader& header) override {
    for (const evq::Field& field : header.schema.fields()) {
      names_ += field.name + ":" + std::string(evq::type_name(field.type)) + " ";
    }
    return evq::Status::success();
  }
  evq::Status push(const evq::Chunk& chunk, std::span<const evq::RowOrigin> /*origins*/) override {
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      std::string line;
      for (std::size_t i = 0; i < chunk.column_count(); ++i) {
        line += text_of(chunk.column(i).value(row)) + "|";
      }
      lines_.push_back(std::move(line));
    }
    return evq::Status::success();
  }
  evq::Status end(const evq::QueryStatus& /*status*/) override { return evq::Status::success(); }

  void add(const evq::ReferenceResult& result) {
    for (const evq::Field& field : result.schema.fields()) {
      names_ += field.name + ":" + std::string(evq::type_name(field.type)) + " ";
    }
    for (const evq::ReferenceRow& row : result.rows) {
      std::string line;
      for (const evq::Value& value : row) {
        line += text_of(value) + "|";
      }
      lines_.push_back(std::move(line));
    }
  }

  // Rows of equal rank may come in any order.
  std::string text() {
    std::ranges::sort(lines_);
    std::string all = names_;
    for (const std::string& line : lines_) {
      all += "\n" + line;
    }
    return all;
  }

 private:
  // Sums of doubles depend on the order of their terms: eight digits are compared.
  static std::string text_of(const evq::Value& value) {
    if (value.is_null() || value.type() != evq::Type::kReal) {
      return value.to_text();
    }
    const double number = value.as_real();
    if (std::isnan(number)) {
      return "NaN";  // its sign is the processor's
    }
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.8g", number == 0 ? 0.0 : number);
    return digits;
  }

  std::string names_;
  std::vector<std::string> lines_;
};

struct World {
  evq::TempDirectory directory;
  std::unique_ptr<evq::Service> service;

  World() {
    evq::ServiceOptions options;
    options.store_directory = directory.path();
    options.block_rows = 4;
    options.workers = 1;
    options.timeout_ms = kTimeoutMs;
    options.memory_limit_bytes = std::size_t{128} << 20;
    auto opened = evq::Service::open(options);
    if (!opened.ok()) {
      std::abort();
    }
    service = std::move(opened).value();
    for (const char* dataset : {"t", "u"}) {
      evq::IngestRequest request;
      request.options.batch_rows_max = 4;
      request.clock = [] { return kNow; };
      evq::QueryControl control;
      const auto source = evq::memory_source(kEvents);
      if (!service->store().ingest(dataset, *source, request, control).ok()) {
        std::abort();
      }
    }
  }

  std::optional<std::string> answer(const std::string& apl, bool optimize) {
    evq::QueryRequest request;
    request.apl = apl;
    request.optimize = optimize;
    request.force_flat = !optimize;
    request.now_ns = kNow;
    Rows rows;
    return service->query(request, rows).ok() ? std::optional(rows.text()) : std::nullopt;
  }
  std::optional<std::string> twin(const std::string& apl) {
    auto result = evq::reference_answer(service->store(), apl, kNow);
    if (!result.ok()) {
      return std::nullopt;
    }
    Rows rows;
    rows.add(result.value());
    return rows.text();
  }
};

[[noreturn]] void disagree(const std::string& apl, const std::string& a, const std::string& b) {
  std::fprintf(stderr, "query: %s\n--- one\n%s\n--- other\n%s\n", apl.c_str(), a.c_str(),
               b.c_str());
  __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  const std::string apl(reinterpret_cast<const char*>(data), std::min(size, kTextBytesMax));
  const auto first = world.answer(apl, true);
  const bool unsteady = std::ranges::any_of(
      kUnsteady, [&](std::string_view word) { return apl.find(word) != std::string::npos; });
  if (!first || unsteady) {
    return 0;
  }
  const auto second = world.answer(apl, false);
  if (second && *second != *first) {
    disagree(apl, *first, *second);
  }
  const auto third = world.twin(apl);
  if (third && *third != *first) {
    disagree(apl, *first, *third);
  }
  return 0;
}
