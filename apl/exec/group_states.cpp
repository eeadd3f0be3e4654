#include "apl/exec/group_states.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "apl/functions/aggregate_rows.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/limits.h"

namespace evq {
namespace {

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

template <class Work>
Status GroupStates::metered(const Work& work) const {
  AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
  return meter.guard(work);
}

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

Status GroupStates::add(const Chunk& chunk, std::span<const Vector> keys, std::uint64_t order) {
  std::optional<GroupTable::Counted> counted;
  if (has_keys()) {
    EVQ_TRY(metered([&] {
      counted = table_.assign_counted(keys, chunk.rows(), order, counts_rows_, &groups_);
    }));
  }
  counted_ = counted.has_value();
  combinations_ = counted_ ? counted->groups.size() : 0;
  if (counted_) {
    add_counts(*counted);
    if (counts_rows_) {
      return charge();
    }
  }
  return add_to_states(chunk, has_keys() ? groups_.data() : nullptr);
}

Status GroupStates::add_some(const Chunk& arguments, std::uint64_t order,
                             const PartedRows::Part& some) {
  groups_.resize(some.rows.size());
  EVQ_TRY(metered([&] { table_.assign_loaded(some.keys, some.rows, order, groups_.data()); }));
  counted_ = false;
  return add_to_states(arguments, groups_.data());
}

Status GroupStates::add_counted(std::uint64_t order, const PartedRows::Part& some,
                                std::span<const std::uint32_t> counts) {
  groups_.resize(some.rows.size());
  EVQ_TRY(metered([&] { table_.assign_loaded(some.keys, some.rows, order, groups_.data()); }));
  counted_ = true;
  add_counts({groups_, counts});
  return charge();
}

Status GroupStates::reserve(std::size_t groups) {
  return metered([&] { table_.reserve(groups); });
}

Status GroupStates::add_same(const Chunk& chunk, std::uint64_t order, const PartedRows::Part& first,
                             std::span<const std::uint32_t> rows) {
  std::uint32_t group = 0;
  EVQ_TRY(metered([&] { table_.assign_loaded(first.keys, first.rows, order, &group); }));
  const auto count = static_cast<std::uint32_t>(rows.size());
  counted_ = true;
  add_counts({{&group, 1}, {&count, 1}});
  groups_.assign(rows.size(), group);
  return counts_rows_ ? charge() : add_arguments(chunk, rows);
}

Status GroupStates::add_some(const Chunk& chunk, std::span<const Vector> keys, std::uint64_t order,
                             const SomeCombinations& some) {
  std::vector<std::uint32_t> found(some.numbers.size());
  EVQ_TRY(metered(
      [&] { table_.assign_some(keys, some.all, some.numbers, some.hashes, order, found.data()); }));
  std::vector<std::uint32_t> counts(found.size());
  std::ranges::transform(some.numbers, counts.begin(),
                         [&](std::uint32_t one) { return some.all.counts()[one]; });
  counted_ = true;
  add_counts({found, counts});
  if (counts_rows_) {
    return charge();
  }
  for (std::size_t j = 0; j < found.size(); ++j) {
    some.groups[some.numbers[j]] = found[j];
  }
  groups_.resize(some.rows.size());
  std::ranges::transform(some.rows, groups_.begin(),
                         [&](std::uint32_t row) { return some.groups[some.of_row[row]]; });
  return add_arguments(chunk, some.rows);
}

std::optional<std::size_t> GroupStates::groups_of_first_rows(std::size_t count) const {
  if (counted_ || groups_.size() < count) {
    return std::nullopt;
  }
  std::vector<bool> seen(size());
  std::size_t groups = 0;
  for (const std::uint32_t group : std::span(groups_).first(count)) {
    groups += seen[group] ? std::size_t{0} : 1;
    seen[group] = true;
  }
  return groups;
}

void GroupStates::add_counts(const GroupTable::Counted& counted) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!takes_rows(i)) {
      states_[i]->resize(size());
      states_[i]->add_counts(counted.groups, counted.counts);
    }
  }
}

Result<Chunk> GroupStates::arguments_of(const Chunk& chunk,
                                        std::span<const std::uint32_t> rows) const {
  std::vector<Vector> columns;
  columns.reserve(chunk.column_count());
  EVQ_TRY(metered([&] {
    for (std::size_t column = 0; column < chunk.column_count(); ++column) {
      const Vector& all = chunk.column(column);
      columns.push_back(std::ranges::binary_search(arg_columns_, column)
                            ? all.gather(rows)
                            : Vector::constant(Value::null(all.type()), rows.size()));
    }
  }));
  return Chunk(std::move(columns), rows.size());
}

Status GroupStates::add_arguments(const Chunk& chunk, std::span<const std::uint32_t> rows) {
  EVQ_TRY_ASSIGN(const Chunk arguments, arguments_of(chunk, rows));
  return add_to_states(arguments, groups_.data());
}

Status GroupStates::add_to_states(const Chunk& chunk, const std::uint32_t* groups) {
  const bool cut = has_much_text(chunk);
  for (std::size_t begin = 0; begin < chunk.rows();) {
    const std::size_t count = cut ? rows_at_once(chunk, begin) : chunk.rows();
    EVQ_TRY(add_rows(chunk, begin, count, groups != nullptr ? groups + begin : nullptr));
    begin += count;
    if (begin < chunk.rows()) {
      EVQ_TRY(charge());
    }
  }
  return charge();
}

Status GroupStates::add_rows(const Chunk& chunk, std::size_t begin, std::size_t count,
                             const std::uint32_t* groups) {
  const bool all = count == chunk.rows();
  return metered([&] {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i]->resize(size());
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
  EVQ_TRY(settle_to_merge());
  EVQ_TRY(metered([&] {
    for (const auto& state : states_) {
      if (state->merges_unsettled()) {
        state->settle();
      }
    }
  }));
  return charge();
}

Status GroupStates::settle_to_merge() {
  EVQ_TRY(metered([&] {
    for (const auto& state : states_) {
      state->resize(size());
      if (!state->merges_unsettled()) {
        state->settle();
      }
    }
  }));
  return charge();
}

Status GroupStates::merge(const GroupStates& other, std::span<const std::uint32_t> groups) {
  EVQ_TRY(metered([&] {
    std::vector<GroupPair> pairs{{0, 0}};
    if (has_keys()) {
      merge_keys(other, groups, &pairs);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i]->resize(size());
      states_[i]->merge(*other.states_[i], pairs);
    }
  }));
  return charge();
}

void GroupStates::merge_keys(const GroupStates& other, std::span<const std::uint32_t> groups,
                             std::vector<GroupPair>* pairs) {
  if (spec_.packed == other.spec_.packed) {
    table_.merge(other.table_, groups, pairs);
    return;
  }
  EVQ_CHECK(spec_.packed == nullptr);
  AllocationMeter::charge(groups.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t)));
  std::vector<std::uint64_t> first_seen(groups.size());
  std::ranges::transform(groups, first_seen.begin(),
                         [&](std::uint32_t group) { return other.table_.first_seen(group); });
  std::vector<std::uint32_t> own(groups.size());
  table_.merge(other.keys(groups), first_seen, own.data());
  pairs->clear();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    pairs->push_back({groups[i], own[i]});
  }
}

Status GroupStates::list_by_hash(unsigned bits, const GroupStates& like,
                                 std::vector<std::vector<std::uint32_t>>* parts) const {
  return metered([&] {
    if (spec_.packed == like.spec_.packed) {
      *parts = table_.by_hash(bits);
      return;
    }
    std::vector<std::uint32_t> all(size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<std::uint64_t> hashes(size());
    like.table_.hash(keys(all), size(), hashes.data());
    parts->resize(std::size_t{1} << bits);
    for (const std::uint32_t group : all) {
      (*parts)[GroupTable::part_of(hashes[group], bits)].push_back(group);
    }
  });
}

Status GroupStates::keep(std::span<const std::uint32_t> groups) {
  GroupStates some(spec_);
  EVQ_TRY(some.merge(*this, groups));
  EVQ_TRY(metered([&] {
    some.table_.own_texts();
    std::ranges::for_each(some.states_, [](const auto& state) { state->own_shared(); });
  }));
  std::swap(table_, some.table_);
  states_.swap(some.states_);
  return charge();
}

std::vector<Vector> GroupStates::results(std::size_t begin, std::size_t count) const {
  std::vector<Vector> results;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    // Columns are told apart by what the calls declare: one more or of another type, and those
    // behind it would be read as what they are not.
    const std::vector<Type>& declared = spec_.op.aggregates[i].call.results;
    std::vector<Vector> made = states_[i]->finish(spec_.context, begin, count);
    EVQ_CHECK(std::ranges::equal(made, declared, {}, &Vector::type));
    std::ranges::move(made, std::back_inserter(results));
  }
  return results;
}

Vector GroupStates::result(std::size_t column, std::size_t begin, std::size_t count) const {
  std::size_t aggregate = 0;
  while (column >= spec_.op.aggregates[aggregate].call.results.size()) {
    column -= spec_.op.aggregates[aggregate++].call.results.size();
  }
  return states_[aggregate]->finish(spec_.context, begin, count)[column];
}

Vector GroupStates::key(std::size_t column, std::span<const std::uint32_t> groups) const {
  return spec_.packed == nullptr ? table_.key(column, groups)
                                 : spec_.packed->unpack(column, table_, groups);
}

std::vector<Vector> GroupStates::keys(std::span<const std::uint32_t> groups) const {
  std::vector<Vector> columns;
  for (std::size_t column = 0; column < spec_.op.groups.size(); ++column) {
    columns.push_back(key(column, groups));
  }
  return columns;
}

Vector GroupStates::column(std::size_t column, std::span<const std::uint32_t> groups) const {
  const std::size_t keys = spec_.op.groups.size();
  if (column < keys) {
    return key(column, groups);
  }
  if (groups.size() * kGroupsPerOneMin > size()) {
    Vector all = result(column - keys);
    return groups.size() == size() ? std::move(all) : all.gather(groups);
  }
  std::vector<Vector> one_by_one{result(column - keys, 0, 0)};  // of the type, should there be none
  for (const std::uint32_t group : groups) {
    one_by_one.push_back(result(column - keys, group, 1));
  }
  return concatenate(one_by_one);
}

std::size_t GroupStates::state_bytes() const {
  std::size_t bytes = 0;
  for (const auto& state : states_) {
    bytes += state->size_bytes();
  }
  return bytes;
}

Status GroupStates::charge() {
  EVQ_TRY(lease_.resize(table_.size_bytes() + state_bytes()));
  const QueryControl* const control = spec_.context.control;
  return control != nullptr ? control->check() : Status();
}

}  // namespace evq
