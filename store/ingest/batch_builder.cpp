#include "store/ingest/batch_builder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/ingest/event_assembler.h"
#include "store/ingest/event_rules.h"
#include "store/ingest/fast_json.h"
#include "store/ingest/tolerant_json.h"

namespace evq {

namespace {

// Events whose cells wait before their columns take them: enough for a column's turn to pay, few
// enough for their text to be still in the level 2 cache.
constexpr std::size_t kDeferredRowsMax = 128;
constexpr std::size_t kDeferredBytesMax = 256 * kKibibyte;
// Weighed whenever about so much has come: often enough to stop in time, seldom enough to cost
// nothing beside what it takes to fill so much.
constexpr std::size_t kWeighedBytes = 1 * kMebibyte;
// What a column takes with its first value.
constexpr std::size_t kColumnStartBytes = 1 * kKibibyte;

Vector datetimes(const std::vector<std::int64_t>& values) {
  auto out = Values::make(Type::kDatetime, values.size());
  std::copy(values.begin(), values.end(), out->mutable_data<std::int64_t>());
  return Vector::flat(std::move(out));
}

}  // namespace

BatchBuilder::BatchBuilder(std::shared_ptr<const EventRules> rules)
    : rules_(std::move(rules)),
      assembler_(std::make_unique<EventAssembler>(rules_)),
      fast_json_(std::make_unique<FastJson>()),
      seed_(random_seed()) {}

BatchBuilder::~BatchBuilder() = default;
BatchBuilder::BatchBuilder(BatchBuilder&&) noexcept = default;
BatchBuilder& BatchBuilder::operator=(BatchBuilder&&) noexcept = default;

bool BatchBuilder::full() const {
  return rows() >= rules_->batch_rows_max || size_bytes_ >= kIngestBatchColumnBytesMax ||
         crowded_ || assembler_->overgrown();
}

double BatchBuilder::fullness() const {
  if (crowded_ || assembler_->overgrown()) {
    return 1;
  }
  const auto part = [](std::size_t used, std::size_t most) {
    return static_cast<double>(used) / static_cast<double>(most);
  };
  return std::max({part(rows(), rules_->batch_rows_max),
                   part(size_bytes_, kIngestBatchColumnBytesMax),
                   part(memory_bytes(), kIngestBuilderBytesMax)});
}

std::size_t BatchBuilder::memory_with(ColumnBytes bytes_of) const {
  std::size_t bytes = assembler_->memory_bytes() + fast_json_->memory_bytes();
  bytes += (times_.capacity() + receipts_.capacity()) * sizeof(std::int64_t);
  for (const ColumnBuilder& column : columns_) {
    bytes += (column.*bytes_of)();
  }
  return bytes;
}

// With what is about to be taken: columns of one length grow all at once.
void BatchBuilder::weigh() {
  const std::size_t bytes = memory_with(&ColumnBuilder::soon_bytes);
  unweighed_bytes_ = 0;
  held_.set(bytes);
  crowded_ = size_bytes_ >= kIngestBatchColumnBytesMin &&
             (bytes >= kIngestBuilderBytesMax || held_.has_to_yield());
}

bool BatchBuilder::commit(std::int64_t receipt_ns, std::int64_t from_ns) {
  assembler_->finish(receipt_ns, from_ns);
  if (assembler_->failed()) {
    return false;
  }
  const std::size_t row = times_.size();
  while (columns_.size() < assembler_->column_count()) {
    const std::string& name = assembler_->column_name(columns_.size());
    const bool spans =
        std::ranges::find(rules_->timespan_fields, name) != rules_->timespan_fields.end();
    columns_.emplace_back(seed_ + columns_.size(), spans ? Type::kTimespan : Type::kLong);
  }
  std::size_t text_bytes = 0;
  for (const Cell& cell : assembler_->cells()) {
    ColumnBuilder& column = columns_[cell.column];
    if (column.empty()) [[unlikely]] {
      // Rows before the first value will be filled as well.
      size_bytes_ += row * sizeof(std::int64_t);
      row_bytes_ += sizeof(std::int64_t);
      unweighed_bytes_ += kColumnStartBytes;
    }
    text_bytes += cell.size;
    column.defer(row, cell);
  }
  times_.push_back(assembler_->time_ns());
  receipts_.push_back(receipt_ns);
  size_bytes_ += text_bytes + row_bytes_;
  unweighed_bytes_ += text_bytes + row_bytes_;
  deferred_bytes_ += text_bytes;
  assembler_->hold_texts();
  if (++deferred_rows_ >= kDeferredRowsMax || deferred_bytes_ >= kDeferredBytesMax) {
    settle();
  }
  return true;
}

void BatchBuilder::settle() {
  if (deferred_rows_ == 0) {
    return;
  }
  for (ColumnBuilder& column : columns_) {
    column.settle();
  }
  deferred_rows_ = 0;
  deferred_bytes_ = 0;
  assembler_->release_texts();
  if (unweighed_bytes_ >= kWeighedBytes) {
    weigh();
  }
}

Status BatchBuilder::add_json(std::string_view text, std::int64_t receipt_ns) {
  assembler_->begin();
  TolerantJson parser(text, *assembler_);
  if (!parser.parse_event() || !parser.at_end() || !commit(receipt_ns, receipt_ns)) {
    return make_error(ErrorCode::kData,
                      parser.fault().empty() ? assembler_->failure() : parser.fault());
  }
  settle();
  return {};
}

Table BatchBuilder::take() {
  return BatchColumns(*this).take_all();
}

// The memory of columns that no event had goes when all together hold much: a load may have other
// fields in every batch. That there were no events at all says nothing about the next batch. All
// goes when the batch ended for it, or others need it.
void BatchBuilder::clear() {
  const bool large = memory_bytes() > kIdleBuilderBytesMax;
  const bool too_large = crowded_ || held_.is_of_too_much();
  for (ColumnBuilder& column : std::span(columns_).first(rows() == 0 ? 0 : columns_.size())) {
    if (too_large || (large && column.empty())) {
      column.release();
    } else {
      column.clear();
    }
  }
  times_.clear();
  receipts_.clear();
  row_bytes_ = 0;
  size_bytes_ = 0;
  unweighed_bytes_ = 0;
  crowded_ = false;
  if (assembler_->overgrown()) {
    columns_.clear();
    assembler_ = std::make_unique<EventAssembler>(rules_);
  }
  held_.set(memory_bytes());
}

// ---------------------------------------------------------------- column by column

BatchColumns::BatchColumns(BatchBuilder& builder) : builder_(builder) {
  builder.settle();
  if (rows() == 0) {
    return;
  }
  std::vector<Field> fields = {{"_time", Type::kDatetime}, {"_sysTime", Type::kDatetime}};
  for (std::size_t i = 0; i < builder.columns_.size(); ++i) {
    const ColumnBuilder& column = builder.columns_[i];
    if (!column.empty()) {
      sources_.push_back(i);
      fields.push_back({builder.assembler_->column_name(i), column.type()});
    }
  }
  for (const EventRules::Label& label : builder.rules_->labels) {
    fields.push_back({label.name, label.value.type()});
  }
  schema_ = Schema(std::move(fields));
}

BatchColumns::~BatchColumns() {
  builder_.clear();
}

Vector BatchColumns::take(std::size_t i, const RowOrder& order, ColumnBuilder::Texts texts) {
  constexpr std::size_t kTimeColumns = 2;
  if (i < kTimeColumns) {
    const Vector values = datetimes(i == 0 ? builder_.times_ : builder_.receipts_);
    return order.empty() ? values : values.gather(order.rows());
  }
  const std::size_t column = i - kTimeColumns;
  if (column >= sources_.size()) {
    return Vector::constant(builder_.rules_->labels[column - sources_.size()].value, rows());
  }
  return builder_.columns_[sources_[column]].take(rows(), texts, order);
}

Table BatchColumns::take_all(const RowOrder& order) {
  Table table;
  table.rows = rows();
  table.columns.reserve(schema_.size());
  for (std::size_t i = 0; i < schema_.size(); ++i) {
    table.columns.push_back(take(i, order, ColumnBuilder::Texts::kGiven));
  }
  table.schema = std::move(schema_);
  return table;
}

}  // namespace evq
