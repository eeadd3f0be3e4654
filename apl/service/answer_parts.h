#pragma once
// What the tabular and the legacy response object have in common, as JSON text. Pure functions; any
// thread.

#include <cstddef>
#include <string>

#include "apl/service/request.h"

namespace evq {

// Pieces of an answer's text are about this long: as much as is written to a socket at once.
inline constexpr std::size_t kAnswerPieceBytes = std::size_t{64} * 1024;

// The status object.
std::string status_json(const QueryStatus& status, const std::vector<std::string>& warnings);
// "datasetNames":[…],"fieldsMetaMap":{…}
std::string dataset_members_json(const ResultHeader& header);

}  // namespace evq
