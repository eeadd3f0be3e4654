#pragma once
// Relation: a pipeline as far as it is bound, the node that gives its rows and what is known about
// them. A value that the Binder hands from operator to operator; it owns its nodes.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/plan/plan.h"
#include "apl/plan/table_source.h"

namespace evq::plan {

// The known properties of a relation's rows.
struct RelationTraits {
  std::string name;    // of the dataset it reads, for messages; empty once computed
  std::string source;  // name of its let, for the column that tells tables apart
  // Map fields of the dataset, as long as rows are its events; else those that are still columns.
  std::vector<std::string> map_fields;
  std::vector<VirtualField> virtual_fields;       // of the dataset, as long as its rows are events
  std::set<std::string, std::less<>> wide_longs;  // columns that are such fields of the dataset
  // Whether rows have an explicit order (sort, top, …). Else, with hidden columns: natural order.
  bool ordered = false;
  bool sorted = false;      // by keys that the query names
  bool serialized = false;  // window functions may be used
  bool aggregated = false;
  std::vector<std::string> group_names;  // of a summarize, as far as they are still columns
  std::optional<std::int64_t> bin_ns;    // the width of a group that is a time bin
  std::int64_t bin_origin_ns = 0;        // where one of its bins begins
  std::string bin_name;                  // the name of that group's column
  bool just_summarized = false;          // the rows are a summarize's own, nothing came after it
  // The order of the rows, as far as it is known: columns, and other keys as written.
  std::vector<std::pair<std::string, bool>> order;
  std::optional<std::uint64_t> limit;
  // The aggregate that made a column, by visible column name.
  std::map<std::string, Plan::ColumnOrigin, std::less<>> origins;

  // Numbers of the columns that the query made and that paths may lead into or to, by name: 1 and
  // up, the later the greater.
  std::map<std::string, std::uint32_t, std::less<>> made;
  // Maps, and bags that the query made, of those tables of a union for which others have a field of
  // their own for each key: a row without the bag is read by those fields.
  std::set<std::string, std::less<>> mixed_bags;

  // Returns the number of a column in `made`; 0 for a field of the events.
  std::uint32_t made_at(std::string_view column) const {
    const auto at = made.find(column);
    return at != made.end() ? at->second : 0;
  }
  // Finds the longest map that `field` would be below; null when there is none.
  const std::string* map_of(std::string_view field) const {
    const std::string* longest = nullptr;
    for (const std::string& map : map_fields) {
      if (field.size() > map.size() && field.starts_with(map) && field[map.size()] == '.' &&
          (longest == nullptr || map.size() > longest->size())) {
        longest = &map;
      }
    }
    return longest;
  }
  // Whether `field` exists though it is no column: a virtual field, or a map that no event has.
  bool knows(std::string_view field) const {
    return std::ranges::find(map_fields, field) != map_fields.end() ||
           std::ranges::find(virtual_fields, field, &VirtualField::name) != virtual_fields.end();
  }
  // Copies what is known of fields: the rows are still those events, whatever else is in them.
  void take_fields(const RelationTraits& events) {
    name = events.name;
    source = events.source;
    virtual_fields = events.virtual_fields;
    take_paths(events);
  }
  // Copies what is known of paths: the columns are still those of `rows`.
  void take_paths(const RelationTraits& rows) {
    map_fields = rows.map_fields;
    made = rows.made;
    mixed_bags = rows.mixed_bags;
    wide_longs = rows.wide_longs;
  }
};

struct Relation : RelationTraits {
  NodePtr node;

  const RelationTraits& traits() const { return *this; }
  const Schema& schema() const { return node->schema; }
  // Returns the position of a hidden column; the stream is natural when both exist.
  std::optional<std::size_t> time_column() const { return node->schema.find(kTimeColumn); }
  std::optional<std::size_t> row_column() const { return node->schema.find(kRowColumn); }
  bool natural() const { return time_column().has_value() && row_column().has_value(); }
  bool begins_with_bin() const {
    return bin_ns.has_value() && schema().size() > 0 && schema()[0].name == bin_name;
  }
};

// Reads the rows of `plan`, which are computed once; `traits` are those of the relation it was made
// of.
inline Relation read_shared(std::shared_ptr<const Node> plan, const RelationTraits& traits) {
  Relation relation{traits, nullptr};
  Schema schema = plan->schema;
  relation.node = make_node(Shared{std::move(plan)}, {}, std::move(schema));
  return relation;
}

}  // namespace evq::plan
