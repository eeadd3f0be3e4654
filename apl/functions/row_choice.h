#pragma once
// RowChoice: arg_max and arg_min that note the places of rows instead of their fields, which are
// read when the rows are known: however many fields and groups there are, a group takes two words.
//
// Arguments: the value, and a long that is the row's place. Results: the value of the chosen row,
// and its place. Rows whose values are equal are all kept: what tells them apart are their fields,
// so that whoever can read those asks for ties() and chooses. One thread at a time, as any state;
// settled ones may be merged from by several.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/functions/aggregate_function.h"
#include "store/base/large_pages.h"

namespace evq {

class RowChoice final : public AggregateState {
 public:
  struct Tied {
    std::uint32_t group;
    std::int64_t row;
  };

  RowChoice(Type value, int sign) : type_(value), sign_(sign) {}

  void resize(std::size_t groups) override;
  void add(const EvalContext& context, std::span<const Vector> args, const std::uint32_t* groups,
           std::size_t rows) override;
  void settle() override;
  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override;
  std::vector<Vector> finish(const EvalContext& context, std::size_t begin,
                             std::size_t count) const override;
  std::size_t size_bytes() const override;

  // Returns the rows with the best value of the groups that have several such, by group.
  std::vector<Tied> ties();
  // Makes `row`, one of ties(), the chosen row of its group.
  void choose(const Tied& row);

 private:
  // A row and its value as a number that is larger the better the value is. A row whose value is
  // null or NaN has 0, and is behind every other.
  struct Row {
    std::uint64_t number = 0;
    std::int64_t tagged = kNone;  // its place, and whether the value is missing
  };
  struct Equal {
    std::uint32_t group;
    Row row;
  };
  static constexpr std::int64_t kNone = -1;
  static constexpr std::int64_t kMissing = std::int64_t{1} << 62U;

  static bool is_tie(const Row& a, const Row& b) {
    return a.number == b.number && ((a.tagged ^ b.tagged) & kMissing) == 0;
  }
  template <class T>
  void add_values(const Vector& values, const Vector& places, const std::uint32_t* groups,
                  std::size_t rows);
  template <class T>
  std::uint64_t number_of(T value) const;
  void offer(std::size_t group, const Row& row) {
    Row& best = best_[group];
    if (row.number > best.number) {
      best = row;
    } else if (row.number == best.number) {
      offer_equal(group, row);
    }
  }
  void offer_equal(std::size_t group, const Row& row);
  void drop_beaten();
  std::int64_t value_of(const Row& row) const;

  const Type type_;
  const int sign_;
  LargeVector<Row> best_;     // by group
  std::vector<Equal> equal_;  // further rows tied with those; some may be beaten by now
  std::size_t equal_max_ = 0;
};

// Whether values of the type can be mapped to such numbers.
bool has_row_choice(Type value);
// Binds the aggregate of the largest values (sign 1) or the smallest (-1).
BoundAggregateCall row_choice_call(Type value, int sign);

}  // namespace evq
