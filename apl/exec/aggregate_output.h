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

  // So many rows a chunk that the operators after this one share some ten thousand groups.
  static constexpr std::size_t kRowsMax = std::size_t{1} << 14U;

  // Outputs the groups of `parts`, whose first `keys` columns are the group keys, in chunks of
  // `rows_at_once`. `demand` and the parts must outlive this.
  AggregateOutput(Parts parts, std::size_t keys, const Demand& demand, std::size_t rows_at_once);

  // Whether only the top groups are wanted: choose() must be called then before the first chunk(),
  // with what top_groups() says of first_key() of each part, which any thread may make.
  bool chooses() const { return few_; }
  Vector first_key(std::size_t part) const;
  RowList top_groups(const std::vector<Vector>& first_keys) const;
  void choose(const RowList& numbers);
  // Whether order() must be called next, with all result columns of each part; if not, each chunk
  // makes its own results.
  bool needs_results() const { return has_order() && !(few_ && makes_each()); }
  void order(std::vector<std::vector<Vector>> results);

  std::size_t chunks() const;
  // Upper estimate of the bytes of one chunk's results from the sizes of the states; 0 where the
  // groups come in an order.
  std::size_t chunk_bytes() const;
  // Makes chunk `i` of chunks(), which is not empty.
  Chunk chunk(std::size_t i) const;

 private:
  struct Piece {  // a run of groups of one part, for one chunk
    std::uint32_t part;
    std::uint32_t begin;
    std::uint32_t count;
  };

  bool has_order() const { return few_ || !demand_.order.any; }
  // Whether few enough groups were chosen that making their results one by one is faster.
  bool makes_each() const { return order_.size() * GroupStates::kGroupsPerOneMin <= groups_; }
  void cut_pieces();
  std::vector<SeenGroup> all_groups() const;
  // Finds a group by its number when the groups of all parts are counted one after the other.
  SeenGroup group_at(std::size_t number) const;
  // Returns the output's column `column` for groups by their numbers, which are ascending.
  Vector column_of(std::size_t column, const RowList& numbers) const;
  Chunk chunk_of(const Piece& piece) const;
  Chunk chunk_of(std::span<const SeenGroup> groups) const;
  std::vector<Vector> keys_of(std::span<const SeenGroup> groups) const;
  std::vector<Vector> results_of(std::span<const SeenGroup> groups) const;
  std::vector<Vector> make_results(std::span<const SeenGroup> groups) const;

  const Parts parts_;
  const std::size_t keys_;
  const Demand& demand_;
  const std::size_t rows_at_once_;
  std::vector<std::size_t> begins_{0};  // by part: number of its first group; then the end
  std::size_t groups_ = 0;
  bool few_ = false;                          // only the top groups are wanted
  std::vector<Piece> pieces_;                 // one a chunk, where any order will do
  std::vector<SeenGroup> order_;              // all groups in order, or the chosen ones
  std::vector<std::vector<Vector>> results_;  // by column, then by part
};

}  // namespace evq
