#include "store/fresh_rows.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/block/block_writer.h"
#include "store/block/join_columns.h"
#include "store/block_size.h"

namespace evq {

namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};
// What waits for a commit is at most so much for each thread that may load.
constexpr std::size_t kSmallLoadBytesMax = 4 * kMebibyte;
// Slots of all columns from which on other threads are worth waking up.
constexpr std::uint64_t kParallelSlotsMin = 1U << 18;

bool exact_as_reals(const Vector& longs) {
  const Values& values = longs.values();
  const auto* slots = values.data<std::int64_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values.is_null(i) && !is_exact_as_real(slots[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool may_be_small(std::size_t rows, std::uint64_t raw_bytes, std::uint32_t block_rows) {
  return is_few_rows(rows, block_rows) && raw_bytes <= kSmallLoadBytesMax;
}

bool is_small(const FreshRows& rows, std::uint32_t block_rows) {
  if (!may_be_small(rows.table.rows, rows.raw_bytes, block_rows)) {
    return false;
  }
  std::size_t bytes = 0;
  for (const Vector& column : rows.table.columns) {
    bytes += column.size_bytes();
  }
  return bytes <= kSmallLoadBytesMax;
}

// ---------------------------------------------------------------- what goes together

// Loads of one kind have their columns in one order, nearly always.
std::size_t JoinedRows::find(std::size_t guess, std::string_view name) {
  if (columns_.empty()) {
    return kNowhere;
  }
  if (guess < columns_.size() && columns_[guess].field.name == name) {
    return guess;
  }
  for (; numbered_ < columns_.size(); ++numbered_) {
    numbers_.emplace(columns_[numbered_].name, numbered_);
  }
  const auto known = numbers_.find(name);
  return known == numbers_.end() ? kNowhere : known->second;
}

const Vector* JoinedRows::Load::find(std::size_t column) const {
  const std::size_t place = column < places.size() ? places[column] : kNowhere;
  return place == kNowhere ? nullptr : &rows->table.columns[place];
}

// Longs become reals, as they would within one batch, but nothing becomes dynamic here that was not
// in its own load.
bool JoinedRows::accepts(std::size_t column, const Vector& values, Type* common) const {
  const Type type = columns_[column].field.type;
  *common = common_type(type, values.type());
  if (values.type() == type || type == Type::kNull || values.type() == Type::kNull) {
    return true;
  }
  if (*common != Type::kReal) {
    return false;
  }
  if (values.type() == Type::kLong) {
    return exact_as_reals(values);
  }
  return std::ranges::all_of(loads_, [column](const Load& load) {
    const Vector* longs = load.find(column);
    return longs == nullptr || exact_as_reals(*longs);
  });
}

bool JoinedRows::add(const FreshRows& load) {
  const Table& table = load.table;
  const bool enough =
      rows_ + table.rows > block_rows_ || raw_bytes_ + load.raw_bytes > kMergedEventBytesMax;
  if (!loads_.empty() && enough) {
    return false;
  }
  std::vector<std::size_t> at(table.columns.size());
  std::vector<Type> types(at.size());
  std::size_t more_columns = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    at[i] = find(i, table.schema[i].name);
    types[i] = table.columns[i].type();
    more_columns += at[i] == kNowhere ? std::size_t{1} : 0;
    if (at[i] != kNowhere && !accepts(at[i], table.columns[i], &types[i])) {
      return false;
    }
  }
  if (!loads_.empty() && columns_.size() + more_columns > kDatasetFieldsMax) {
    return false;  // each may have been admitted as many fields as there may be
  }
  Load next{&load, {}};
  next.places.reserve(columns_.size() + at.size());
  next.places.resize(columns_.size(), kNowhere);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] == kNowhere) {
      at[i] = columns_.size();
      columns_.push_back({table.schema[i], table.schema[i].name});
      next.places.push_back(i);
    }
    columns_[at[i]].field.type = types[i];
    next.places[at[i]] = i;
  }
  loads_.push_back(std::move(next));
  rows_ += table.rows;
  raw_bytes_ += load.raw_bytes;
  return true;
}

// ---------------------------------------------------------------- one of them all

Vector JoinedRows::join(std::size_t column, std::span<const RowRun> runs) const {
  const Type type = columns_[column].field.type;
  std::vector<Vector> parts;
  parts.reserve(loads_.size());
  for (const Load& load : loads_) {
    const Vector* part = load.find(column);
    if (part == nullptr) {
      parts.push_back(Vector::constant(Value::null(type), load.rows->table.rows));
    } else {
      parts.push_back(part->type() == type ? *part : part->widen(type));
    }
  }
  return join_columns(parts, rows_, runs);
}

// The columns, each joined and put in the order of the rows' times when it is asked for.
ColumnSource JoinedRows::in_time_order() const {
  std::vector<std::uint32_t> order = time_order(join(0, {}));
  std::vector<std::size_t> load_sizes;
  std::ranges::transform(loads_, std::back_inserter(load_sizes),
                         [](const Load& load) { return load.rows->table.rows; });
  std::vector<RowRun> runs = long_runs(order, load_sizes);
  return [this, order = std::move(order), runs = std::move(runs)](std::size_t i) {
    Vector rows = join(i, runs);
    return order.empty() || !runs.empty() ? rows : rows.gather(order);
  };
}

Schema JoinedRows::schema() const {
  std::vector<Field> fields;
  std::ranges::transform(columns_, std::back_inserter(fields), &Column::field);
  return Schema(std::move(fields));
}

bool JoinedRows::is_block() const {
  return fills_joined_block(rows_, raw_bytes_, block_rows_);
}

Result<StoredForm> JoinedRows::encode(ThreadPool* pool, DecodedBlock* decoded) const {
  EVQ_CHECK(columns_.front().field.name == kTimeField);
  const ColumnSource columns = in_time_order();
  const bool much = rows_ * columns_.size() >= kParallelSlotsMin;
  ThreadPool* const helpers = much ? pool : nullptr;
  EVQ_TRY_ASSIGN(StoredForm form, is_block() ? encode_as_block(columns, helpers)
                                             : encode_as_chunk(columns, helpers, decoded));
  FieldKinds kinds;
  for (const Load& load : loads_) {
    add_kinds(load.rows->table, &kinds);
  }
  note_kinds(kinds, &form);
  return form;
}

Result<StoredForm> JoinedRows::encode_as_block(const ColumnSource& columns,
                                               ThreadPool* pool) const {
  const Vector times = columns(0);
  const auto once = [&](std::size_t i) { return i == 0 ? times : columns(i); };
  EVQ_TRY_ASSIGN(std::vector<EncodedColumn> encoded,
                 encode_columns(schema(), once, {}, Effort::kIngest, pool, &times));
  EVQ_TRY_ASSIGN(EncodedBlock block, assemble_block(rows_, std::move(encoded)));
  return make_sealed(std::move(block), raw_bytes_);
}

Result<StoredForm> JoinedRows::encode_as_chunk(const ColumnSource& columns, ThreadPool* pool,
                                               DecodedBlock* decoded) const {
  std::vector<Vector> kept(decoded != nullptr ? columns_.size() : 0);
  const auto keep = [&](std::size_t i) {
    Vector rows = columns(i);
    if (decoded != nullptr) {
      if (rows.type() == Type::kString) {
        rows = rows.with_values(copy_texts(rows.values()));
      }
      kept[i] = rows;
    }
    return rows;
  };
  const Effort effort = decoded != nullptr ? Effort::kPassing : Effort::kFresh;
  EVQ_TRY_ASSIGN(std::vector<EncodedColumn> encoded,
                 encode_columns(schema(), keep, {}, effort, pool));
  EVQ_TRY_ASSIGN(EncodedBlock block, assemble_block(rows_, std::move(encoded)));
  StoredForm form = make_fresh(block, raw_bytes_);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const ColumnHeader& header = block.header.columns[i];
    if (header.nulls == rows_) {  // whatever shape they came in
      kept[i] = Vector::constant(Value::null(header.type), rows_);
    }
  }
  if (decoded != nullptr) {
    decoded->columns = std::move(kept);
    decoded->header = std::make_shared<const BlockHeader>(std::move(block.header));
  }
  return form;
}

}  // namespace evq
