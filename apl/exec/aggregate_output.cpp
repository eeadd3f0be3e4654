#include "apl/exec/aggregate_output.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "apl/exec/top_rows.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// Makes of each position one of the same order, without the bits that are the same in all: a place
// in the stream has far fewer than 64 that differ.
void close_up_positions(std::uint64_t differing, std::vector<SeenGroup>* seen) {
  struct Run {  // of bits that differ
    unsigned from;
    unsigned to;
    std::uint64_t mask;
  };
  std::vector<Run> runs;
  unsigned to = 0;
  for (std::uint64_t rest = differing; rest != 0;) {
    const auto from = static_cast<unsigned>(std::countr_zero(rest));
    const auto width = static_cast<unsigned>(std::countr_one(rest >> from));
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    runs.push_back({from, to, mask});
    rest &= ~(mask << from);
    to += width;
  }
  PollCounter poll;
  for (SeenGroup& one : *seen) {
    poll.add();
    std::uint64_t closed = 0;
    for (const Run& run : runs) {
      closed |= (one.position >> run.from & run.mask) << run.to;
    }
    one.position = closed;
  }
}

// By radix, the least significant digit first. No two positions are equal.
void sort_by_position(std::vector<SeenGroup>* seen) {
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  if (seen->size() < kDigits) {
    std::ranges::sort(*seen, {}, &SeenGroup::position);
    return;
  }
  PollCounter poll;
  std::uint64_t differing = 0;
  for (const SeenGroup& one : *seen) {
    poll.add();
    differing |= one.position ^ seen->front().position;
  }
  close_up_positions(differing, seen);
  AllocationMeter::charge(seen->size() * sizeof(SeenGroup));
  std::vector<SeenGroup> sorted(seen->size());
  const auto bits = static_cast<unsigned>(std::popcount(differing));
  for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
    std::vector<std::uint32_t> begins(kDigits + 1);
    for (const SeenGroup& one : *seen) {
      poll.add();
      ++begins[((one.position >> shift) & (kDigits - 1)) + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    for (const SeenGroup& one : *seen) {
      poll.add();
      sorted[begins[(one.position >> shift) & (kDigits - 1)]++] = one;
    }
    seen->swap(sorted);
  }
}

}  // namespace

AggregateOutput::AggregateOutput(Parts parts, std::size_t keys, const Demand& demand,
                                 std::size_t rows_at_once)
    : parts_(parts), keys_(keys), demand_(demand), rows_at_once_(rows_at_once) {
  for (const auto& part : parts) {
    groups_ += part->size();
    begins_.push_back(groups_);
  }
  const std::optional<TopRows>& top = demand.groups.top;
  few_ = top.has_value() && top->keys[0].column >= keys && top->count < groups_;
  if (!has_order()) {
    cut_pieces();
  }
}

void AggregateOutput::cut_pieces() {
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    const std::size_t groups = parts_[part]->size();
    for (std::size_t begin = 0; begin < groups; begin += rows_at_once_) {
      pieces_.push_back({part, static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(std::min(rows_at_once_, groups - begin))});
    }
  }
}

Vector AggregateOutput::first_key(std::size_t part) const {
  RowList all(parts_[part]->size());
  std::iota(all.begin(), all.end(), 0U);
  return parts_[part]->column(demand_.groups.top->keys[0].column, all);
}

RowList AggregateOutput::top_groups(const std::vector<Vector>& first_keys) const {
  const TopRows& top = *demand_.groups.top;
  const auto values = [&](std::size_t key, const RowList& numbers) {
    return key == 0 ? concatenate(first_keys) : column_of(top.keys[key].column, numbers);
  };
  const auto position = [this](std::size_t number) { return group_at(number).position; };
  return rows_that_may_be_top(groups_, top, {values, position});
}

void AggregateOutput::choose(const RowList& numbers) {
  AllocationMeter::charge(numbers.size() * sizeof(SeenGroup));
  order_.resize(numbers.size());
  PollCounter poll;
  std::ranges::transform(numbers, order_.begin(), [&](std::size_t number) {
    poll.add();
    return group_at(number);
  });
  if (!demand_.order.any) {
    sort_by_position(&order_);
  }
}

void AggregateOutput::order(std::vector<std::vector<Vector>> results) {
  results_.resize(results[0].size());
  for (std::vector<Vector>& part : results) {
    for (std::size_t column = 0; column < results_.size(); ++column) {
      results_[column].push_back(std::move(part[column]));
    }
  }
  if (!few_) {
    order_ = all_groups();
    sort_by_position(&order_);
  }
}

std::size_t AggregateOutput::chunks() const {
  return has_order() ? (order_.size() + rows_at_once_ - 1) / rows_at_once_ : pieces_.size();
}

std::size_t AggregateOutput::chunk_bytes() const {
  std::size_t most = 0;
  for (const Piece& piece : pieces_) {
    const GroupStates& part = *parts_[piece.part];
    most = std::max(most, part.state_bytes() / part.size() * piece.count);
  }
  return most;
}

Chunk AggregateOutput::chunk(std::size_t i) const {
  if (!has_order()) {
    return chunk_of(pieces_[i]);
  }
  const std::size_t begin = i * rows_at_once_;
  return chunk_of(std::span(order_).subspan(begin, std::min(rows_at_once_, order_.size() - begin)));
}

std::vector<SeenGroup> AggregateOutput::all_groups() const {
  std::vector<SeenGroup> all;
  AllocationMeter::charge(groups_ * sizeof(SeenGroup));
  all.reserve(groups_);
  PollCounter poll;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    const GroupTable& table = parts_[part]->table();
    for (std::uint32_t group = 0; group < table.size(); ++group) {
      poll.add();
      all.push_back({table.first_seen(group), part, group});
    }
  }
  return all;
}

SeenGroup AggregateOutput::group_at(std::size_t number) const {
  const auto part =
      static_cast<std::uint32_t>(std::ranges::upper_bound(begins_, number) - begins_.begin() - 1);
  const auto group = static_cast<std::uint32_t>(number - begins_[part]);
  return {parts_[part]->table().first_seen(group), part, group};
}

Vector AggregateOutput::column_of(std::size_t column, const RowList& numbers) const {
  PollCounter poll;
  std::vector<Vector> values;
  auto number = numbers.begin();
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    RowList groups;
    for (; number != numbers.end() && *number < begins_[part + 1]; ++number) {
      poll.add();
      groups.push_back(static_cast<std::uint32_t>(*number - begins_[part]));
    }
    values.push_back(parts_[part]->column(column, groups));
  }
  return concatenate(values);
}

Chunk AggregateOutput::chunk_of(const Piece& piece) const {
  const GroupStates& part = *parts_[piece.part];
  RowList groups(piece.count);
  std::iota(groups.begin(), groups.end(), piece.begin);
  std::vector<Vector> columns = part.keys(groups);
  std::ranges::move(part.results(piece.begin, piece.count), std::back_inserter(columns));
  return Chunk(std::move(columns), piece.count);
}

Chunk AggregateOutput::chunk_of(std::span<const SeenGroup> groups) const {
  std::vector<Vector> columns = keys_of(groups);
  std::ranges::move(needs_results() ? results_of(groups) : make_results(groups),
                    std::back_inserter(columns));
  return Chunk(std::move(columns), groups.size());
}

// The keys of each part together, then in their places.
std::vector<Vector> AggregateOutput::keys_of(std::span<const SeenGroup> groups) const {
  std::vector<RowList> wanted(parts_.size());
  std::vector<RowPlace> places(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const SeenGroup& seen = groups[i];
    places[i] = {seen.part, static_cast<std::uint32_t>(wanted[seen.part].size())};
    wanted[seen.part].push_back(seen.group);
  }
  std::vector<std::vector<Vector>> keys(keys_);  // by column, then by part
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    std::vector<Vector> columns = parts_[part]->keys(wanted[part]);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      keys[column].push_back(std::move(columns[column]));
    }
  }
  std::vector<Vector> columns;
  columns.reserve(keys.size());
  for (const std::vector<Vector>& column : keys) {
    columns.push_back(interleave(column, places));
  }
  return columns;
}

std::vector<Vector> AggregateOutput::results_of(std::span<const SeenGroup> groups) const {
  std::vector<RowPlace> places(groups.size());
  std::ranges::transform(groups, places.begin(), [](const SeenGroup& seen) {
    return RowPlace{seen.part, seen.group};
  });
  std::vector<Vector> columns;
  columns.reserve(results_.size());
  for (const std::vector<Vector>& column : results_) {
    columns.push_back(interleave(column, places));
  }
  return columns;
}

std::vector<Vector> AggregateOutput::make_results(std::span<const SeenGroup> groups) const {
  std::vector<std::vector<Vector>> results;  // by column, then by group
  for (const SeenGroup& seen : groups) {
    std::vector<Vector> one = parts_[seen.part]->results(seen.group, 1);
    results.resize(one.size());
    for (std::size_t column = 0; column < one.size(); ++column) {
      results[column].push_back(std::move(one[column]));
    }
  }
  std::vector<Vector> columns;
  columns.reserve(results.size());
  for (const std::vector<Vector>& column : results) {
    columns.push_back(concatenate(column));
  }
  return columns;
}

}  // namespace evq
