#pragma once
// TableSource: through it binding sees what tables exist and what columns they have, without
// knowing where they are stored. The executor resolves a TableRef with the same object's kin.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/column/schema.h"

namespace evq {
struct EvalContext;  // apl/functions/function.h
}  // namespace evq

namespace evq::plan {

// A dataset as a plan names it: a name and the source's own handle for it.
struct TableRef {
  std::string name;
  std::uint64_t handle = 0;
};

// A field that is an expression over the others, computed where a query names it.
struct VirtualField {
  std::string name;
  std::string expression;  // as text; none: its values are a column (virtual_columns.h)
};

struct TableInfo {
  TableRef ref;
  Schema schema;  // _sysTime, _time, then fields by name
  // Fields whose subtree is one dynamic value, in events since they were declared; older ones, and
  // events of none, may lack the field.
  std::vector<std::string> map_fields;
  std::vector<VirtualField> virtual_fields;
  std::vector<std::string> wide_longs;  // fields of longs of which some may be no reals
  std::vector<std::string> warnings;    // about data left out; given when first named
};

// The bounds at which a row id cuts the rows of its time: such a row has a lower ordinal exactly
// when its location is below `lower`, and a higher one exactly when it is at least `upper`.
struct LocationBounds {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};

class TableSource {
 public:
  virtual ~TableSource() = default;
  // kNotFound when there is no such dataset.
  virtual Result<TableInfo> table(std::string_view name) = 0;
  // Sets whether data that is damaged, within the context's range, is left out, with a warning, of
  // tables that are named for the first time from now on.
  virtual void leave_out_damage(const EvalContext& /*context*/, bool /*on*/) {}
  // Returns all dataset names, for wildcards and suggestions, in byte order. kCorrupt when not all
  // can be told.
  virtual Result<std::vector<std::string>> table_names() = 0;
  // Finds a row id among the rows of its time, for cursors. `table` comes from table().
  virtual Result<LocationBounds> locate(const TableRef& table, std::int64_t time,
                                        std::uint64_t ordinal) = 0;
};

}  // namespace evq::plan
