#pragma once
// What kinds of join do with rows: the one place that tells them apart, for the operator, for those
// that look through it to what is below, and for passes. Pure; any thread.

#include "apl/plan/plan.h"

namespace evq::plan {

struct JoinTraits {
  // Whether the columns of the right side come out behind those of the left.
  bool emits_right = true;
  // Whether rows without a partner come out.
  bool keeps_unmatched_left = false;
  bool keeps_unmatched_right = false;
  // Whether right rows come out, or not, by having been matched, once all left rows are through.
  bool marks_right = false;
  // Whether a left row comes out with the first of its partners alone.
  bool first_partner_only = false;

  // Whether each row that comes out is made of one row of this side, and of that and its partners
  // alone: rows of the side that nobody needs may then be left out.
  constexpr bool passes_left_rows() const { return !marks_right; }
  constexpr bool passes_right_rows() const {
    return emits_right && !keeps_unmatched_left && !first_partner_only;
  }
};

constexpr JoinTraits join_traits(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
      break;
    case JoinKind::kInnerUnique:
      return {.first_partner_only = true};
    case JoinKind::kLeftOuter:
      return {.keeps_unmatched_left = true};
    case JoinKind::kRightOuter:
      return {.keeps_unmatched_right = true, .marks_right = true};
    case JoinKind::kFullOuter:
      return {.keeps_unmatched_left = true, .keeps_unmatched_right = true, .marks_right = true};
    case JoinKind::kLeftSemi:
      return {.emits_right = false};
    case JoinKind::kLeftAnti:
      return {.emits_right = false, .keeps_unmatched_left = true};
  }
  return {};
}

}  // namespace evq::plan
