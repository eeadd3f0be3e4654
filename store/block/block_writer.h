#pragma once
// encode_block: the rows of a table become one sealed block: a header and, for every column, a
// segment and possibly a token filter (format.h). Pure functions: nothing is kept between calls and
// any number may run at once on different threads. The same table and effort give the same bytes.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/base/result.h"
#include "store/block/format.h"
#include "store/column/row_order.h"
#include "store/column/table.h"

namespace evq {

class ThreadPool;  // store/base/thread_pool.h

// How hard to compress: kPassing (not at all) what a merge soon takes from memory, kFresh (little)
// what is merged later, kIngest at the speed of the input; kCompact may take its time.
enum class Effort : std::uint8_t { kPassing, kFresh, kIngest, kCompact };

struct EncodedBlock {
  BlockHeader header;
  std::vector<std::string> segments;  // one a column, in header order
  std::vector<std::string> filters;   // the same; empty where a column has none
};

struct EncodedColumn {
  ColumnHeader header;
  std::string segment;
  std::string filter;
};

// The permutation that puts rows in ascending order of their `times`, equal times in their present
// order; empty when they already are. No time is null.
std::vector<std::uint32_t> time_order(const Vector& times);

// 1 to kBlockRowsMax rows with datetime columns `_time` and `_sysTime` without nulls, names
// distinct; anything else is kUsage. Rows are sorted by time here when they are not yet: a caller
// that must know the order sorts first. kTooLarge when a column's strings are over kBlockBytesMax.
// With a pool, columns are encoded by its threads and the calling one. A table that is moved here
// is let go of column by column.
Result<EncodedBlock> encode_block(Table table, Effort effort, ThreadPool* pool = nullptr);
// Gives column `i` of a table that is never there as a whole; called once for each column, by any
// thread.
using ColumnSource = std::function<Vector(std::size_t i)>;
// Like ColumnSource, with the column's rows in `order`.
using OrderedColumnSource = std::function<Vector(std::size_t i, const RowOrder& order)>;
// Encodes a table whose columns come from `source` and meet the conditions above. It asks for
// `_time` first, in its present order.
Result<EncodedBlock> encode_block(const Schema& schema, const OrderedColumnSource& source,
                                  Effort effort, ThreadPool* pool = nullptr);

// One column of a block by itself, for callers that spread the columns over threads; `times` as
// below.
Result<EncodedColumn> encode_column(const Field& field, const Vector& values, Effort effort,
                                    const Vector* times = nullptr);
// The columns of a table, which need not be all of a block's, on the pool's threads and this one,
// their rows in `order` (empty: as they are). Each is made and sorted just before and let go of
// right after it is encoded, so that no second copy of the table is ever there. `times`, when it is
// given, is the block's `_time`, sorted: columns that it tells refer to it (time_units.h).
Result<std::vector<EncodedColumn>> encode_columns(const Schema& schema, const ColumnSource& source,
                                                  const std::vector<std::uint32_t>& order,
                                                  Effort effort, ThreadPool* pool,
                                                  const Vector* times = nullptr);
Result<std::vector<EncodedColumn>> encode_columns(Table table,
                                                  const std::vector<std::uint32_t>& order,
                                                  Effort effort, ThreadPool* pool,
                                                  const Vector* times = nullptr);
// Puts columns that were encoded with their rows sorted by time together. kUsage without `_time`
// and `_sysTime`.
Result<EncodedBlock> assemble_block(std::size_t rows, std::vector<EncodedColumn> columns);

}  // namespace evq
