// evq_write_seeds DIRECTORY: inputs for the fuzz targets that read what the store has written, each
// under DIRECTORY/<target>/: segments of every scheme, headers and fresh chunks, cursors and
// definitions of datasets. Random changes seldom make such bytes from nothing.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/time.h"
#include "store/block/block_writer.h"
#include "store/column/dynamic_json.h"
#include "store/column/vector_builder.h"
#include "store/definition_coding.h"
#include "store/encoding/encoding.h"
#include "store/mini_block.h"
#include "store/row_id.h"
#include "tests/support/random_text.h"

namespace evq {
namespace {

constexpr std::size_t kSeedBytesMax = 4096;
constexpr std::int64_t kNoon = 1'714'564'800'000'000'000;

class Seeds {
 public:
  explicit Seeds(std::filesystem::path directory) : directory_(std::move(directory)) {}

  void write(const std::string& target, const std::string& name, std::string_view bytes) const {
    if (bytes.size() > kSeedBytesMax) {
      return;
    }
    std::filesystem::create_directories(directory_ / target);
    std::ofstream out(directory_ / target / name, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::filesystem::path directory_;
};

constexpr Effort kEfforts[] = {Effort::kPassing, Effort::kFresh, Effort::kIngest, Effort::kCompact};

std::string effort_name(Effort effort) {
  return "effort" + std::to_string(static_cast<int>(effort));
}

// One kind of column: what makes its rows, of which every null_every-th is null (0: none).
struct Kind {
  const char* name;
  Type type;
  std::function<Value(std::size_t row, Random& random)> value;
  std::size_t null_every = 0;
};

Value json(const std::string& text) {
  return Value::dynamic(dynamic_from_json(text).value_or(""));
}

std::vector<Kind> kinds() {
  using Row = std::size_t;
  const auto whole = [](Row row) { return static_cast<std::int64_t>(row); };
  return {
      {"null", Type::kString, [](Row, Random&) { return Value::null(Type::kString); }},
      {"same", Type::kLong, [](Row, Random&) { return Value::integer(7); }, 5},
      {"flags", Type::kBool, [](Row, Random& random) { return Value::boolean(random() % 3 == 0); },
       4},
      {"small", Type::kLong,
       [](Row, Random& random) {
         return Value::integer(static_cast<std::int64_t>(random() % 900));
       }},
      {"rising", Type::kLong,
       [whole](Row row, Random&) { return Value::integer(1000 + 3 * whole(row)); }},
      {"runs", Type::kLong,
       [whole](Row row, Random&) { return Value::integer(whole(row / 17) * 1'000'003); }},
      {"any", Type::kLong,
       [](Row, Random& random) { return Value::integer(static_cast<std::int64_t>(random())); }, 7},
      {"span", Type::kTimespan,
       [whole](Row row, Random&) { return Value::timespan(whole(row) * 1'000'000); }},
      {"moment", Type::kDatetime,
       [whole](Row row, Random&) { return Value::datetime(kNoon + whole(row) * 1'000'000'000); }},
      {"cents", Type::kReal,
       [](Row, Random& random) {
         return Value::real(static_cast<double>(random() % 10'000) / 100);
       },
       9},
      {"real", Type::kReal,
       [](Row, Random& random) { return Value::real(static_cast<double>(random()) * 1e-7 / 3); }},
      {"word", Type::kString,
       [](Row, Random& random) { return Value::string(random_hex(random, 1)); }, 6},
      {"line", Type::kString,
       [](Row, Random& random) { return Value::string(random_log_line(random)); }},
      {"hex", Type::kString,
       [](Row, Random& random) { return Value::string(random_hex(random, 32)); }},
      {"base64", Type::kString,
       [](Row, Random& random) { return Value::string(random_letters(random, 12, kBase64, 6)); }},
      {"bytes", Type::kString,
       [](Row, Random& random) { return Value::string(random_bytes(random, random() % 20)); }, 3},
      {"time_text", Type::kString,
       [whole](Row row, Random&) {
         return Value::string(instant_text(kNoon + 1 + whole(row) * 1'234'567'890));
       }},
      {"list", Type::kDynamic,
       [](Row, Random& random) {
         return json("[1,\"x\",{\"k\":" + std::to_string(random() % 50) + "}]");
       },
       8},
  };
}

Vector make_column(const Kind& kind, std::size_t rows, Random& random) {
  VectorBuilder builder(kind.type);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_null = kind.null_every > 0 && row % kind.null_every == 1;
    is_null ? builder.append_null() : builder.append(kind.value(row, random));
  }
  return builder.finish();
}

// As fuzz_segment reads it: four bytes first, of the type, the rows and those that are wanted.
void write_segment(const Seeds& seeds, const Kind& kind, std::size_t rows, const std::string& how,
                   std::string_view segment) {
  const std::string asked{static_cast<char>(kind.type), static_cast<char>(rows - 1),
                          static_cast<char>(rows / 3), static_cast<char>(rows / 2)};
  seeds.write("segment", std::string(kind.name) + "-" + std::to_string(rows) + "-" + how,
              asked + std::string(segment));
}

const void* slots_of(const Vector& column) {
  switch (column.type()) {
    case Type::kNull:
    case Type::kBool:
      return column.values().data<std::uint8_t>();
    case Type::kReal:
      return column.values().data<double>();
    case Type::kString:
    case Type::kDynamic:
      return column.values().data<std::string_view>();
    case Type::kLong:
    case Type::kDatetime:
    case Type::kTimespan:
      return column.values().data<std::int64_t>();
  }
  return nullptr;
}

// By each scheme that holds the values, whether it suits them or not.
void write_schemes(const Seeds& seeds, const Kind& kind, std::size_t rows, const Vector& column) {
  constexpr int kIdsMax = 32;
  constexpr std::uint8_t kNoNulls = 0;
  const DenseValues values{kind.type, rows, slots_of(column)};
  for (int id = 0; id < kIdsMax; ++id) {
    const ColumnEncoding* scheme = find_encoding(static_cast<EncodingId>(id));
    ByteWriter out;
    out.u8(static_cast<std::uint8_t>(id));
    out.u8(kNoNulls);
    if (scheme != nullptr && scheme->accepts(kind.type) && scheme->encode(values, {}, out)) {
      write_segment(seeds, kind, rows, std::string(scheme->name()), out.view());
    }
  }
}

void write_segments(const Seeds& seeds) {
  for (const std::size_t rows : {1U, 9U, 60U, 255U}) {
    for (const Kind& kind : kinds()) {
      Random random(rows);
      const Vector column = make_column(kind, rows, random);
      for (const Effort effort : kEfforts) {
        const auto encoded = encode_column({kind.name, kind.type}, column, effort);
        if (encoded.ok()) {
          write_segment(seeds, kind, rows, effort_name(effort), encoded->segment);
        }
      }
      if (kind.null_every == 0 && std::string_view(kind.name) != "null") {
        write_schemes(seeds, kind, rows, column);
      }
    }
  }
}

// Its columns, and two of times, one of which the event's time tells.
EncodedBlock make_block(const std::vector<Kind>& columns, std::size_t rows, Effort effort) {
  Random random(rows);
  std::vector<Field> fields = {
      {"_time", Type::kDatetime}, {"_sysTime", Type::kDatetime}, {"micros", Type::kLong}};
  Table table;
  table.rows = rows;
  VectorBuilder micros(Type::kLong);
  VectorBuilder times(Type::kDatetime);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto passed = static_cast<std::int64_t>(row * row) * 1'001;
    times.append_integer(kNoon + passed * 1'000);
    micros.append_integer(kNoon / 1'000 + passed);
  }
  table.columns = {times.finish(), Vector::constant(Value::datetime(kNoon), rows), micros.finish()};
  for (const Kind& kind : columns) {
    fields.push_back({kind.name, kind.type});
    table.columns.push_back(make_column(kind, rows, random));
  }
  table.schema = Schema(std::move(fields));
  auto block = encode_block(std::move(table), effort);
  return block.ok() ? std::move(*block) : EncodedBlock{};
}

void write_blocks(const Seeds& seeds) {
  constexpr std::size_t kHeaderSumBytes = sizeof(std::uint64_t);
  for (const std::size_t rows : {1U, 20U, 90U}) {
    for (const Effort effort : kEfforts) {
      for (const Kind& kind : kinds()) {
        const EncodedBlock block = make_block({kind}, rows, effort);
        const std::string name =
            std::string(kind.name) + "-" + std::to_string(rows) + "-" + effort_name(effort);
        seeds.write("block", "chunk-" + name, encode_mini_block(block));
        std::string header = encode_header(block.header);
        header.resize(header.size() - kHeaderSumBytes);
        seeds.write("block", "header-" + name, header);
      }
    }
  }
}

void write_cursors(const Seeds& seeds) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  for (const RowId row : {RowId{kNoon, 12}, RowId{-1, 0}, RowId{kLast, UINT64_MAX}}) {
    seeds.write("cursor", "row-" + std::to_string(row.ordinal), encode_cursor(row));
  }
  DatasetDefinition definition;
  definition.name = "logs";
  definition.description = "of the shop";
  definition.kind = "axiom:events:v1";
  definition.created = kNoon;
  definition.updated = kNoon + 1;
  definition.file_id = 3;
  seeds.write("cursor", "plain", encode_definition(definition));
  definition.retention_days = 30;
  definition.use_retention = true;
  definition.map_fields = {"attributes", "resource.attributes"};
  definition.extra = R"({"edge":"here"})";
  seeds.write("cursor", "everything", encode_definition(definition));
}

}  // namespace
}  // namespace evq

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: evq_write_seeds DIRECTORY\n";
    return 2;
  }
  const evq::Seeds seeds(words[1]);
  evq::write_segments(seeds);
  evq::write_blocks(seeds);
  evq::write_cursors(seeds);
}
