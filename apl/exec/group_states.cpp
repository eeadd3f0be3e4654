#include "apl/exec/group_states.h"

#include <algorithm>
#include <optional>

#include "apl/functions/aggregate_rows.h"
#include "apl/functions/canonical.h"
#include "apl/functions/number_codes.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// A row's place in the stream is its sequence, then its number among the sequence's rows.
constexpr unsigned kOrderShift = 32;

// What copies of all rows' texts take at most: rows may share one long text.
std::size_t text_bytes_max(const Vector& vector) {
  if (physical_of(vector.type()) != Physical::kView || vector.size() == 0) {
    return 0;
  }
  const Values& values = vector.values();
  if (vector.is_flat()) {
    const std::size_t contiguous = values.contiguous_text().size();
    return contiguous != 0 ? contiguous : row_text_bytes(vector, vector.size());
  }
  const auto* texts = values.data<std::string_view>();
  std::size_t longest = 0;
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    longest = std::max(longest, texts[slot].size());
  }
  return longest * vector.size();
}

}  // namespace

GroupStates::GroupStates(const Spec& spec)
    : spec_(spec),
      table_(spec.key_types, spec.context.random_seed),
      lease_(spec.budget, "summarize") {
  for (const plan::AggregateCall& call : spec.op.aggregates) {
    states_.push_back(call.call.aggregate->make_state());
    if (!states_.back()->counts_rows()) {
      counts_rows_ = false;
      arg_columns_.insert(arg_columns_.end(), call.args.begin(), call.args.end());
    }
  }
  std::ranges::sort(arg_columns_);
  arg_columns_.erase(std::unique(arg_columns_.begin(), arg_columns_.end()), arg_columns_.end());
}

void GroupStates::load_keys(const Chunk& chunk) {
  keys_.clear();
  for (const std::size_t column : spec_.op.groups) {
    keys_.push_back(code_numbers(canonical_dynamics(chunk.column(column))));
  }
}

Status GroupStates::keep_shares(Chunk* chunk) {
  AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
  return meter.guard([&] {
    load_keys(*chunk);
    chunk->select(table_.rows_of(spec_.shares, keys_, chunk->rows()));
  });
}

Status GroupStates::add(const Chunk& chunk) {
  if (spec_.shares.all()) {
    return add_chunk(chunk);
  }
  Chunk some = chunk;
  EVQ_TRY(keep_shares(&some));
  return some.empty() ? Status::success() : add_chunk(some);
}

Status GroupStates::add_chunk(const Chunk& chunk) {
  const std::size_t rows = chunk.rows();
  const std::uint32_t* groups = nullptr;
  std::optional<GroupTable::Counted> counted;
  if (has_keys()) {
    load_keys(chunk);
    const std::uint64_t order = (chunk.sequence() << kOrderShift) + sequence_rows_.first_row(chunk);
    groups_.resize(rows);
    AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
    EVQ_TRY(meter.guard([&] {
      counted = table_.count(keys_, rows, order);
      if (!counted.has_value()) {
        table_.assign_uncounted(keys_, rows, order, groups_.data());
      } else if (!counts_rows_) {
        table_.assign_counted(keys_, rows, groups_.data());
      }
    }));
    groups = groups_.data();
  }
  counted_ = counted.has_value();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i]->resize(size());
    if (!takes_rows(i)) {
      states_[i]->add_counts(counted->groups, counted->counts);
    }
  }
  const bool cut = has_much_text(chunk);
  for (std::size_t begin = 0; begin < rows;) {
    const std::size_t count = cut ? rows_at_once(chunk, begin) : rows;
    EVQ_TRY(add_rows(chunk, begin, count, groups != nullptr ? groups + begin : nullptr));
    begin += count;
    if (begin < rows) {
      EVQ_TRY(charge());
    }
  }
  return charge();
}

Status GroupStates::add_rows(const Chunk& chunk, std::size_t begin, std::size_t count,
                             const std::uint32_t* groups) {
  const bool all = count == chunk.rows();
  AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
  return meter.guard([&] {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!takes_rows(i)) {
        continue;
      }
      args_.clear();
      for (const std::size_t column : spec_.op.aggregates[i].args) {
        const Vector& values = chunk.column(column);
        args_.push_back(all ? values : values.slice(begin, count));
      }
      states_[i]->add(spec_.context, args_, groups, count);
    }
  });
}

// States copy texts that rows may share, so that a chunk can come to many times its size in them.
bool GroupStates::has_much_text(const Chunk& chunk) const {
  std::size_t bytes = 0;
  for (const std::size_t column : arg_columns_) {
    bytes += text_bytes_max(chunk.column(column));
  }
  return bytes > kUncutTextBytesMax;
}

// Rows from `begin` on that may be added before the states are charged for their texts.
std::size_t GroupStates::rows_at_once(const Chunk& chunk, std::size_t begin) const {
  std::size_t bytes = 0;
  std::size_t row = begin;
  for (; row < chunk.rows() && bytes < kCallTextBytesMax; ++row) {
    for (const std::size_t column : arg_columns_) {
      const Vector& values = chunk.column(column);
      if (physical_of(values.type()) == Physical::kView && !values.is_null(row)) {
        bytes += values.at<std::string_view>(row).size();
      }
    }
  }
  return row - begin;
}

Status GroupStates::settle() {
  for (const auto& state : states_) {
    state->resize(size());
    state->settle();
  }
  return charge();
}

Status GroupStates::merge(const GroupStates& other, std::span<const std::uint32_t> groups) {
  AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
  EVQ_TRY(meter.guard([&] {
    std::vector<GroupPair> pairs{{0, 0}};
    if (has_keys()) {
      table_.merge(other.table_, groups, &pairs);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i]->resize(size());
      states_[i]->merge(*other.states_[i], pairs);
    }
  }));
  return charge();
}

std::vector<Vector> GroupStates::results() {
  std::vector<Vector> results;
  for (const auto& state : states_) {
    state->resize(size());
    for (Vector& column : state->finish(spec_.context, 0, size())) {
      results.push_back(std::move(column));
    }
  }
  return results;
}

std::size_t GroupStates::state_bytes() const {
  std::size_t bytes = 0;
  for (const auto& state : states_) {
    bytes += state->size_bytes();
  }
  return bytes;
}

Status GroupStates::charge() {
  return lease_.resize(table_.size_bytes() + state_bytes());
}

}  // namespace evq
