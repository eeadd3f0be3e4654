#include "http/map_fields.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "store/base/limits.h"
#include "store/block/format.h"
#include "store/ingest/event_rules.h"

namespace evq {
namespace {

Status check_map_field(const std::string& name) {
  return check_declared_field(name, "a map field");
}

Status check_count(std::size_t count) {
  return count <= kMapFieldsMax
             ? Status::success()
             : Status(make_error(
                   ErrorCode::kUsage,
                   "a dataset has at most " + std::to_string(kMapFieldsMax) + " map fields"));
}

}  // namespace

Status check_declared_field(const std::string& name, const std::string& what) {
  if (name == kTimeField || stored_field_name(name) != name) {
    return make_error(ErrorCode::kUsage,
                      "'" + name + "' cannot be " + what + ": the name is evq's own");
  }
  if (name.size() > kFieldNameBytesMax) {
    return make_error(
        ErrorCode::kUsage,
        "a name of more than " + std::to_string(kFieldNameBytesMax) + " bytes cannot be " + what);
  }
  if (name.empty() || (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))) {
    return make_error(ErrorCode::kUsage, "'" + name + "' cannot be " + what);
  }
  return Status::success();
}

Status set_map_fields(DatasetDefinition* dataset, const std::vector<std::string>& names) {
  EVQ_TRY(check_count(names.size()));
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    EVQ_TRY(check_map_field(name));
    if (!seen.insert(name).second) {
      return make_error(ErrorCode::kUsage, "map field '" + name + "' is there twice");
    }
  }
  dataset->map_fields = names;
  return Status::success();
}

Status add_map_field(DatasetDefinition* dataset, const std::string& name) {
  EVQ_TRY(check_map_field(name));
  if (std::ranges::find(dataset->map_fields, name) != dataset->map_fields.end()) {
    return make_error(ErrorCode::kConflict, "map field '" + name + "' exists already");
  }
  EVQ_TRY(check_count(dataset->map_fields.size() + 1));
  dataset->map_fields.push_back(name);
  return Status::success();
}

Status remove_map_field(DatasetDefinition* dataset, const std::string& name) {
  return std::erase(dataset->map_fields, name) != 0
             ? Status::success()
             : Status(make_error(ErrorCode::kNotFound, "map field '" + name + "' not found"));
}

}  // namespace evq
