#include "apl/exec/group_parts.h"

#include <numeric>
#include <utility>

#include "apl/exec/key_combinations.h"
#include "apl/functions/canonical.h"
#include "apl/functions/number_codes.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// What is done once a part and chunk would take longer than the rows of smaller chunks do.
constexpr std::size_t kRowsPerPartMin = 128;
// Of more combinations that may occur, clearing a table takes longer than looking up rows.
constexpr std::size_t kPartedCombinationsPerRowMax = 2;

}  // namespace

GroupParts::GroupParts(const GroupStates::Spec& spec) : spec_(spec) {
  parts_.push_back(std::make_unique<GroupStates>(spec));
}

void GroupParts::load_keys(const Chunk& chunk) {
  keys_.clear();
  for (const std::size_t column : spec_.op.groups) {
    keys_.push_back(code_numbers(canonical_dynamics(chunk.column(column))));
  }
}

Status GroupParts::keep_shares(Chunk* chunk) {
  AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
  return meter.guard([&] {
    load_keys(*chunk);
    chunk->select(parts_[0]->table().rows_of(spec_.shares, keys_, chunk->rows()));
  });
}

Status GroupParts::add(const Chunk& chunk) {
  if (spec_.shares.all()) {
    return add_chunk(chunk);
  }
  Chunk some = chunk;
  EVQ_TRY(keep_shares(&some));
  return some.empty() ? Status::success() : add_chunk(some);
}

Status GroupParts::add_chunk(const Chunk& chunk) {
  load_keys(chunk);
  const std::uint64_t order = sequence_rows_.first_place(chunk);
  if (parted()) {
    return add_to_parts(chunk, order);
  }
  rows_ += chunk.rows();
  ++chunks_;
  EVQ_TRY(parts_[0]->add(chunk, keys_, order));
  return part_pays() ? part() : Status::success();
}

bool GroupParts::part_pays() const {
  if (spec_.op.groups.empty() || spec_.parting == Parting::kNever) {
    return false;
  }
  const GroupTable& table = parts_[0]->table();
  return spec_.parting == Parting::kAlways || (table.size() >= kGroupsMin && !table.located() &&
                                               rows_ >= chunks_ * kCount * kRowsPerPartMin);
}

void GroupParts::empty_lists(PartLists* lists) {
  lists->resize(kCount);
  for (std::vector<std::uint32_t>& list : *lists) {
    list.clear();
  }
}

void GroupParts::list_by_part(std::span<const std::uint64_t> hashes, PartLists* lists) {
  empty_lists(lists);
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    (*lists)[GroupTable::part_of(hashes[i], kBits)].push_back(i);
  }
}

Status GroupParts::add_to_parts(const Chunk& chunk, std::uint64_t order) {
  const std::size_t radix = combinations_of(keys_, chunk.rows());
  if (radix != 0 && radix <= chunk.rows() * kPartedCombinationsPerRowMax) {
    return add_combinations(chunk, order, radix);
  }
  hashes_.resize(chunk.rows());
  null_rows_.clear();
  if (is_sparse(keys_)) {
    list_rows_with_keys();
    EVQ_TRY(add_nulls(chunk, order));
  } else {
    parts_[0]->table().hash(keys_, chunk.rows(), hashes_.data());
    list_by_part(hashes_, &rows_of_part_);
  }
  for (std::size_t part = 0; part < kCount; ++part) {
    if (!rows_of_part_[part].empty()) {
      EVQ_TRY(parts_[part]->add_some(chunk, keys_, order, rows_of_part_[part], hashes_.data()));
    }
  }
  return Status::success();
}

// Of a field that many events do not have, most rows are of one group.
void GroupParts::list_rows_with_keys() {
  std::vector<std::uint32_t> rows;
  split_sparse(keys_[0], hashes_.size(), &rows, &null_rows_);
  std::vector<std::uint64_t> hashes(rows.size());
  parts_[0]->table().hash(keys_, rows, hashes.data());
  empty_lists(&rows_of_part_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    hashes_[rows[i]] = hashes[i];
    rows_of_part_[GroupTable::part_of(hashes[i], kBits)].push_back(rows[i]);
  }
}

Status GroupParts::add_nulls(const Chunk& chunk, std::uint64_t order) {
  if (null_rows_.empty()) {
    return Status::success();
  }
  std::uint64_t& hash = hashes_[null_rows_[0]];
  parts_[0]->table().hash(keys_, std::span(null_rows_).first(1), &hash);
  GroupStates& part = *parts_[GroupTable::part_of(hash, kBits)];
  return part.add_same(chunk, keys_, order, null_rows_, hashes_.data());
}

Status GroupParts::add_combinations(const Chunk& chunk, std::uint64_t order, std::size_t radix) {
  combinations_.find(keys_, chunk.rows(), radix);
  hashes_.resize(combinations_.size());
  parts_[0]->table().hash(keys_, combinations_, hashes_.data());
  list_by_part(hashes_, &combinations_of_part_);
  empty_lists(&rows_of_part_);
  if (!parts_[0]->only_counts_rows()) {
    list_rows(chunk.rows());
  }
  combinations_.find_first_rows();
  for (std::size_t part = 0; part < kCount; ++part) {
    if (!combinations_of_part_[part].empty()) {
      EVQ_TRY(parts_[part]->add_some(
          chunk, keys_, order,
          {combinations_, combinations_of_part_[part], hashes_.data(), rows_of_part_[part],
           combination_of_row_.data(), groups_.data()}));
    }
  }
  return Status::success();
}

// The rows of each part by the hashes of their combinations.
void GroupParts::list_rows(std::size_t rows) {
  groups_.resize(combinations_.size());
  std::iota(groups_.begin(), groups_.end(), 0U);
  combination_of_row_.resize(rows);
  combinations_.spread(groups_.data(), combination_of_row_.data());
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t hash = hashes_[combination_of_row_[row]];
    rows_of_part_[GroupTable::part_of(hash, kBits)].push_back(row);
  }
}

Status GroupParts::settle() {
  for (const auto& part : parts_) {
    EVQ_TRY(part->settle());
  }
  return Status::success();
}

Status GroupParts::part() {
  EVQ_TRY(parts_[0]->settle());
  const std::vector<std::vector<std::uint32_t>> groups = parts_[0]->table().by_hash(kBits);
  std::vector<std::unique_ptr<GroupStates>> parts;
  for (const std::vector<std::uint32_t>& some : groups) {
    parts.push_back(std::make_unique<GroupStates>(spec_));
    EVQ_TRY(parts.back()->merge(*parts_[0], some));
  }
  parts_ = std::move(parts);
  return Status::success();
}

std::size_t GroupParts::size() const {
  std::size_t groups = 0;
  for (const auto& part : parts_) {
    groups += part->size();
  }
  return groups;
}

std::size_t GroupParts::state_bytes() const {
  std::size_t bytes = 0;
  for (const auto& part : parts_) {
    bytes += part->state_bytes();
  }
  return bytes;
}

}  // namespace evq
