#include "store/column/value.h"

#include <utility>

#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/timespan.h"
#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"

namespace evq {

Value Value::null(Type type) {
  Value value;
  value.type_ = type;
  return value;
}

Value Value::boolean(bool flag) {
  Value value = null(Type::kBool);
  value.null_ = false;
  value.number_.integer = flag ? 1 : 0;
  return value;
}

Value Value::integer(std::int64_t number) {
  Value value = null(Type::kLong);
  value.null_ = false;
  value.number_.integer = number;
  return value;
}

Value Value::real(double number) {
  Value value = null(Type::kReal);
  value.null_ = false;
  value.number_.real = number;
  return value;
}

Value Value::string(std::string text) {
  Value value = null(Type::kString);
  value.null_ = false;
  value.text_ = std::move(text);
  return value;
}

Value Value::datetime(std::int64_t nanoseconds) {
  Value value = null(Type::kDatetime);
  value.null_ = false;
  value.number_.integer = nanoseconds;
  return value;
}

Value Value::timespan(std::int64_t nanoseconds) {
  Value value = null(Type::kTimespan);
  value.null_ = false;
  value.number_.integer = nanoseconds;
  return value;
}

Value Value::dynamic(std::string bytes) {
  Value value = null(Type::kDynamic);
  if (!DynamicView(bytes).is_null()) {
    value.null_ = false;
    value.text_ = std::move(bytes);
  }
  return value;
}

bool operator==(const Value& a, const Value& b) {
  if (a.type_ != b.type_ || a.null_ != b.null_) {
    return false;
  }
  if (a.null_) {
    return true;
  }
  switch (physical_of(a.type_)) {
    case Physical::kNone:
      return true;
    case Physical::kByte:
    case Physical::kInt64:
      return a.number_.integer == b.number_.integer;
    case Physical::kDouble:
      return compare_reals(a.number_.real, b.number_.real) == 0;
    case Physical::kView:
      return a.type_ == Type::kDynamic
                 ? compare_dynamic(DynamicView(a.text_), DynamicView(b.text_)) == 0
                 : a.text_ == b.text_;
  }
  return false;
}

std::string Value::to_text() const {
  if (null_) {
    return "null";
  }
  std::string out;
  switch (type_) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return as_bool() ? "true" : "false";
    case Type::kLong:
      append_int(out, as_integer());
      return out;
    case Type::kReal:
      append_real(out, as_real());
      return out;
    case Type::kString:
      return text_;
    case Type::kDatetime:
      return instant_text(as_integer());
    case Type::kTimespan:
      return duration_text(as_integer());
    case Type::kDynamic:
      return json_from_dynamic(DynamicView(text_));
  }
  return out;
}

}  // namespace evq
