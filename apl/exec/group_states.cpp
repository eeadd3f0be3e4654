#include "apl/exec/group_states.h"

#include <optional>

#include "apl/exec/integer_codes.h"
#include "apl/functions/canonical.h"

namespace evq {
namespace {

// A row's place in the stream is its sequence, then its number among the sequence's rows.
constexpr unsigned kOrderShift = 32;

}  // namespace

GroupStates::GroupStates(const Spec& spec)
    : spec_(spec),
      table_(spec.key_types, spec.context.random_seed),
      lease_(spec.budget, "summarize") {
  for (const plan::AggregateCall& call : spec.op.aggregates) {
    states_.push_back(call.call.aggregate->make_state());
    counts_rows_ = counts_rows_ && states_.back()->counts_rows();
  }
}

Status GroupStates::add(const Chunk& chunk) {
  const std::size_t rows = chunk.rows();
  const std::uint32_t* groups = nullptr;
  std::optional<GroupTable::Counted> counted;
  if (has_keys()) {
    keys_.clear();
    for (const std::size_t column : spec_.op.groups) {
      keys_.push_back(code_integers(canonical_dynamics(chunk.column(column))));
    }
    const std::uint64_t order = (chunk.sequence() << kOrderShift) + sequence_rows_.first_row(chunk);
    groups_.resize(rows);
    counted = table_.count(keys_, rows, order);
    if (!counted.has_value()) {
      table_.assign_uncounted(keys_, rows, order, groups_.data());
    } else if (!counts_rows_) {
      table_.assign_counted(keys_, rows, groups_.data());
    }
    groups = groups_.data();
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i]->resize(size());
    if (counted.has_value() && states_[i]->counts_rows()) {
      states_[i]->add_counts(counted->groups, counted->counts);
      continue;
    }
    args_.clear();
    for (const std::size_t column : spec_.op.aggregates[i].args) {
      args_.push_back(chunk.column(column));
    }
    states_[i]->add(spec_.context, args_, groups, rows);
  }
  return charge();
}

Status GroupStates::settle() {
  for (const auto& state : states_) {
    state->resize(size());
    state->settle();
  }
  return charge();
}

Status GroupStates::merge(const GroupStates& other, std::span<const std::uint32_t> groups) {
  std::vector<GroupPair> pairs{{0, 0}};
  if (has_keys()) {
    table_.merge(other.table_, groups, &pairs);
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i]->resize(size());
    states_[i]->merge(*other.states_[i], pairs);
  }
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

Status GroupStates::charge() {
  std::size_t bytes = table_.size_bytes();
  for (const auto& state : states_) {
    bytes += state->size_bytes();
  }
  return lease_.resize(bytes);
}

}  // namespace evq
