#pragma once
// What the tabular and the legacy response object have in common, as JSON text. Pure functions; any
// thread.

#include <cstddef>
#include <cstdint>
#include <string>

#include "apl/service/request.h"

namespace evq {

// Pieces of an answer's text are about this long: as much as is written to a socket at once.
inline constexpr std::size_t kAnswerPieceBytes = std::size_t{64} * 1024;

// The status object.
std::string status_json(const QueryStatus& status, const std::vector<std::string>& warnings);
// What the values of a dynamic column are, from the dynamic_kinds of its vectors, as clients name
// types: "integer|string" for several; "array" stands for lists and objects, and for nothing but
// nulls.
std::string dynamic_type_text(std::uint32_t kinds);
// "datasetNames":[…],"fieldsMetaMap":{…}
std::string dataset_members_json(const ResultHeader& header);

}  // namespace evq
