#include "http/legacy_names.h"

#include <algorithm>
#include <span>
#include <utility>

#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/column/field_path.h"
#include "store/column/unique_names.h"

namespace evq {
namespace {

std::string aggregation_name(const LegacyAggregation& aggregation) {
  std::string name = aggregation.alias;
  if (name.empty()) {
    name = aggregation.op;
    for (char& c : name) {
      c = to_upper(c);
    }
  }
  return name;
}

std::string accesses(std::span<const std::string> keys) {
  std::string text;
  for (const std::string& key : keys) {
    text += syntax::is_plain_name(key) ? "." + key : syntax::bracket_name(key);
  }
  return text;
}

// Whether there are several keys, each of something, and no more than an event is deep.
bool is_path(std::span<const std::string> keys) {
  return keys.size() > 1 && keys.size() <= kJsonDepthMax &&
         std::ranges::none_of(keys, [](const std::string& key) { return key.empty(); });
}

}  // namespace

LegacyNames::LegacyNames(const LegacyQuery& query) : query_(query) {
  for (const auto& [field, alias] : query.project) {
    if (!alias.empty()) {
      fields_.emplace(alias, field);
    }
  }
  for (const std::string& group : query.group_by) {
    answered_.insert(group);
    groups_.emplace(field_of(group), group);
  }
  names_.reserve(query.aggregations.size());
  for (const LegacyAggregation& aggregation : query.aggregations) {
    const std::string& name = names_.emplace_back(aggregation_name(aggregation));
    names_by_field_.emplace(field_of(aggregation.field), name);
    names_by_operator_.emplace(aggregation.op, name);
  }
  name_columns(query);
  answered_.insert(names_.begin(), names_.end());
}

// The first aggregation of a name has it, unless a group does. A number gives no name that any
// aggregation has by itself.
void LegacyNames::name_columns(const LegacyQuery& query) {
  UniqueNames given;
  for (const std::vector<std::string>* names : {&query.group_by, &std::as_const(names_)}) {
    for (const std::string& name : *names) {
      given.note(name);
    }
  }
  std::unordered_set<std::string_view> had = answered_;
  columns_.reserve(names_.size());
  for (const std::string& name : names_) {
    columns_.push_back(had.insert(name).second ? name : given.take_numbered(name, " ", 2));
  }
}

std::string_view LegacyNames::field_of(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? name : found->second;
}

const std::string* LegacyNames::map_above(std::string_view field) const {
  const std::string* found = nullptr;
  for (const std::string& map : query_.maps) {
    if (field.size() > map.size() + 1 && field.starts_with(map) && field[map.size()] == '.' &&
        (found == nullptr || found->size() < map.size())) {
      found = &map;
    }
  }
  return found;
}

bool LegacyNames::is_object(std::string_view field) const {
  if (std::ranges::any_of(query_.virtual_fields,
                          [&](const auto& made) { return made.first == field; })) {
    return false;
  }
  const std::string above = std::string(field) + ".";
  const auto below = std::ranges::lower_bound(query_.fields, above);
  return below != query_.fields.end() && below->starts_with(above);
}

// In a map a.b may be one key, or b inside of a: the name alone does not tell.
std::string LegacyNames::path_to(std::string_view field) const {
  const std::string* map = map_above(field);
  if (map == nullptr) {
    const std::vector<std::string> keys = split_field_name(field);
    return is_path(keys) ? syntax::bracket_name(keys[0]) + accesses(std::span(keys).subspan(1))
                         : syntax::bracket_name(field);
  }
  const std::string bag = syntax::bracket_name(*map);
  const std::string_view below = field.substr(map->size() + 1);
  const std::vector<std::string> keys = split_field_name(below);
  if (keys.size() == 1) {
    return bag + accesses(keys);
  }
  const std::string whole = bag + syntax::bracket_name(below);
  return is_path(keys) ? "coalesce(" + whole + ", " + bag + accesses(keys) + ")" : whole;
}

std::map<std::string, std::string, std::less<>> LegacyNames::renamed_columns() const {
  std::map<std::string, std::string, std::less<>> renamed;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (columns_[i] != names_[i]) {
      renamed.emplace(columns_[i], names_[i]);
    }
  }
  return renamed;
}

std::string_view LegacyNames::name_of_ordered(std::string_view field) const {
  if (answered_.contains(field)) {
    return field;
  }
  const std::string_view meant = field_of(field);
  if (const auto group = groups_.find(meant); group != groups_.end()) {
    return group->second;
  }
  if (const auto found = names_by_field_.find(meant); found != names_by_field_.end()) {
    return found->second;
  }
  const auto found = names_by_operator_.find(field);
  return found == names_by_operator_.end() ? meant : found->second;
}

}  // namespace evq
