#pragma once
// AggregateOutput: the rows of an aggregation with keys, in chunks that any thread may ask for, out
// of parts that hold its groups between them. They are in the order of first sight, or all of one
// part after the other when any order will do; or only those that may be among the top ones.

#include <cstddef>
#include <cstdint>
#include <memory>
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

  // Whether order() is to be called before chunks are asked for, with the results of each part;
  // else each chunk makes its own.
  bool needs_results() const { return few_ || !hints_.any_order; }
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

  void cut_pieces();
  std::vector<SeenGroup> all_groups() const;
  std::vector<SeenGroup> top_groups(const Vector& result) const;
  Chunk chunk_of(const Piece& piece) const;
  Chunk chunk_of(std::span<const SeenGroup> groups) const;

  const Parts parts_;
  const std::size_t keys_;
  const ScanHints& hints_;
  std::size_t groups_ = 0;
  bool few_ = false;                          // of the groups are wanted
  std::vector<Piece> pieces_;                 // without results
  std::vector<SeenGroup> order_;              // with them
  std::vector<std::vector<Vector>> results_;  // by column, then by part
};

}  // namespace evq
