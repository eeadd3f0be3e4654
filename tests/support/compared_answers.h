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
#include "tests/support/odd_events.h"
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

class ComparedRows final : public ResultSink {
 public:
  Status begin(const ResultHeader& header) override {
    schema_ = header.schema;
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
    schema_ = result.schema;
    for (const ReferenceRow& row : result.rows) {
      std::string line;
      for (const Value& value : row) {
        line += text_of(value) + "|";
      }
      lines_.push_back(std::move(line));
    }
  }

  const Schema& schema() const { return schema_; }
  std::string text() const {
    std::string all;
    for (const Field& field : schema_.fields()) {
      all += field.name + ":" + std::string(type_name(field.type)) + " ";
    }
    for (const std::string& line : lines_) {
      all += "\n" + line;
    }
    return all;
  }
  // Of a query that leaves it open in which order rows of equal rank come.
  std::string text_in_any_order() {
    std::ranges::sort(lines_);
    return text();
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

  Schema schema_;
  std::vector<std::string> lines_;
};

// The query with its rows sorted by all columns, in one direction and the other, so that there is
// but one order; nothing where they cannot be. What sums of doubles err by would change the order.
inline std::optional<std::string> sorted_by_all(const std::string& apl, const Schema& schema) {
  constexpr const char* kDirections[] = {"asc", "desc", "asc nulls last", "desc nulls first"};
  std::string keys;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Field& field = schema.fields()[i];
    if (field.type == Type::kReal || field.name.find_first_of("'\\\n") != std::string::npos) {
      return std::nullopt;
    }
    keys += (i == 0 ? "" : ", ") + ("['" + field.name + "'] ") +
            kDirections[(apl.size() + i) % std::size(kDirections)];
  }
  return keys.empty() ? std::nullopt : std::optional(apl + "\n| sort by " + keys);
}

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
  Result<ComparedRows> answer(const std::string& apl, bool optimize) {
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
    EVQ_TRY(service_->query(request, rows));
    return rows;
  }
  Result<ComparedRows> twin(const std::string& apl) {
    EVQ_TRY_ASSIGN(const ReferenceResult result,
                   reference_answer(service_->store(), apl, kComparedNow));
    ComparedRows rows;
    rows.add(result);
    return rows;
  }

 private:
  const ComparedWay& way_;
  TempDirectory directory_;
  std::unique_ptr<Service> service_;
};

// Whether one way may fail like this where others answer.
inline bool is_resource(ErrorCode code) {
  return code == ErrorCode::kLimit || code == ErrorCode::kTimeout;
}

// One query's answers.
class Comparison {
 public:
  enum class Order : std::uint8_t { kAny, kSame };

  Comparison(const std::string& apl, Order order, Result<ComparedRows> first)
      : apl_(apl), order_(order), first_(text_of(std::move(first))) {}

  // Traps where there is another answer, or an error that is not for want of something.
  void compare(const char* way, Result<ComparedRows> answer) const {
    const Result<std::string> other = text_of(std::move(answer));
    const bool same = first_.ok() && other.ok() ? *first_ == *other : is_excused(other);
    if (!same) {
      std::fprintf(stderr, "query: %s\n--- one\n%s\n--- other: %s\n%s\n", apl_.c_str(),
                   shown(first_).c_str(), way, shown(other).c_str());
      __builtin_trap();
    }
  }
  // Without the optimiser errors come as they do with it.
  bool is_comparable() const { return first_.ok() || !is_resource(first_.error().code); }
  bool answers() const { return first_.ok(); }

 private:
  Result<std::string> text_of(Result<ComparedRows> rows) const {
    if (!rows.ok()) {
      return std::move(rows).take_error();
    }
    return order_ == Order::kSame ? rows->text() : rows->text_in_any_order();
  }
  bool is_excused(const Result<std::string>& other) const {
    if (!other.ok() && is_resource(other.error().code)) {
      return true;
    }
    return !first_.ok() && !other.ok() && first_.error().code == other.error().code;
  }
  static std::string shown(const Result<std::string>& text) {
    return text.ok() ? *text : "error: " + text.error().message;
  }

  const std::string& apl_;
  const Order order_;
  const Result<std::string> first_;
};

inline bool may_come_in_any_order(const std::string& apl) {
  return apl.starts_with(kInAnyOrder);
}

// The query in all ways there are: by the first service with the optimiser and without, where
// wanted by the slow twin, by several threads, and where order does not matter by the other
// services.
inline void compare_ways(const std::string& apl, Comparison::Order order,
                         Result<ComparedRows> first,
                         std::span<const std::unique_ptr<ComparedService>> services, bool twin) {
  const Comparison comparison(apl, order, std::move(first));
  if (!comparison.is_comparable()) {
    return;
  }
  comparison.compare("no optimiser", services[0]->answer(apl, false));
  if (!comparison.answers()) {
    return;
  }
  if (twin) {
    Result<ComparedRows> slow = services[0]->twin(apl);
    if (slow.ok() || slow.error().code != ErrorCode::kUnsupported) {
      comparison.compare("slow twin", std::move(slow));
    }
  }
  for (std::size_t i = 1; i < (may_come_in_any_order(apl) ? services.size() : 2); ++i) {
    comparison.compare(services[i]->way(), services[i]->answer(apl, true));
  }
}

// The same once more with all rows in one order, which is compared then.
inline void compare_ways(const std::string& apl,
                         std::span<const std::unique_ptr<ComparedService>> services, bool twin) {
  if (is_unsteady(apl)) {
    return;
  }
  Result<ComparedRows> first = services[0]->answer(apl, true);
  const std::optional<std::string> sorted =
      first.ok() ? sorted_by_all(apl, first->schema()) : std::nullopt;
  compare_ways(apl, Comparison::Order::kAny, std::move(first), services, twin);
  if (!sorted.has_value()) {
    return;
  }
  Result<ComparedRows> in_order = services[0]->answer(*sorted, true);
  if (in_order.ok()) {
    compare_ways(*sorted, Comparison::Order::kSame, std::move(in_order), services, twin);
  }
}

}  // namespace evq::test
