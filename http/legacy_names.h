#pragma once
// What the fields and columns of an older query are called: an alias of `project` stands for its
// field, and aggregations that share a name have columns of names of their own. Made once for a
// query, which must outlive it and stay as it is; what is asked then costs the same however many
// names there are. Reading is safe from any thread.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "http/legacy_query.h"

namespace evq {

class LegacyNames {
 public:
  explicit LegacyNames(const LegacyQuery& query);
  LegacyNames(const LegacyNames&) = delete;
  LegacyNames& operator=(const LegacyNames&) = delete;

  // The field that a name stands for: its own unless it is an alias. Lives as long as what was
  // given and the query.
  std::string_view field_of(std::string_view name) const;
  // APL that reads a field, which is no alias: a dotted name is a path, as a.b is in a query, so
  // that it may lead into a map.
  std::string path_to(std::string_view field) const;
  // The map field of the dataset that a field's name is below of; null without one.
  const std::string* map_above(std::string_view field) const;
  // Whether the dataset has fields below one, n.x of n; not where a virtual field has the name.
  bool is_object(std::string_view field) const;
  // The column of an aggregation: its alias or its operator in capitals, with a number where a
  // group or an aggregation before it is called so.
  const std::string& column_of(std::size_t aggregation) const { return columns_[aggregation]; }
  // The names of aggregations by those of their columns, where these differ.
  std::map<std::string, std::string, std::less<>> renamed_columns() const;
  // What an order's field is called in the answer: a group or an aggregation by its name, else the
  // group or the first aggregation of that field, or the first with that operator.
  std::string_view name_of_ordered(std::string_view field) const;

 private:
  void name_columns(const LegacyQuery& query);

  const LegacyQuery& query_;
  std::unordered_map<std::string_view, std::string_view> fields_;  // by alias
  std::vector<std::string> names_;                                 // of the aggregations
  std::vector<std::string> columns_;                               // of the same
  std::unordered_set<std::string_view> answered_;                  // groups and `names_`
  std::unordered_map<std::string_view, std::string_view> groups_;  // the first by its field
  // The names of the first aggregations of a field and with an operator.
  std::unordered_map<std::string_view, std::string_view> names_by_field_;
  std::unordered_map<std::string_view, std::string_view> names_by_operator_;
};

}  // namespace evq
