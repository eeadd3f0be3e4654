#include "apl/functions/text_form.h"

#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/timespan.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

bool is_null_at(const Values& values, std::size_t slot) {
  return values.is_null(slot) || (values.type() == Type::kDynamic &&
                                  DynamicView(values.data<std::string_view>()[slot]).is_null());
}

}  // namespace

void append_text_form(DynamicView value, std::string* out) {
  switch (value.tag()) {
    case DynamicTag::kNull:
      return;
    case DynamicTag::kFalse:
      out->append("false");
      return;
    case DynamicTag::kTrue:
      out->append("true");
      return;
    case DynamicTag::kLong:
      append_int(*out, value.as_integer());
      return;
    case DynamicTag::kReal:
      append_real(*out, value.as_real());
      return;
    case DynamicTag::kString:
      out->append(value.as_string());
      return;
    case DynamicTag::kDatetime:
      append_instant(*out, value.as_integer());
      return;
    case DynamicTag::kTimespan:
      append_duration(*out, value.as_integer());
      return;
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      append_json(value, out);
      return;
  }
}

void append_text_form(const Values& values, std::size_t slot, std::string* out) {
  if (values.is_null(slot)) {
    return;
  }
  switch (values.type()) {
    case Type::kNull:
      return;
    case Type::kBool:
      out->append(values.data<std::uint8_t>()[slot] != 0 ? "true" : "false");
      return;
    case Type::kLong:
      append_int(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kReal:
      append_real(*out, values.data<double>()[slot]);
      return;
    case Type::kString:
      out->append(values.data<std::string_view>()[slot]);
      return;
    case Type::kDatetime:
      append_instant(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kTimespan:
      append_duration(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kDynamic:
      append_text_form(DynamicView(values.data<std::string_view>()[slot]), out);
      return;
  }
}

std::optional<bool> bool_of_text(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) {
      return false;
    }
  }
  return std::nullopt;
}

Vector text_forms(const Vector& vector) {
  if (vector.type() == Type::kString) {
    return vector;
  }
  const Values& from = vector.values();
  auto to = Values::make(Type::kString, from.size());
  auto arena = std::make_shared<StringArena>();
  auto* data = to->mutable_data<std::string_view>();
  std::string text;
  bool points = false;  // some text lies in the vector's own bytes
  for (std::size_t slot = 0; slot < from.size(); ++slot) {
    if (from.type() == Type::kDynamic && !from.is_null(slot)) {
      const DynamicView value(from.data<std::string_view>()[slot]);
      if (value.is_string() && value.as_string().size() <= kStringValueBytesMax) {
        data[slot] = value.as_string();
        points = true;
        continue;
      }
    }
    text.clear();
    append_text_form(from, slot, &text);
    if (is_null_at(from, slot) || text.size() > kStringValueBytesMax) {
      to->set_null(slot);
    } else {
      data[slot] = arena->copy(text);
    }
  }
  to->add_owner(std::move(arena));
  if (points) {
    to->add_owners_of(from);
  }
  return vector.with_values(std::move(to));
}

}  // namespace evq
