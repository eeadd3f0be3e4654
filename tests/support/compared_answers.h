#pragma once
// ComparedService: a query over a store of odd events, answered in one of the ways that must all
// give one answer, as text to compare: with the optimiser or without, by the slow twin, by several
// threads, with groups in parts, a block's rows some at a time, blocks of one size or another,
// hardly any memory. Aborts where the store cannot be made. One thread's.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/result_writer.h"
#include "apl/service/service.h"
#include "store/ingest/byte_source.h"
#include "tests/support/reference.h"
#include "tests/support/temp_store.h"

namespace evq::test {

inline constexpr std::int64_t kComparedNow = 1'700'000'000'000'000'000;

// In front of a query whose answer does not tell in which order rows came that nobody sorted: in
// blocks of other sizes they lie otherwise, and groups that are made some at a time come otherwise.
inline constexpr std::string_view kInAnyOrder = "// in any order\n";

// What differs from run to run, or between plans, by design.
inline bool is_unsteady(std::string_view apl) {
  constexpr std::string_view kWords[] = {
      "rand",       "now(",           "ago(",     "sample",       "_sysTime", "_cursor", "_rowID",
      "_blockInfo", "ingestion_time", "new_guid", "externaldata", "_source",  "tdigest", "hll"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return apl.find(word) != std::string_view::npos; });
}

// Times that blocks share and that go back, columns of only some of the events and of another type
// in others, keys that repeat and that do not.
inline std::string odd_events(std::size_t rows) {
  constexpr const char* kTexts[] = {
      "alpha", "Beta gamma", "", "beta", "10.0.0.1 GET /a?b=c 200", "\\u00e9t\\u00e9", "a", "1"};
  constexpr const char* kLists[] = {"[]", "[1,\"x\",null]", "{\"a\":1,\"b\":[1]}",
                                    "[[2],2.5,\"a\"]"};
  const std::size_t numbers = rows < 100 ? 11 : 1009;
  std::string events;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string number = std::to_string(i);
    const std::size_t tenth = i * 10 / rows;
    const std::size_t hour = tenth < 5 ? tenth * 2 + i % 2 : i * 7 % 16;
    events += R"({"_time":"2024-05-0)" + std::to_string(1 + hour / 8) + "T0" +
              std::to_string(hour % 8) + R"(:00:00Z","g":"id-)" + number + '"';
    const auto add = [&](bool there, const std::string& name, const std::string& value) {
      events += there ? ",\"" + name + "\":" + value : "";
    };
    const std::string text = '"' + std::string(kTexts[i * 5 % std::size(kTexts)]) + '"';
    add(i % 9 != 4, "k", text);
    add(i % 7 != 3, "n", std::to_string(static_cast<int>(i * i % numbers) - 3));
    add(tenth < 2, "x", std::to_string(9007199254740992 + i));
    add(tenth == 2, "x", i % 2 == 0 ? "-0.0" : std::to_string(static_cast<double>(i) / 4 - 3));
    add(tenth > 4, "x", i % 21 == 0 ? "9223372036854775807" : number);
    add(tenth < 3 || tenth == 7, "r", i % 11 == 0 ? "0" : std::to_string(i % 50));
    add(tenth == 3 || tenth == 8, "r", i % 2 == 0 ? "-0.0" : std::to_string(i % 50) + ".125");
    add(tenth < 2 || i % 3 == 0, "y", std::to_string(i % 4));
    add(tenth >= 2 && i % 3 != 0, "y", i % 3 == 1 ? text : i % 2 == 0 ? "true" : "[1,2]");
    add(i % 4 != 2, "z", i % 3 == 0 ? "true" : "false");
    add(i % 6 != 5, "d", std::to_string((static_cast<std::int64_t>(i % 5) - 2) * 3600000000000));
    add(i % 5 != 0, "l", kLists[i % std::size(kLists)]);
    add(i % 5 == 2, "o", R"({"k":)" + text + R"(,"d":)" + number + "}");
    add(tenth == 3, "f", std::to_string(i / 3));
    add(tenth % 2 == 0, "s", text);
    events += "}\n";
  }
  return events;
}

class ComparedRows final : public ResultSink {
 public:
  Status begin(const ResultHeader& header) override {
    for (const Field& field : header.schema.fields()) {
      names_ += field.name + ":" + std::string(type_name(field.type)) + " ";
    }
    return Status::success();
  }
  Status push(const Chunk& chunk, std::span<const RowOrigin> /*origins*/) override {
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      std::string line;
      for (std::size_t i = 0; i < chunk.column_count(); ++i) {
        line += text_of(chunk.column(i).value(row)) + "|";
      }
      lines_.push_back(std::move(line));
    }
    return Status::success();
  }
  Status end(const QueryStatus& /*status*/) override { return Status::success(); }

  void add(const ReferenceResult& result) {
    for (const Field& field : result.schema.fields()) {
      names_ += field.name + ":" + std::string(type_name(field.type)) + " ";
    }
    for (const ReferenceRow& row : result.rows) {
      std::string line;
      for (const Value& value : row) {
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
  static std::string text_of(const Value& value) {
    if (value.is_null() || value.type() != Type::kReal) {
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

struct ComparedWay {
  const char* name;
  std::uint32_t block_rows;
  std::size_t workers;
  std::size_t memory_bytes;
  bool hurried;  // groups in parts, few rows of a block at a time, left sides of joins first
};

class ComparedService {
 public:
  explicit ComparedService(const ComparedWay& way, std::int64_t timeout_ms) : way_(way) {
    ServiceOptions options;
    options.store_directory = directory_.path();
    options.block_rows = way.block_rows;
    options.workers = way.workers;
    options.timeout_ms = timeout_ms;
    options.memory_limit_bytes = way.memory_bytes;
    auto opened = Service::open(options);
    if (!opened.ok()) {
      std::abort();
    }
    service_ = std::move(opened).value();
  }

  void add(const char* dataset, const std::string& events) {
    IngestRequest request;
    request.options.batch_rows_max = way_.block_rows;
    request.options.timespan_fields.emplace_back("d");
    request.clock = [] { return kComparedNow; };
    QueryControl control;
    const auto source = memory_source(events);
    if (!service_->store().ingest(dataset, *source, request, control).ok()) {
      std::abort();
    }
  }

  const char* way() const { return way_.name; }
  // Nothing where the query fails.
  std::optional<std::string> answer(const std::string& apl, bool optimize) {
    QueryRequest request;
    request.apl = apl;
    request.optimize = optimize;
    request.force_flat = !optimize;
    request.now_ns = kComparedNow;
    if (way_.hurried) {
      request.force_parts = true;
      request.rows_at_once = 3;
      request.join_left_rows = 3;
    }
    ComparedRows rows;
    return service_->query(request, rows).ok() ? std::optional(rows.text()) : std::nullopt;
  }
  std::optional<std::string> twin(const std::string& apl) {
    auto result = reference_answer(service_->store(), apl, kComparedNow);
    if (!result.ok()) {
      return std::nullopt;
    }
    ComparedRows rows;
    rows.add(result.value());
    return rows.text();
  }

 private:
  const ComparedWay& way_;
  TempDirectory directory_;
  std::unique_ptr<Service> service_;
};

// Traps where there is another answer.
inline void compare_answers(const std::string& apl, const std::string& one, const char* way,
                            const std::optional<std::string>& other) {
  if (other.has_value() && *other != one) {
    std::fprintf(stderr, "query: %s\n--- one\n%s\n--- other: %s\n%s\n", apl.c_str(), one.c_str(),
                 way, other->c_str());
    __builtin_trap();
  }
}

// The query in all ways there are: by the first service with the optimiser and without, where
// wanted by the slow twin, by several threads, and where order does not matter by the other
// services.
inline void compare_ways(const std::string& apl,
                         std::span<const std::unique_ptr<ComparedService>> services, bool twin) {
  const auto first = services[0]->answer(apl, true);
  if (!first || is_unsteady(apl)) {
    return;
  }
  compare_answers(apl, *first, "no optimiser", services[0]->answer(apl, false));
  if (twin) {
    compare_answers(apl, *first, "slow twin", services[0]->twin(apl));
  }
  for (std::size_t i = 1; i < (apl.starts_with(kInAnyOrder) ? services.size() : 2); ++i) {
    compare_answers(apl, *first, services[i]->way(), services[i]->answer(apl, true));
  }
}

}  // namespace evq::test
