#include "http/map_fields.h"

#include <algorithm>

#include "store/base/limits.h"

namespace evq {

Status check_map_field(const std::string& name) {
  if (name.empty() || name.size() > kFieldNameBytesMax ||
      (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))) {
    return make_error(ErrorCode::kUsage, "'" + name + "' cannot be a map field");
  }
  return Status::success();
}

Status add_map_field(DatasetDefinition* dataset, const std::string& name) {
  EVQ_TRY(check_map_field(name));
  if (std::ranges::find(dataset->map_fields, name) != dataset->map_fields.end()) {
    return make_error(ErrorCode::kConflict, "map field '" + name + "' exists already");
  }
  dataset->map_fields.push_back(name);
  return Status::success();
}

Status remove_map_field(DatasetDefinition* dataset, const std::string& name) {
  return std::erase(dataset->map_fields, name) != 0
             ? Status::success()
             : Status(make_error(ErrorCode::kNotFound, "map field '" + name + "' not found"));
}

}  // namespace evq
