#pragma once
// load_events: text through the whole of parse_stream into tables, and tables as text that a test
// can compare: a row a line, `name=value` for every field that is not null, `_sysTime` left out.
// Strings are quoted, so that "1" and 1 differ; reals have a point or an exponent.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/json_writer.h"
#include "store/ingest/stream.h"

namespace evq::test {

inline constexpr std::int64_t kReceiptNs = 1700000000000000000;  // 2023-11-14T22:13:20Z

// Gives `bytes` in steps, first up to `first` bytes, then `step` at a time.
class SteppingSource : public ByteSource {
 public:
  SteppingSource(std::string_view bytes, std::size_t first, std::size_t step)
      : rest_(bytes), next_(first), step_(step) {}

  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t /*timeout_ms*/) override {
    if (next_ == 0) {
      // Not now: as a pipe whose writer is slow.
      next_ = step_;
      return std::optional<std::size_t>();
    }
    const std::size_t size = std::min({buffer.size(), rest_.size(), next_});
    if (size != 0) {
      std::memcpy(buffer.data(), rest_.data(), size);
    }
    rest_.remove_prefix(size);
    next_ = 0;
    return std::optional(size);
  }

 private:
  std::string_view rest_;
  std::size_t next_;
  std::size_t step_;
};

struct TableBatch : SealedBatch {
  Table table;
  std::uint64_t raw_bytes = 0;
};

class TableSink : public BatchSink {
 public:
  Result<std::unique_ptr<SealedBatch>> seal(BatchColumns& batch, std::uint64_t raw_bytes) override {
    auto sealed = std::make_unique<TableBatch>();
    sealed->table = batch.take_all();
    sealed->raw_bytes = raw_bytes;
    return std::unique_ptr<SealedBatch>(std::move(sealed));
  }
  Status commit(std::unique_ptr<SealedBatch> batch, const IngestCounts& counts) override {
    if (fail_at && tables.size() == *fail_at) {
      return make_error(ErrorCode::kDiskFull, "no room");
    }
    auto& sealed = static_cast<TableBatch&>(*batch);
    tables.push_back(std::move(sealed.table));
    table_bytes.push_back(sealed.raw_bytes);
    committed = counts.ingested;
    return {};
  }

  std::vector<Table> tables;
  std::vector<std::uint64_t> table_bytes;  // of the input that made each
  std::uint64_t committed = 0;
  std::optional<std::size_t> fail_at;  // refuse this commit
};

inline std::string cell_text(const Vector& column, std::size_t row) {
  const Value value = column.value(row);
  std::string text = value.to_text();
  if (value.type() == Type::kString) {
    text.clear();
    append_json_string(text, value.as_text());
  } else if (value.type() == Type::kReal && text.find_first_of(".eEIN") == std::string::npos) {
    text += ".0";
  }
  return text;
}

inline std::string dump_rows(const Table& table) {
  std::string out;
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::string line;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& name = table.schema[i].name;
      if (name != "_sysTime" && !table.columns[i].is_null(row)) {
        line += (line.empty() ? "" : " ") + name + "=" + cell_text(table.columns[i], row);
      }
    }
    out += line + "\n";
  }
  return out;
}

// "name:type name:type" without _time and _sysTime.
inline std::string dump_schema(const Table& table) {
  std::string out;
  for (std::size_t i = 2; i < table.schema.size(); ++i) {
    out += (out.empty() ? "" : " ") + table.schema[i].name + ":" +
           std::string(type_name(table.schema[i].type));
  }
  return out;
}

struct Loaded {
  Status status;
  IngestCounts counts;
  std::vector<Table> tables;
  std::vector<std::uint64_t> raw_bytes;
  std::vector<std::string> rejects;

  std::string rows() const {
    std::string out;
    for (const Table& table : tables) {
      out += dump_rows(table);
    }
    return out;
  }
  // "line:column reason" a line.
  std::string failures() const {
    std::string out;
    for (const IngestFailure& failure : counts.failures) {
      out += std::to_string(failure.line) + ":" + std::to_string(failure.column) + " " +
             failure.reason + "\n";
    }
    return out;
  }
};

inline Loaded load_source(ByteSource& source, const IngestOptions& options,
                          StreamContext context = {}) {
  Loaded loaded;
  TableSink sink;
  context.clock = [] { return kReceiptNs; };
  context.reject = [&loaded](std::string_view text, const IngestFailure&) {
    loaded.rejects.emplace_back(text);
  };
  auto counts = parse_stream(source, options, sink, context, &loaded.counts);
  if (counts.ok()) {
    loaded.counts = std::move(counts).value();
  } else {
    loaded.status = std::move(counts).take_error();
  }
  loaded.tables = std::move(sink.tables);
  loaded.raw_bytes = std::move(sink.table_bytes);
  return loaded;
}

inline Loaded load_events(std::string_view text, const IngestOptions& options = {}) {
  const auto source = decoded_source(memory_source(text), {});
  return load_source(*source, options);
}

// A source that gives its memory away.
inline std::unique_ptr<ByteSource> owned_source(std::string_view text) {
  TextMemory memory(text.size());
  std::memcpy(memory.bytes.get(), text.data(), text.size());
  memory.size = text.size();
  return memory_source(std::move(memory));
}

}  // namespace evq::test
