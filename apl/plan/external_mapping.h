#pragma once
// The ingestionMapping of an externaldata operator: a JSON text such as
// [{"Column": "a", "Properties": {"Path": "$.b"}}], as Kusto has it for JSON and for records.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/plan/bind.h"
#include "store/base/error.h"

namespace evq::plan {

// Reads where the value of each of `columns` is, nullopt for those without a mapping. kCompile with
// `span` where it is no mapping, names other columns, or asks for a transformation.
Result<std::vector<std::optional<ExternalPlace>>> read_external_mapping(
    std::string_view text, const std::vector<std::string>& columns, Span span);

}  // namespace evq::plan
