#include "apl/exec/unnest.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/repeated_rows.h"
#include "apl/exec/sequence_rows.h"
#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/vector.h"

namespace evq {
namespace {

DynamicView view_of(const Values& values, std::size_t slot) {
  return values.is_null(slot) ? DynamicView() : DynamicView(values.data<std::string_view>()[slot]);
}

DynamicView view_of(const Vector& vector, std::size_t row) {
  return view_of(vector.values(), vector.slot(row));
}

// Whether it pays to look at the entries of a dictionary instead of the rows of a chunk.
bool has_few_entries(const Vector& cells) {
  return !cells.is_flat() && 2 * cells.values().size() <= cells.size();
}

// A null and a scalar make one row, an empty array none.
std::size_t row_count(DynamicView value) {
  return value.is_array() || value.is_bag() ? value.size() : 1;
}

// Walks the elements of one cell, and goes on with nulls.
class Elements {
 public:
  // Pairs of a bag are made in `pairs`.
  Elements(DynamicView value, bool bag_as_array, StringArena* pairs)
      : value_(value), at_(value), bag_as_array_(bag_as_array), pairs_(pairs) {}

  DynamicView next() {
    if (value_.is_array()) {
      return at_.next() ? at_.value() : DynamicView();
    }
    if (value_.is_bag()) {
      return at_.next() ? pair() : DynamicView();
    }
    return std::exchange(value_, DynamicView());
  }

 private:
  DynamicView pair() {
    DynamicBuilder made;
    if (bag_as_array_) {
      made.begin_array();
      made.add_string(at_.key());
      made.add_encoded(at_.value());
      made.end_array();
    } else {
      made.begin_bag();
      made.key(at_.key());
      made.add_encoded(at_.value());
      made.end_bag();
    }
    return DynamicView(pairs_->copy(made.bytes()));
  }

  DynamicView value_;
  DynamicView::Iterator at_;
  bool bag_as_array_;
  StringArena* pairs_;
};

// An expanded column of one chunk of output, filled from its first row on.
class ElementColumn {
 public:
  explicit ElementColumn(std::size_t rows)
      : values_(Values::make(Type::kDynamic, rows)),
        to_(values_->mutable_data<std::string_view>()) {}

  void append(DynamicView element) {
    if (element.is_null()) {
      append_null();
    } else {
      to_[size_++] = element.bytes();
    }
  }
  void append_null() {
    if (validity_.empty()) {
      validity_.assign((values_->size() + kWordBits - 1) / kWordBits, ~std::uint64_t{0});
    }
    validity_[size_ / kWordBits] &= ~(std::uint64_t{1} << (size_ % kWordBits));
    to_[size_++] = {};
  }
  std::size_t size() const { return size_; }
  // The elements are of these cells, or pairs that were made of them.
  Vector finish(const Values& cells, const std::shared_ptr<StringArena>& pairs) {
    EVQ_DCHECK(size_ == values_->size());
    values_->add_owners_of(cells);
    values_->add_owner(pairs);
    values_->set_validity(std::move(validity_));
    return Vector::flat(std::move(values_));
  }

 private:
  static constexpr std::size_t kWordBits = 64;

  std::shared_ptr<Values> values_;
  std::string_view* to_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> validity_;  // empty until the first null
};

// Makes the output of one chunk: as many rows at once as fill a chunk, column by column.
class Unnester {
 public:
  Unnester(const plan::Unnest& unnest, const Chunk& chunk, std::uint64_t first_place,
           const std::function<Result<Flow>(Chunk)>& push)
      : unnest_(unnest),
        chunk_(chunk),
        first_place_(first_place),
        push_(push),
        is_expanded_(chunk.columns().size(), false) {
    for (const plan::UnnestColumn& column : unnest.columns) {
      is_expanded_[column.column] = true;
    }
  }

  Result<Flow> run() {
    count_elements();
    for (std::size_t row = 0; row < chunk_.rows();) {
      std::size_t rows = 0;
      std::size_t pair_bytes = 0;
      std::size_t end = row;
      while (end < chunk_.rows() && rows + counts_[end] <= kChunkRowsMax &&
             pair_bytes < kCallTextBytesMax) {
        pair_bytes += has_bags_ ? bag_bytes(end) : 0;
        rows += counts_[end++];
      }
      EVQ_TRY_ASSIGN(const Flow flow,
                     end == row ? expand_long_row(row) : expand_rows(row, end, rows));
      if (flow == Flow::kDone) {
        return flow;
      }
      row = std::max(end, row + 1);
    }
    return Flow::kMore;
  }

 private:
  // Of each row the elements of its longest cell.
  void count_elements() {
    counts_.assign(chunk_.rows(), 0);
    for (const plan::UnnestColumn& column : unnest_.columns) {
      const Vector& cells = chunk_.column(column.column);
      std::vector<std::size_t>& counts = entry_counts_.emplace_back();
      if (has_few_entries(cells)) {
        counts = counts_of_entries(cells.values());
        for (std::size_t row = 0; row < counts_.size(); ++row) {
          counts_[row] = std::max(counts_[row], counts[cells.slot(row)]);
        }
        continue;
      }
      for (std::size_t row = 0; row < counts_.size(); ++row) {
        const DynamicView cell = view_of(cells, row);
        has_bags_ = has_bags_ || cell.is_bag();
        counts_[row] = std::max(counts_[row], row_count(cell));
      }
    }
    if (unnest_.row_limit.has_value()) {
      for (std::size_t& count : counts_) {
        count = std::min<std::uint64_t>(count, *unnest_.row_limit);
      }
    }
    if (unnest_.keeps_empty) {
      has_elements_.resize(counts_.size());
      for (std::size_t row = 0; row < counts_.size(); ++row) {
        has_elements_[row] = counts_[row] != 0 ? 1 : 0;
        counts_[row] = std::max<std::size_t>(counts_[row], 1);
      }
    }
  }

  std::vector<std::size_t> counts_of_entries(const Values& cells) {
    std::vector<std::size_t> counts(cells.size());
    for (std::size_t slot = 0; slot < counts.size(); ++slot) {
      const DynamicView cell = view_of(cells, slot);
      has_bags_ = has_bags_ || cell.is_bag();
      counts[slot] = row_count(cell);
    }
    return counts;
  }

  // Of a row's bags: pairs are copies of what they hold, while rows may share one long bag.
  std::size_t bag_bytes(std::size_t row) const {
    std::size_t bytes = 0;
    for (const plan::UnnestColumn& column : unnest_.columns) {
      const DynamicView cell = view_of(chunk_.column(column.column), row);
      bytes += cell.is_bag() ? cell.bytes().size() : 0;
    }
    return bytes;
  }

  // All elements of the rows [begin, end), `rows` in all.
  Result<Flow> expand_rows(std::size_t begin, std::size_t end, std::size_t rows) {
    if (rows == 0) {
      return Flow::kMore;
    }
    std::vector<Vector> made;
    made.reserve(unnest_.columns.size());
    for (std::size_t i = 0; i < unnest_.columns.size(); ++i) {
      std::optional<Vector> coded = expand_entries(i, begin, end, rows);
      made.push_back(coded.has_value() ? *std::move(coded)
                                       : expand_cells(unnest_.columns[i], begin, end, rows));
    }
    parents_.clear();
    indexes_.clear();
    for (std::size_t row = begin; row < end; ++row) {
      parents_.insert(parents_.end(), counts_[row], static_cast<std::uint32_t>(row));
      for (std::size_t i = 0; unnest_.item_index && i < counts_[row]; ++i) {
        indexes_.push_back(static_cast<std::int64_t>(i));
      }
    }
    return push_rows(std::move(made));
  }

  Vector expand_cells(const plan::UnnestColumn& column, std::size_t begin, std::size_t end,
                      std::size_t rows) const {
    const Vector& cells = chunk_.column(column.column);
    const auto pairs = std::make_shared<StringArena>();
    ElementColumn to(rows);
    for (std::size_t row = begin; row < end; ++row) {
      if (counts_[row] == 1 && cells.is_null(row)) {
        to.append_null();
        continue;
      }
      Elements elements(view_of(cells, row), column.bag_as_array, pairs.get());
      for (std::size_t i = 0; i < counts_[row]; ++i) {
        to.append(elements.next());
      }
    }
    return to.finish(cells.values(), pairs);
  }

  // The same as a dictionary of the elements of all entries, so that what comes after works entry
  // by entry as well. Nothing when these are too many. `number` is that of the expanded column.
  std::optional<Vector> expand_entries(std::size_t number, std::size_t begin, std::size_t end,
                                       std::size_t rows) const {
    const plan::UnnestColumn& column = unnest_.columns[number];
    const Vector& cells = chunk_.column(column.column);
    const std::vector<std::size_t>& counts = entry_counts_[number];
    const std::size_t null_entry = std::reduce(counts.begin(), counts.end());
    if (counts.empty() || 2 * null_entry > rows) {
      return std::nullopt;
    }
    const auto pairs = std::make_shared<StringArena>();
    ElementColumn to(null_entry + 1);
    std::vector<std::size_t> firsts;  // entries, by slot
    for (std::size_t slot = 0; slot < counts.size(); ++slot) {
      firsts.push_back(to.size());
      Elements elements(view_of(cells.values(), slot), column.bag_as_array, pairs.get());
      for (std::size_t i = 0; i < counts[slot]; ++i) {
        to.append(elements.next());
      }
    }
    to.append_null();
    const std::shared_ptr<Code[]> codes = make_codes(rows);
    Code* next = codes.get();
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t slot = cells.slot(row);
      for (std::size_t i = 0; i < counts_[row]; ++i) {
        *next++ = static_cast<Code>(i < counts[slot] ? firsts[slot] + i : null_entry);
      }
    }
    return Vector::dictionary(to.finish(cells.values(), pairs).shared_values(), codes, rows);
  }

  // One row of more elements than a chunk has room for.
  Result<Flow> expand_long_row(std::size_t row) {
    std::vector<Elements> elements;  // by column
    const auto pairs = std::make_shared<StringArena>();
    for (const plan::UnnestColumn& column : unnest_.columns) {
      elements.emplace_back(view_of(chunk_.column(column.column), row), column.bag_as_array,
                            pairs.get());
    }
    for (std::size_t begin = 0; begin < counts_[row]; begin += parents_.size()) {
      const std::size_t rows = std::min(kChunkRowsMax, counts_[row] - begin);
      std::vector<Vector> made;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        ElementColumn to(rows);
        for (std::size_t j = 0; j < rows; ++j) {
          to.append(elements[i].next());
        }
        made.push_back(to.finish(chunk_.column(unnest_.columns[i].column).values(), pairs));
      }
      parents_.assign(rows, static_cast<std::uint32_t>(row));
      indexes_.resize(rows);
      std::iota(indexes_.begin(), indexes_.end(), static_cast<std::int64_t>(begin));
      EVQ_TRY_ASSIGN(const Flow flow, push_rows(std::move(made)));
      if (flow == Flow::kDone) {
        return flow;
      }
    }
    return Flow::kMore;
  }

  // A chunk of the rows in parents_, with the expanded columns `made`.
  Result<Flow> push_rows(std::vector<Vector> made) {
    std::vector<Vector> others;
    for (std::size_t column = 0; column < is_expanded_.size(); ++column) {
      if (!is_expanded_[column]) {
        others.push_back(chunk_.column(column));
      }
    }
    others = repeat_rows(others, parents_);
    std::vector<Vector> columns(is_expanded_.size());
    for (std::size_t column = 0, next = 0; column < columns.size(); ++column) {
      if (!is_expanded_[column]) {
        columns[column] = std::move(others[next++]);
      }
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      columns[unnest_.columns[i].column] = std::move(made[i]);
    }
    if (unnest_.item_index) {
      const std::shared_ptr<Values> indexes = Values::make(Type::kLong, indexes_.size());
      std::ranges::copy(indexes_, indexes->mutable_data<std::int64_t>());
      columns.push_back(Vector::flat(indexes));
    }
    if (unnest_.row_place) {
      columns.push_back(of_parents<std::int64_t>(Type::kLong, [this](std::uint32_t row) {
        return static_cast<std::int64_t>(first_place_ + row);
      }));
    }
    if (unnest_.keeps_empty) {
      columns.push_back(of_parents<std::uint8_t>(
          Type::kBool, [this](std::uint32_t row) { return has_elements_[row]; }));
    }
    Chunk rows(std::move(columns), parents_.size());
    rows.set_sequence(chunk_.sequence());
    return push_(std::move(rows));
  }

  // A column of what `value` gives for the rows to push.
  template <class T, class ValueOf>
  Vector of_parents(Type type, const ValueOf& value) const {
    const std::shared_ptr<Values> values = Values::make(type, parents_.size());
    std::ranges::transform(parents_, values->mutable_data<T>(), value);
    return Vector::flat(values);
  }

  const plan::Unnest& unnest_;
  const Chunk& chunk_;
  const std::uint64_t first_place_;
  const std::function<Result<Flow>(Chunk)>& push_;
  std::vector<bool> is_expanded_;    // by column of the chunk
  std::vector<std::size_t> counts_;  // of output rows, by row
  // By expanded column, of its dictionary's entries; empty where each cell is looked at.
  std::vector<std::vector<std::size_t>> entry_counts_;
  bool has_bags_ = false;                   // any of the cells to expand
  std::vector<std::uint8_t> has_elements_;  // by row, where rows without are kept
  std::vector<std::uint32_t> parents_;      // of the rows to push
  std::vector<std::int64_t> indexes_;  // of their elements, when there is to be a column of them
};

class UnnestSink final : public ForwardingSink {
 public:
  UnnestSink(const plan::Unnest& unnest, MemoryBudget* budget, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)),
        unnest_(unnest),
        lease_(budget, unnest.row_place ? "mv-apply" : "mv-expand") {}

  // A part stays charged while the operators after this one have it.
  Result<Flow> push(Chunk chunk) override {
    const std::uint64_t place = sequence_rows_.first_place(chunk);
    Result<Flow> flow = unnest_chunk(unnest_, chunk, place, [this](Chunk part) -> Result<Flow> {
      EVQ_TRY(lease_.resize(part.size_bytes()));
      return next().push(std::move(part));
    });
    lease_.reset();
    return flow;
  }

 private:
  const plan::Unnest& unnest_;
  MemoryLease lease_;
  SequenceRows sequence_rows_;
};

class UnnestConsumer final : public Consumer {
 public:
  UnnestConsumer(const plan::Unnest& unnest, MemoryBudget* budget, Consumer& next)
      : unnest_(unnest), budget_(budget), next_(next) {}
  Result<std::unique_ptr<Sink>> make_sink() override {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
    return std::unique_ptr<Sink>(std::make_unique<UnnestSink>(unnest_, budget_, std::move(next)));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    return next_.complete(forwarded_sinks(std::move(sinks)));
  }

 private:
  const plan::Unnest& unnest_;
  MemoryBudget* const budget_;
  Consumer& next_;
};

}  // namespace

Result<Flow> unnest_chunk(const plan::Unnest& unnest, const Chunk& chunk, std::uint64_t first_place,
                          const std::function<Result<Flow>(Chunk)>& push) {
  return Unnester(unnest, chunk, first_place, push).run();
}

Status run_unnest(Executor& executor, const plan::Node& node, const Demand& demand,
                  Consumer& consumer) {
  const auto& op = std::get<plan::Unnest>(node.op);
  UnnestConsumer unnested(op, executor.options().budget, consumer);
  Demand below;
  if (!op.row_place) {  // else all rows are counted
    below.rows.time_bound = demand.rows.time_bound;
  }
  return executor.run(*node.inputs[0], unnested, below);
}

}  // namespace evq
