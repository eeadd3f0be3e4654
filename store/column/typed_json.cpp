#include "store/column/typed_json.h"

#include <string_view>

#include "store/base/json_writer.h"
#include "store/base/number.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

void write_typed(DynamicView value, JsonWriter* json) {
  switch (value.tag()) {
    case DynamicTag::kReal:
      append_typed_real(value.as_real(), &json->raw());
      return;
    case DynamicTag::kArray:
      json->begin_array();
      for (DynamicView::Iterator each(value); each.next();) {
        write_typed(each.value(), json);
      }
      json->end_array();
      return;
    case DynamicTag::kBag:
      json->begin_object();
      for (DynamicView::Iterator each(value); each.next();) {
        json->key(each.key());
        write_typed(each.value(), json);
      }
      json->end_object();
      return;
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
    case DynamicTag::kLong:
    case DynamicTag::kString:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      append_json(value, &json->raw());
      return;
  }
}

}  // namespace

void append_typed_real(double value, std::string* out) {
  const std::size_t before = out->size();
  append_real_json(*out, value);
  // An exponent makes a real of it as well, and what is no number is null.
  if (std::string_view(*out).find_first_of(".en", before) == std::string_view::npos) {
    out->append(".0");
  }
}

void append_typed_json(DynamicView value, std::string* out) {
  JsonWriter json(*out);
  write_typed(value, &json);
}

}  // namespace evq
