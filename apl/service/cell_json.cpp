#include "apl/service/cell_json.h"

#include "apl/functions/text_form.h"
#include "store/base/json_writer.h"
#include "store/base/number.h"
#include "store/column/dynamic_json.h"
#include "store/column/typed_json.h"

namespace evq {
namespace {

void append_slot_json(std::string* out, const Values& values, std::size_t slot, WholeReals reals) {
  const bool pointed = reals == WholeReals::kPointed;
  if (values.is_null(slot)) {
    out->append("null");
    return;
  }
  switch (values.type()) {
    case Type::kNull:
      out->append("null");
      return;
    case Type::kReal:
      pointed ? append_typed_real(values.data<double>()[slot], out)
              : append_real_json(*out, values.data<double>()[slot]);
      return;
    case Type::kString:
      append_json_string(*out, values.data<std::string_view>()[slot]);
      return;
    case Type::kDynamic:
      pointed ? append_typed_json(DynamicView(values.data<std::string_view>()[slot]), out)
              : append_json(DynamicView(values.data<std::string_view>()[slot]), out);
      return;
    case Type::kDatetime:
    case Type::kTimespan:
      out->push_back('"');
      append_text_form(values, slot, out);
      out->push_back('"');
      return;
    case Type::kBool:
    case Type::kLong:
      append_text_form(values, slot, out);
      return;
  }
}

}  // namespace

CellRenderer::CellRenderer(const Vector& column, WholeReals reals, std::size_t kept_bytes_max)
    : column_(column), reals_(reals), room_bytes_(kept_bytes_max) {
  if (!column.is_flat() && column.values().size() <= column.size()) {
    rendered_.resize(column.values().size());
  }
}

void CellRenderer::append(std::string* out, std::size_t row) {
  const std::size_t slot = column_.slot(row);
  if (rendered_.empty()) {
    append_slot_json(out, column_.values(), slot, reals_);
    return;
  }
  std::string& text = rendered_[slot];
  if (!text.empty()) {
    out->append(text);
    return;
  }
  const std::size_t begin = out->size();
  append_slot_json(out, column_.values(), slot, reals_);
  const std::size_t bytes = out->size() - begin;
  if (bytes <= room_bytes_) {
    text.assign(*out, begin);
    room_bytes_ -= bytes;
  }
}

std::vector<CellRenderer> cell_renderers(const Chunk& rows, WholeReals reals) {
  std::vector<CellRenderer> made;
  made.reserve(rows.column_count());
  for (const Vector& column : rows.columns()) {
    made.emplace_back(column, reals, kRenderedBytesMax / rows.column_count());
  }
  return made;
}

void append_cell_json(std::string* out, const Vector& column, std::size_t row) {
  append_slot_json(out, column.values(), column.slot(row), WholeReals::kShort);
}

}  // namespace evq
