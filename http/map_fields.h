#pragma once
// Changes of a dataset's map fields, shared by the API and `evq dataset map-field`. They change the
// definition at hand; the caller keeps it.

#include <string>

#include "store/base/result.h"
#include "store/definitions.h"

namespace evq {

// kUsage for a name that no map field can have.
Status check_map_field(const std::string& name);
// kUsage, or kConflict when it is one already.
Status add_map_field(DatasetDefinition* dataset, const std::string& name);
// kNotFound.
Status remove_map_field(DatasetDefinition* dataset, const std::string& name);

}  // namespace evq
