#include "store/stored_form.h"

#include "store/base/checksum.h"
#include "store/base/number.h"
#include "store/column/dynamic_kinds.h"
#include "store/mini_block.h"
#include "store/segment_layout.h"

namespace evq {

namespace {

// Everything but the blobs.
StoredForm form_of(const BlockHeader& header, std::uint64_t raw_bytes) {
  StoredForm form;
  form.row.rows = header.rows;
  form.row.min_time = header.min_time;
  form.row.max_time = header.max_time;
  form.row.min_sys_time = header.min_sys_time;
  form.row.max_sys_time = header.max_sys_time;
  form.row.raw_bytes = raw_bytes;
  form.row.segments = static_cast<std::uint32_t>(header.columns.size());
  form.fields.reserve(header.columns.size());
  for (const ColumnHeader& column : header.columns) {
    form.fields.emplace_back(column.name, types_of(column, header.rows));
  }
  return form;
}

Status insert_sealed(DatasetWriter& writer, const StoredForm& form, std::uint64_t id) {
  EVQ_TRY(writer.insert_blob(BlobTable::kHeaders, {id, form.header}));
  for (std::size_t column = 0; column < form.segments.size(); ++column) {
    EVQ_TRY(
        writer.insert_blob(BlobTable::kSegments, {segment_id(id, column), form.segments[column]}));
    if (!form.filters[column].empty()) {
      EVQ_TRY(
          writer.insert_blob(BlobTable::kFilters, {segment_id(id, column), form.filters[column]}));
    }
  }
  return {};
}

}  // namespace

std::uint32_t types_of(const ColumnHeader& column, std::uint32_t rows) {
  const Type type = column.nulls == rows ? Type::kNull : column.type;
  return type_bit(type) | (has_wide_longs(column) ? kWideLongs : 0U);
}

std::uint64_t StoredForm::memory_bytes() const {
  std::uint64_t bytes = size_bytes() + (segments.size() + filters.size()) * sizeof(std::string);
  for (const auto& field : fields) {
    bytes += sizeof(field) + field.first.capacity();
  }
  return bytes;
}

StoredForm make_sealed(EncodedBlock block, std::uint64_t raw_bytes) {
  StoredForm form = form_of(block.header, raw_bytes);
  form.row.state = BlockState::kStored;
  std::vector<ColumnHeader> columns;
  columns.reserve(block.segments.size());
  form.segments.reserve(block.segments.size());
  form.filters.reserve(block.segments.size());
  for (const std::size_t column : leaf_filling_order(block.segments)) {
    columns.push_back(std::move(block.header.columns[column]));
    form.segments.push_back(std::move(block.segments[column]));
    form.filters.push_back(std::move(block.filters[column]));
  }
  block.header.columns = std::move(columns);
  form.header = encode_header(block.header);
  form.row.stored_bytes = block.header.stored_bytes() + form.header.size();
  return form;
}

StoredForm make_fresh(const EncodedBlock& block, std::uint64_t raw_bytes) {
  StoredForm form = form_of(block.header, raw_bytes);
  form.row.state = BlockState::kFresh;
  form.chunk = encode_mini_block(block);
  form.row.stored_bytes = form.chunk.size();
  return form;
}

bool has_wide_longs(const ColumnHeader& column) {
  return column.type == Type::kLong && !column.least.is_null() &&
         !(is_exact_as_real(column.least.as_integer()) &&
           is_exact_as_real(column.greatest.as_integer()));
}

void add_kinds(const Table& rows, FieldKinds* kinds) {
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    if (rows.schema[i].type == Type::kDynamic) {
      (*kinds)[rows.schema[i].name] |= dynamic_kinds(rows.columns[i]);
    }
  }
}

void note_kinds(const FieldKinds& kinds, StoredForm* form) {
  for (auto& [name, types] : form->fields) {
    const auto known = kinds.find(name);
    // The types together must still say that the values are kept as dynamic.
    if (types == type_bit(Type::kDynamic) && known != kinds.end() &&
        type_of_set(known->second) == Type::kDynamic) {
      types = known->second;
    }
  }
}

Status insert_form(DatasetWriter& writer, const StoredForm& form, std::uint64_t* id) {
  BlockRow row = form.row;
  row.id = writer.take_block_id();
  if (id != nullptr) {
    *id = row.id;
  }
  if (!form.keeps_ordinals) {
    row.first_ordinal = writer.take_ordinals(row.rows);
    row.ordinal_end = row.first_ordinal + row.rows;
  }
  const bool fresh = row.state == BlockState::kFresh;
  const std::string_view chunk = form.chunk;
  row.payload_sum = checksum64(
      fresh ? chunk.substr(0, mini_block_summed_bytes(chunk, chunk.size())) : form.header, row.id);
  for (const auto& [name, types] : form.fields) {
    // Fields of rows that were stored before are known, and more exactly than a block's header can
    // tell: it calls a column of several scalar types dynamic.
    const bool known = form.keeps_ordinals && types == type_bit(Type::kDynamic);
    EVQ_TRY(writer.note_field(name, known ? 0U : types));
  }
  EVQ_TRY(writer.insert_block(row));
  if (fresh) {
    return writer.insert_blob(BlobTable::kChunks, {row.id, form.chunk});
  }
  return insert_sealed(writer, form, row.id);
}

}  // namespace evq
