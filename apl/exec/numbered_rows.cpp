#include "apl/exec/numbered_rows.h"

#include <string>

#include "store/base/told_number.h"

namespace evq {
namespace {

Error too_many(const std::string& what) {
  return make_error(ErrorCode::kLimit, "more than " + grouped_text(kNumberedRowsMax) + " " + what,
                    "filter earlier, or group by fewer values");
}

}  // namespace

Error too_many_rows(std::string_view operator_name) {
  return too_many("rows to hold at once in " + std::string(operator_name));
}

Error too_many_groups() {
  return too_many("groups");
}

Error too_many_chunks() {
  return make_error(ErrorCode::kLimit, "too many parts of the input to put in order",
                    "unite fewer inputs, or narrow the time range");
}

}  // namespace evq
