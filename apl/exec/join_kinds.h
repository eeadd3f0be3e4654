#pragma once
// What kinds of join do with rows, for operators that look through one to what is below. Pure; any
// thread.

#include "apl/plan/plan.h"

namespace evq {

// Whether each row that comes out is made of one left row, and of that and its partners alone: left
// rows that nobody needs may then be left out.
inline bool passes_left_rows(plan::JoinKind kind) {
  switch (kind) {
    case plan::JoinKind::kInner:
    case plan::JoinKind::kInnerUnique:
    case plan::JoinKind::kLeftOuter:
    case plan::JoinKind::kLeftSemi:
    case plan::JoinKind::kLeftAnti:
      return true;
    case plan::JoinKind::kRightOuter:
    case plan::JoinKind::kFullOuter:
    case plan::JoinKind::kRightSemi:
    case plan::JoinKind::kRightAnti:
      break;
  }
  return false;
}

}  // namespace evq
