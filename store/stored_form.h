#pragma once
// StoredForm: an encoded block on its way into a dataset file: the row that will name it and the
// blobs that will be written. Made without any lock, inserted inside a write transaction, which
// gives it its id and, unless it carries ordinals of its own, the ordinals of its rows.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/base/result.h"
#include "store/base/seeded_text_hash.h"
#include "store/block/block_writer.h"
#include "store/catalog/dataset_file.h"
#include "store/column/table.h"

namespace evq {

struct StoredForm {
  BlockRow row;                 // id, state, sizes and checksums filled in when made or inserted
  bool keeps_ordinals = false;  // row's ordinals are set: rows that were stored before
  std::string header;           // of a sealed block
  std::vector<std::string> segments;
  std::vector<std::string> filters;
  std::string chunk;  // of a fresh one, instead of the three above
  std::vector<std::pair<std::string, std::uint32_t>> fields;  // name, types

  std::uint64_t size_bytes() const { return row.stored_bytes; }
  // An estimate of its memory, which is more than its blobs' when columns are many and short.
  std::uint64_t memory_bytes() const;
};

// Puts the block's columns in the order of leaf_filling_order(); `fields` keeps theirs.
StoredForm make_sealed(EncodedBlock block, std::uint64_t raw_bytes);
StoredForm make_fresh(const EncodedBlock& block, std::uint64_t raw_bytes);

// The set of types (FieldRow) that a field has by what the header says of its column in a block.
std::uint32_t types_of(const ColumnHeader& column, std::uint32_t rows);
// Whether the column's bounds show a long beyond kExactIntegerMax, where some are no doubles.
bool has_wide_longs(const ColumnHeader& column);

// The types of the values in dynamic columns, by field name: a dynamic column of scalars is a field
// of their types, not of arrays.
using FieldKinds = std::unordered_map<std::string, std::uint32_t, SeededTextHash>;
void add_kinds(const Table& rows, FieldKinds* kinds);
void note_kinds(const FieldKinds& kinds, StoredForm* form);

// Inserts the block, and sets `id`, when given, to the block's new id.
Status insert_form(DatasetWriter& writer, const StoredForm& form, std::uint64_t* id = nullptr);

}  // namespace evq
