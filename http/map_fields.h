#pragma once
// Names that are given to fields of a dataset which its events need not have, and changes of its
// map fields, shared by the API and `evq dataset map-field`. They change the
// definition at hand; the caller keeps it.

#include <string>
#include <vector>

#include "store/base/result.h"
#include "store/definitions.h"

namespace evq {

// kUsage for a name that no such field can have, which is called `what`, as "a map field": events
// have no field of a reserved name.
Status check_declared_field(const std::string& name, const std::string& what);
// kUsage for a name that no map field can have or that comes twice, and past kMapFieldsMax.
Status set_map_fields(DatasetDefinition* dataset, const std::vector<std::string>& names);
// kUsage for such a name and past kMapFieldsMax; kConflict when it is one already.
Status add_map_field(DatasetDefinition* dataset, const std::string& name);
// kNotFound.
Status remove_map_field(DatasetDefinition* dataset, const std::string& name);

}  // namespace evq
