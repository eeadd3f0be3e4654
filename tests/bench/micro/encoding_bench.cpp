// encoding_bench FILE.ndjson [compact] [blocks]: encodes the columns of real events block by block
// and prints, per column, the scheme, sizes, and the speed of encoding and decoding in GB/s of raw
// values, then the totals. Times are CPU times of this thread. Not part of the test run.
// links: evq_block evq_encoding simdjson::simdjson

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "store/base/time_parse.h"
#include "store/block/block_reader.h"
#include "store/block/block_writer.h"
#include "store/column/dynamic_json.h"
#include "store/column/vector_builder.h"
#include "store/encoding/segment.h"

namespace evq {
namespace {

constexpr std::size_t kBlockRows = 65536;
constexpr std::size_t kDictionaryEntriesMax = 4096;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// What ingest does to one field, in its simplest form.
struct FieldBuilder {
  Type type = Type::kNull;
  std::unique_ptr<VectorBuilder> builder;
  std::size_t rows = 0;

  void pad(std::size_t row) {
    for (; rows < row; ++rows) {
      builder->append_null();
    }
  }
};

class TableBuilder {
 public:
  void add(std::string_view name, simdjson::dom::element value) {
    using simdjson::dom::element_type;
    switch (value.type()) {
      case element_type::STRING: {
        const std::string_view text = value.get_string().value_unsafe();
        if (name == "_time") {
          return field(name, Type::kDatetime).builder->append_integer(*parse_instant(text));
        }
        return field(name, Type::kString).builder->append_text(text);
      }
      case element_type::INT64: {
        const std::int64_t number = value.get_int64().value_unsafe();
        if (name == "time_us") {
          field("_time", Type::kDatetime).builder->append_integer(number * 1000);
        }
        FieldBuilder& to = field(name, Type::kLong);
        return to.type == Type::kReal ? to.builder->append_real(static_cast<double>(number))
                                      : to.builder->append_integer(number);
      }
      case element_type::DOUBLE:
        return field(name, Type::kReal).builder->append_real(value.get_double().value_unsafe());
      case element_type::BOOL:
        return field(name, Type::kBool).builder->append_bool(value.get_bool().value_unsafe());
      case element_type::ARRAY: {
        const auto bytes = dynamic_from_json(simdjson::minify(value));
        return field(name, Type::kDynamic).builder->append_text(*bytes);
      }
      case element_type::OBJECT: {
        const simdjson::dom::object object = value.get_object().value_unsafe();
        for (const auto entry : object) {
          add(std::string(name) + (name.empty() ? "" : ".") + std::string(entry.key), entry.value);
        }
        return;
      }
      case element_type::UINT64:
      case element_type::NULL_VALUE:
        return;
    }
  }

  void end_row() { ++row_; }
  std::size_t rows() const { return row_; }

  Table finish() {
    Table table;
    table.rows = row_;
    std::vector<Field> fields{{"_sysTime", Type::kDatetime}};
    table.columns.push_back(Vector::constant(Value::datetime(1'750'000'000'000'000'000), row_));
    for (auto& [name, field] : fields_) {
      field.pad(row_);
      fields.push_back({name, field.type});
      table.columns.push_back(to_dictionary(field.builder->finish()));
    }
    table.schema = Schema(std::move(fields));
    fields_.clear();
    row_ = 0;
    return table;
  }

 private:
  FieldBuilder& field(std::string_view name, Type type) {
    auto at = fields_.find(name);
    if (at == fields_.end()) {
      at = fields_.emplace(std::string(name), FieldBuilder{}).first;
      at->second.type =
          name == "req_duration_ms" || name == "attributes.sampling.rate" ? Type::kReal : type;
      at->second.builder = std::make_unique<VectorBuilder>(at->second.type);
    }
    at->second.pad(row_);
    ++at->second.rows;
    return at->second;
  }

  // Strings with few distinct values reach the encoder as dictionaries.
  static Vector to_dictionary(Vector flat) {
    if (flat.type() != Type::kString) {
      return flat;
    }
    std::unordered_map<std::string_view, Code> codes;
    VectorBuilder entries(Type::kString);
    auto rows = make_codes(flat.size());
    std::size_t null_code = SIZE_MAX;
    for (std::size_t i = 0; i < flat.size(); ++i) {
      if (flat.is_null(i)) {
        if (null_code == SIZE_MAX) {
          null_code = entries.size();
          entries.append_null();
        }
        rows.get()[i] = static_cast<Code>(null_code);
        continue;
      }
      const auto text = flat.at<std::string_view>(i);
      const auto [at, added] = codes.try_emplace(text, static_cast<Code>(entries.size()));
      if (added) {
        if (entries.size() == kDictionaryEntriesMax) {
          return flat;
        }
        entries.append_text(text);
      }
      rows.get()[i] = at->second;
    }
    return Vector::dictionary(entries.finish().shared_values(), std::move(rows), flat.size());
  }

  std::map<std::string, FieldBuilder, std::less<>> fields_;
  std::size_t row_ = 0;
};

struct Totals {
  std::map<std::string, int> schemes;
  std::uint64_t raw = 0;
  std::uint64_t segments = 0;
  std::uint64_t filters = 0;
  double encode = 0;
  double decode = 0;
};

class Bench {
 public:
  explicit Bench(Effort effort) : effort_(effort) {}

  void run(const Table& unsorted) {
    const std::vector<std::uint32_t> order =
        time_order(unsorted.columns[*unsorted.schema.find("_time")]);
    Table table = unsorted;
    for (std::size_t i = 0; i < table.columns.size() && !order.empty(); ++i) {
      table.columns[i] = table.columns[i].gather(order);
    }
    std::vector<EncodedColumn> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const double start = cpu_seconds();
      auto column = encode_column(table.schema[i], table.columns[i], effort_);
      Totals& totals = columns_[table.schema[i].name];
      totals.encode += cpu_seconds() - start;
      columns.push_back(std::move(column).value());
      ++totals.schemes[std::string(
          encoding_name(static_cast<EncodingId>(columns.back().header.encoding)))];
    }
    const EncodedBlock block = assemble_block(table.rows, std::move(columns)).value();
    headers_ += encode_header(block.header).size();
    std::string parts;
    for (const auto* each : {&block.segments, &block.filters}) {
      parts = std::accumulate(each->begin(), each->end(), std::move(parts));
    }
    const auto packed = std::make_shared<const std::string>(std::move(parts));
    BlockReader reader(std::make_shared<BlockHeader>(block.header),
                       make_packed_source(block.header, {*packed, packed}));
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const ColumnHeader& header = block.header.columns[i];
      Totals& totals = columns_[header.name];
      const double start = cpu_seconds();
      const auto vector = reader.read(i, Selection::all());
      totals.decode += cpu_seconds() - start;
      if (!vector.ok()) {
        std::fprintf(stderr, "%s\n", vector.error().message.c_str());
        std::exit(1);
      }
      totals.raw += header.raw_bytes;
      totals.segments += header.segment_bytes;
      totals.filters += header.filter_bytes;
    }
  }

  void print() const {
    Totals sum;
    std::vector<std::pair<std::uint64_t, std::string>> order;
    for (const auto& [name, totals] : columns_) {
      order.emplace_back(totals.segments + totals.filters, name);
      sum.raw += totals.raw;
      sum.segments += totals.segments;
      sum.filters += totals.filters;
      sum.encode += totals.encode;
      sum.decode += totals.decode;
    }
    std::sort(order.rbegin(), order.rend());
    std::printf("%-34s %9s %9s %8s %6s %6s  %s\n", "column", "raw kB", "segm kB", "filt kB", "enc",
                "dec", "schemes (blocks)");
    for (const auto& [size, name] : order) {
      const Totals& totals = columns_.at(name);
      std::string schemes;
      for (const auto& [scheme, count] : totals.schemes) {
        schemes += scheme + " (" + std::to_string(count) + ") ";
      }
      print_row(name, totals, schemes);
    }
    print_row("total", sum, "headers " + std::to_string(headers_ / 1000) + " kB");
    std::printf("encode %.3f s, decode %.3f s, stored %.2f MB\n", sum.encode, sum.decode,
                static_cast<double>(sum.segments + sum.filters + headers_) / 1e6);
  }

 private:
  static void print_row(const std::string& name, const Totals& totals, const std::string& note) {
    const auto raw = static_cast<double>(totals.raw);
    std::printf("%-34s %9.0f %9.1f %8.1f %6.2f %6.2f  %s\n", name.c_str(), raw / 1e3,
                static_cast<double>(totals.segments) / 1e3,
                static_cast<double>(totals.filters) / 1e3, raw / totals.encode / 1e9,
                raw / totals.decode / 1e9, note.c_str());
  }

  Effort effort_;
  std::map<std::string, Totals> columns_;
  std::uint64_t headers_ = 0;
};

int run(const char* path, Effort effort, std::size_t blocks) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text) != simdjson::SUCCESS) {
    std::fprintf(stderr, "cannot read %s\n", path);
    return 1;
  }
  simdjson::dom::parser parser;
  simdjson::dom::document_stream documents;
  if (parser.parse_many(text, 4 << 20).get(documents) != simdjson::SUCCESS) {
    return 1;
  }
  Bench bench(effort);
  TableBuilder table;
  for (const auto document : documents) {
    const simdjson::dom::element event = document.value_unsafe();
    table.add("", event);
    table.end_row();
    if (table.rows() == kBlockRows) {
      bench.run(table.finish());
      if (--blocks == 0) {
        break;
      }
    }
  }
  if (table.rows() > 0 && blocks > 0) {
    bench.run(table.finish());
  }
  bench.print();
  return 0;
}

}  // namespace
}  // namespace evq

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "encoding_bench FILE.ndjson [compact] [blocks]\n");
    return 2;
  }
  bool compact = false;
  std::size_t blocks = 1000000;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "compact") {
      compact = true;
    } else {
      blocks = std::strtoul(argv[i], nullptr, 10);
    }
  }
  return evq::run(argv[1], compact ? evq::Effort::kCompact : evq::Effort::kIngest, blocks);
}
