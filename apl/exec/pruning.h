#pragma once
// Translates the filters of a scan into a BlockTest, so that blocks whose statistics or token
// filters exclude every row are never decoded. The translation is conservative: a conjunct it does
// not understand may match, and so does a column whose stored type could compare differently.

#include <span>
#include <vector>

#include "apl/plan/plan.h"
#include "store/block/block_filter.h"

namespace evq {

// True at least for every block that holds a row for which all of `filters` are true.
BlockTest block_test(const plan::Scan& scan);

}  // namespace evq
