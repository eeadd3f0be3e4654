#pragma once
// AggregateOutput: the rows of an aggregation with keys, in chunks that any thread may ask for, out
// of parts that hold its groups between them. They are in the order of first sight, or all of one
// part after the other when any order will do; or only those that may be among the top ones, of
// which there are so few in general that the other groups' results are not made.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apl/exec/executor.h"
#include "apl/exec/group_states.h"

namespace evq {

// A group of one of the parts and its place in the order of the stream.
struct SeenGroup {
  std::uint64_t position;
  std::uint32_t part;
  std::uint32_t group;
};

class AggregateOutput {
 public:
  using Parts = std::span<const std::unique_ptr<GroupStates>>;

  // Of `keys` columns that groups are told by. `hints` and the parts stay the caller's.
  AggregateOutput(Parts parts, std::size_t keys, const ScanHints& hints);

  // What is to be done before chunks are asked for. First, where few groups are wanted, choose()
  // with the result column that they are chosen by, of each part:
  std::optional<std::size_t> choosing_result() const;
  void choose(std::vector<Vector> result);
  // Then order() with all results of each part, or else each chunk makes its own.
  bool needs_results() const { return has_order() && !(few_ && makes_each()); }
  void order(std::vector<std::vector<Vector>> results);

  std::size_t chunks() const;
  // What the results of one take at most, as far as the states tell; without results.
  std::size_t chunk_bytes() const;
  // None is empty.
  Chunk chunk(std::size_t i) const;

 private:
  struct Piece {  // groups of one part
    std::uint32_t part;
    std::uint32_t begin;
    std::uint32_t count;
  };

  bool has_order() const { return few_ || !hints_.any_order; }
  // Whether the chosen are so few that the results of one group at a time are made sooner.
  bool makes_each() const { return order_.size() * kGroupsPerChosenMin <= groups_; }
  void cut_pieces();
  std::vector<SeenGroup> all_groups() const;
  // One of them, by its number among those of all parts.
  SeenGroup group_at(std::size_t number) const;
  Chunk chunk_of(const Piece& piece) const;
  Chunk chunk_of(std::span<const SeenGroup> groups) const;
  std::vector<Vector> keys_of(std::span<const SeenGroup> groups) const;
  std::vector<Vector> results_of(std::span<const SeenGroup> groups) const;
  std::vector<Vector> make_results(std::span<const SeenGroup> groups) const;

  static constexpr std::size_t kGroupsPerChosenMin = 32;

  const Parts parts_;
  const std::size_t keys_;
  const ScanHints& hints_;
  std::vector<std::size_t> begins_{0};  // of each part's groups among those of all, and the end
  std::size_t groups_ = 0;
  bool few_ = false;                          // of the groups are wanted
  std::vector<Piece> pieces_;                 // in any order
  std::vector<SeenGroup> order_;              // in one, or of the chosen
  std::vector<std::vector<Vector>> results_;  // by column, then by part
};

}  // namespace evq
