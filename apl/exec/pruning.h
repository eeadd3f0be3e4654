#pragma once
// Translates the filters of a scan into a BlockTest, so that blocks whose statistics or token
// filters exclude every row are never decoded. The translation is conservative: a conjunct it does
// not understand may match, and so does a column whose stored type could compare differently.
// Also: which blocks no range of a scan cuts.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apl/plan/plan.h"
#include "store/block/block_filter.h"
#include "store/snapshot.h"

namespace evq {

// Whether all rows of a block lie in a scan's arrivals and between these times, both included.
bool lies_inside(const SnapshotBlock& block, const plan::Scan& scan, std::int64_t time_min,
                 std::int64_t time_max);

// Makes a test that is true at least for every block with a row for which all filters of `scan` are
// true.
BlockTest block_test(const plan::Scan& scan);

// For a filter that searches columns: the scan's columns that only `search` reads, each with the
// terms (folded) of every search that reads it. A column whose block has none of these sets of
// terms may stand as null for the filter, unread. Most searches read all columns, which share their
// terms.
using SharedTerms = std::shared_ptr<const std::vector<std::string>>;
using SearchedColumns = std::map<std::size_t, std::vector<SharedTerms>>;
SearchedColumns searched_columns(const plan::Expr& filter);

}  // namespace evq
