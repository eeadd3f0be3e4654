#include "apl/service/known_tables.h"

#include <utility>

#include "store/base/control.h"

namespace evq {

void KnownTables::expire() {
  const std::int64_t now = monotonic_now_ns();
  if (now - filled_ns_ > source_.believed_for_ns()) {
    tables_.clear();
    names_.reset();
    filled_ns_ = now;
  }
  failure_.clear();
}

Result<plan::TableInfo> KnownTables::table(std::string_view name) {
  if (const auto found = tables_.find(name); found != tables_.end()) {
    return found->second;
  }
  Result<CompletionTable> found = source_.table(std::string(name));
  if (!found.ok()) {
    const bool missing = found.error().code == ErrorCode::kNotFound;
    note_failure(found.error(), missing ? "no dataset '" + std::string(name) + "'" : "");
    return found.error();
  }
  plan::TableInfo info;
  info.ref.name = name;
  info.schema = found->schema;
  info.map_fields = std::move(found->map_fields);
  for (auto& [field, expression] : found->virtual_fields) {
    info.virtual_fields.push_back({std::move(field), std::move(expression)});
  }
  return tables_.emplace(name, std::move(info)).first->second;
}

Result<std::vector<std::string>> KnownTables::table_names() {
  if (!names_.has_value()) {
    auto names = source_.dataset_names();
    if (!names.ok()) {
      note_failure(names.error(), "");
      return names;
    }
    names_ = std::move(names).value();
  }
  return *names_;
}

Result<plan::LocationBounds> KnownTables::locate(const plan::TableRef& /*table*/,
                                                 std::int64_t /*time*/, std::uint64_t /*ordinal*/) {
  return make_error(ErrorCode::kUnsupported, "completion reads no rows");
}

void KnownTables::note_failure(const Error& error, const std::string& words) {
  if (failure_.empty()) {  // the first is what the others come from
    failure_ = error.code == ErrorCode::kServer ? "the server does not answer"
               : words.empty()                  ? error.message
                                                : words;
  }
}

}  // namespace evq
