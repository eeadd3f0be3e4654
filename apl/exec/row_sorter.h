#pragma once
// RowSorter: collects rows of chunks and gives them back in the order of sort keys, all of them or
// the first `limit`. Rows that compare equal keep the order of the stream.
//
// Without a limit every chunk is put in order when it comes. With one, chunks wait as they came but
// for rows that cannot be among the first; when many are held all but the first are dropped, and
// finish() puts those in order. The sorted parts are merged while the rows are taken, so that they
// are held once: what has been given back is let go. Or the order is cut into stretches, which
// several threads put in order side by side.
//
// Comparisons are mostly of two numbers of each row, order-preserving 64-bit integers: of its first
// two keys, for texts of dictionaries their rank among all; or of fifteen bytes of the first key,
// when that is another text, after those that all begin with. One thread at a time.
//
// What looks at all rows ends when the query must: add() and finish() by the sorter's control,
// next(), cut() and stretch() under the caller's AllocationMeter.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "apl/plan/plan.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/memory_budget.h"
#include "store/column/chunk.h"

namespace evq {

class RowSorter {
 public:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  // Rows of a chunk that next() makes: few enough that a chunk of wide rows stays small.
  static constexpr std::size_t kNextRowsMax = 32768;

  // Without keys the order is that of the stream. `budget` and `control` may be null.
  // `operator_name`, a literal, is for memory errors.
  RowSorter(const std::vector<plan::SortKey>& keys, std::size_t limit, MemoryBudget* budget,
            const QueryControl* control, std::string_view operator_name);

  // Takes over the rows that can be among the first `limit`.
  Status add(Chunk chunk);
  // Drops what is not among the first `limit`, after the last chunk.
  Status finish();
  // Takes over all rows of another sorter with the same keys, limit and budget, and what is charged
  // for them. Both are finished.
  void add(RowSorter&& other);
  // Returns the next rows in order, after finish(); an empty chunk when there are no more. The
  // caller charges what it allocates.
  Chunk next();

  // Instead of next(), without a limit: cuts the order into stretches of about kNextRowsMax rows,
  // none of them empty, and returns their number.
  std::size_t cut();
  // Returns the rows of a stretch in order; on any thread. The caller charges what it allocates.
  Chunk stretch(std::size_t i) const;
  // Frees what only stretches before this one need.
  void let_go(std::size_t stretch);

  std::size_t rows() const { return rows_; }
  // Bytes charged for the rows.
  std::size_t bytes() const { return lease_.bytes(); }
  // Once `limit` rows are held: no row whose first key is above this can be among the first.
  std::optional<std::uint64_t> threshold() const { return threshold_; }

 private:
  static constexpr std::size_t kNumbers = 2;  // sort numbers of a RowRef

  // A row's place in the stream: the sequence of its chunk, then its number among the rows of its
  // worker, which gets all chunks of a sequence.
  struct Position {
    std::uint64_t sequence = 0;
    std::uint64_t arrival = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 of the comparison is none
    friend auto operator<=>(const Position&, const Position&) = default;
  };
  struct Part {
    Chunk chunk;
    Position first;                   // of the row that came first
    std::vector<Position> positions;  // with a limit: by row
    // The common prefix of all texts of one of the first keys, once that was asked for.
    std::array<std::optional<std::string_view>, kNumbers> common;
    std::size_t bytes = 0;  // charged
  };
  struct RowRef {
    std::uint64_t first_key = 0;
    std::uint64_t second_key = 0;
    std::uint32_t part = 0;
    std::uint32_t row = 0;
  };

  // Limits up to this are put in order all at once, larger ones by parts that are merged.
  static constexpr std::size_t kOrderedRowsMax = kChunkRowsMax;

  bool is_limited() const { return limit_ != kNoLimit; }
  // How many of a row's two numbers are used, and the key that each is of.
  std::size_t number_count() const {
    return splits_text_ ? kNumbers : std::min(keys_.size(), kNumbers);
  }
  std::size_t key_of(std::size_t number) const { return splits_text_ ? 0 : number; }
  // Writes number `number`, 0 or 1, of slots [begin, end) of its key's values to `out`.
  void number_values(const Values& values, std::size_t number, std::size_t begin, std::size_t end,
                     std::uint64_t* out) const;
  // Returns number `number` of all rows; empty where that number is not used.
  std::vector<std::uint64_t> key_numbers(const Chunk& chunk, std::size_t number) const;
  std::vector<std::uint64_t> part_numbers(std::size_t part, std::size_t number) const;
  // Settles how numbers of parts [begin, end) are made: ranks the texts of their keys where these
  // are dictionaries with few entries beside their rows, else skips their common prefix. Without
  // parts: numbers that order whatever may come.
  void settle_numbers(std::size_t begin, std::size_t end);
  void rank_key(std::size_t index, std::size_t begin, std::size_t end);
  // Returns the length of the common prefix of a key's texts in parts [begin, end).
  std::size_t common_bytes(std::size_t key, std::size_t begin, std::size_t end);
  bool is_ranked(std::size_t index) const {
    return index < ranks_.size() && !ranks_[index].empty();
  }
  // Whether rows that both have `number` for key `index` must have equal values there.
  bool tells(std::size_t index, std::uint64_t number) const;
  // Whether second numbers order the rows that have the same first number as this one.
  bool tells_first(const RowRef& row) const { return splits_text_ || tells(0, row.first_key); }
  // Number of leading keys that are equal in all rows with the same numbers as this one.
  std::size_t equal_keys(const RowRef& row) const;
  class AfterLast;
  // Returns the rows of a chunk that can be among the first `limit`; `first_keys` are their first
  // numbers (empty without keys).
  std::vector<std::uint32_t> candidates(const Chunk& chunk,
                                        const std::vector<std::uint64_t>& first_keys) const;
  bool before(const RowRef& a, const RowRef& b) const {
    return a.first_key != b.first_key ? a.first_key < b.first_key : before_in_rest(a, b);
  }
  bool before_in_rest(const RowRef& a, const RowRef& b) const;
  Position position(const RowRef& row) const;
  void append_rows(std::size_t part, std::vector<RowRef>* rows) const;
  // Appends rows [begin, end) of a part.
  void append_rows(std::uint32_t part, std::uint32_t begin, std::uint32_t end,
                   std::vector<RowRef>* rows) const;
  Status sort_part(std::size_t number);
  Status sort_parts();
  // Does `work`, which polls, until the query must end. What it allocates is charged by itself.
  Status guarded(const std::function<Status()>& work) const;
  // Sorts rows by all keys. `ordered`: those with equal keys are in the order of the stream
  // already.
  void sort_rows(std::vector<RowRef>* rows, bool ordered) const;
  static void sort_by_number(std::span<RowRef> rows, RowRef* scratch,
                             std::uint64_t RowRef::*number);
  // Drops all rows but the first `limit` and puts those in order.
  Status compact();
  // Drops all rows but the first `limit`, without sorting: each stays where it is. Requires keys.
  Status drop_others();
  std::uint64_t last_first_key() const;
  // Notes the last of the first `limit` rows held.
  Status note_last(const RowRef& row);
  // Returns by part the rows that are among the first `limit`, and sets the threshold.
  Result<std::vector<std::vector<std::uint32_t>>> first_rows();
  Chunk gather(std::span<const RowRef> rows) const;
  // Drops rows that the last part made too many, and charges what stays.
  Status make_room();
  // Bytes to charge for a part.
  static std::size_t held_bytes(const Part& part);
  // Charge the last part, which is new, or all parts anew.
  Status charge_last();
  Status charge_all();

  // Merges some rows of every part. The next ones of each play a tournament: its tree holds who
  // lost at each place, so that the winner's successor plays once a level.
  class Merge {
   public:
    // Rows [begins[p], ends[p]) of each part p.
    Merge(const RowSorter& sorter, std::span<const std::uint32_t> begins,
          std::vector<std::uint32_t> ends);
    // Returns the next rows, `most` at most; fewer when there are no more.
    std::vector<RowRef> take(std::size_t most);
    // Whether all rows of a part were taken.
    bool used_up(std::uint32_t part) const { return ends_[part] == next_[part]; }

   private:
    static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

    RowRef next_head(std::uint32_t part);
    bool wins(std::uint32_t part, std::uint32_t other) const;
    void play(std::uint32_t part);
    std::size_t lead(std::size_t most) const;

    const RowSorter& sorter_;
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint32_t> next_;    // of each part, the row that is its head
    std::vector<RowRef> heads_;          // by part, if it is not used up
    std::vector<std::uint32_t> losers_;  // by node: 1 is the root, 2i and 2i+1 are below i
    std::uint32_t winner_ = kNobody;
    std::vector<std::vector<RowRef>> ahead_;  // by part, some of the heads to come
  };

  RowRef head(std::uint32_t part, std::uint32_t row) const;
  // Fills `out` with number `number` of the rows of a part from `begin` on.
  void fill_numbers(std::uint32_t part, std::size_t number, std::size_t begin,
                    std::span<std::uint64_t> out) const;
  std::vector<std::uint32_t> part_ends() const;
  std::uint32_t first_row_from(std::uint32_t part, const RowRef& bound) const;
  void let_go_of_part(std::uint32_t part);
  void return_freed();

  const std::vector<plan::SortKey> keys_;
  const std::size_t limit_;
  MemoryBudget* const budget_;
  const QueryControl* const control_;
  const std::string_view name_;
  MemoryLease lease_;
  std::vector<Type> key_types_;  // known with the first chunk
  std::vector<Part> parts_;
  // By key, part and slot, for the first two keys: the number of a text's rank. Empty where texts
  // are not ranked; else of all parts whose rows are compared.
  std::array<std::vector<std::vector<std::uint64_t>>, kNumbers> ranks_;
  bool splits_text_ = false;  // both numbers are of the first key
  // By key, for the first two: the length of the common prefix of texts that are not ranked.
  std::array<std::size_t, kNumbers> text_offsets_{};
  std::size_t rows_ = 0;
  std::uint64_t arrivals_ = 0;
  std::optional<std::uint64_t> threshold_;
  Chunk last_;                  // with a threshold: the one row that was last when it was set
  std::optional<Merge> merge_;  // in use by next()
  std::size_t rows_left_ = 0;   // to give back
  std::vector<std::vector<std::uint32_t>> cuts_;  // by stretch and part, its first row
  std::size_t freed_bytes_ = 0;  // of used-up parts, not returned to the system yet
};

}  // namespace evq
