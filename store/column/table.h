#pragma once
// Table: a schema and its columns, all of `rows` rows: what a batch of events becomes before it is
// encoded as a block, and what small results are collected into. Unlike a Chunk it names its
// columns and may be longer than one.

#include <cstddef>
#include <vector>

#include "store/column/schema.h"
#include "store/column/vector.h"

namespace evq {

struct Table {
  Schema schema;
  std::vector<Vector> columns;  // one a field of the schema
  std::size_t rows = 0;
};

}  // namespace evq
