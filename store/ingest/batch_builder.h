#pragma once
// BatchBuilder: events in, columns out. A parser puts the fields of one event into assembler()
// (begin(), then visit() and add_…() for each); nothing reaches the columns before commit(), so an
// event is taken whole or not at all. The assembler applies the rules of events: flattening with
// `\.` for dots inside nested keys, last of duplicate keys wins, grouped events, reserved names,
// `_time`, and the limits on names, values and fields; the labels come with take().
//
// take() gives a Table: `_time` and `_sysTime` first, then the other fields in the order in which
// they appeared. A column of few distinct strings is a dictionary vector. A field that met several
// types in the batch is real when all its values are numbers that a double holds exactly, else
// dynamic. Rows stay in order of arrival.
//
// One thread a builder. Options, time rule and admission are shared between builders.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/column/row_order.h"
#include "store/column/table.h"
#include "store/ingest/column_builder.h"
#include "store/ingest/load_memory.h"
#include "store/ingest/options.h"

namespace evq {

// Decides whether a field may be created, so that a dataset keeps to kDatasetFieldsMax. Shared by
// all builders of all loads of a dataset; any thread.
class FieldAdmission {
 public:
  virtual ~FieldAdmission() = default;
  virtual bool admit(std::string_view name) = 0;
  // Whether a name was refused. Some admitted names may never have been stored: a new admission,
  // made of the stored names, may have room.
  virtual bool refused() const = 0;
};

// Admits names until `names_max` distinct ones are known.
std::shared_ptr<FieldAdmission> make_field_admission(const std::vector<std::string>& known,
                                                     std::size_t names_max = kDatasetFieldsMax);

// The part of the options that parsing needs, checked and prepared once; immutable, any thread.
struct EventRules;
// Prepares the options. kUsage for a bad layout, labels that are no JSON object, and a map field or
// name that is too long. `admission` may be null.
Result<std::shared_ptr<const EventRules>> make_event_rules(
    const IngestOptions& options, std::shared_ptr<FieldAdmission> admission);

class EventAssembler;
class FastJson;

class BatchBuilder {
  friend class BatchColumns;

 public:
  explicit BatchBuilder(std::shared_ptr<const EventRules> rules);
  ~BatchBuilder();
  BatchBuilder(BatchBuilder&&) noexcept;
  BatchBuilder& operator=(BatchBuilder&&) noexcept;

  std::size_t rows() const { return times_.size(); }
  // The size of the columns, absent values included, when each value takes what it does in a column
  // of its kind.
  std::size_t size_bytes() const { return size_bytes_; }
  // Memory held, between batches as well, estimated.
  std::size_t memory_bytes() const { return memory_with(&ColumnBuilder::memory_bytes); }
  // Counts that memory in `load` from now on and keeps to its limit. Call it with null before
  // `load` is destroyed.
  void share_memory(LoadMemory* load) { held_.join(load); }
  // Whether the cap of rows, bytes or memory is reached: call take() before the next event.
  bool full() const;
  // How much of the nearest of these caps is used: 1 or more when full.
  double fullness() const;

  // Parses one JSON object with the tolerant parser, the fast one's slow twin: for single events
  // and for tests; streams go through parse_stream. `receipt_ns` becomes `_sysTime`, and `_time`
  // when the event has none. kData when the event fails; the builder is as before then.
  Status add_json(std::string_view text, std::int64_t receipt_ns);

  // The assembler, for the parsers of this layer, which put the fields of the next event there.
  EventAssembler& assembler() { return *assembler_; }
  FastJson& fast_json() { return *fast_json_; }  // with the memory that it needs time and again
  // Takes the assembled event as the next row. False when it fails; the assembler says why. The
  // memory behind its texts must live until settle(). `from_ns`: see times_from.
  bool commit(std::int64_t receipt_ns, std::int64_t from_ns);
  // Copies what the columns need of the texts of all events so far. take() does it as well.
  void settle();

  // The columns so far; the builder is empty afterwards and remembers what it learned about them.
  Table take();

 private:
  using ColumnBytes = std::size_t (ColumnBuilder::*)() const;
  std::size_t memory_with(ColumnBytes bytes_of) const;
  void clear();
  void weigh();

  std::shared_ptr<const EventRules> rules_;
  std::unique_ptr<EventAssembler> assembler_;
  std::unique_ptr<FastJson> fast_json_;
  std::vector<ColumnBuilder> columns_;  // by the assembler's column numbers
  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> receipts_;
  std::size_t deferred_rows_ = 0;
  std::size_t deferred_bytes_ = 0;
  std::size_t row_bytes_ = 0;  // of a row in all columns that have a value
  std::size_t size_bytes_ = 0;
  std::size_t unweighed_bytes_ = 0;  // about so much came since the memory was weighed
  BuilderShare held_;
  bool crowded_ = false;  // the batch has to end for want of memory
  std::uint64_t seed_ = 0;
};

// Gives a builder's batch column by column, so that no two columns need exist at once. While this
// lives the builder takes no events; afterwards it is empty, whatever was taken.
class BatchColumns {
 public:
  explicit BatchColumns(BatchBuilder& builder);
  ~BatchColumns();
  BatchColumns(const BatchColumns&) = delete;
  BatchColumns& operator=(const BatchColumns&) = delete;

  std::size_t rows() const { return builder_.rows(); }
  // The fields of the table that BatchBuilder::take() gives.
  const Schema& schema() const { return schema_; }
  // The column of field `i`, its rows in that order, each once, but `_time` as often as wanted; any
  // thread. Its texts live as long as this.
  Vector take(std::size_t i, const RowOrder& order = {}) {
    return take(i, order, ColumnBuilder::Texts::kLent);
  }
  // All columns, which own their texts.
  Table take_all(const RowOrder& order = {});

 private:
  Vector take(std::size_t i, const RowOrder& order, ColumnBuilder::Texts texts);

  BatchBuilder& builder_;
  Schema schema_;
  std::vector<std::size_t> sources_;  // the builder's columns behind the two of times
};

}  // namespace evq
