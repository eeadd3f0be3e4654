#pragma once
// What the tabular and the legacy response object have in common, as JSON text. Pure functions; any
// thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apl/service/request.h"

namespace evq {

class JsonWriter;

// Pieces of an answer's text are about this long: as much as is written to a socket at once.
inline constexpr std::size_t kAnswerPieceBytes = std::size_t{64} * 1024;

// The first and the last instant of the window that was asked for; where that is open, of the
// events.
std::pair<std::int64_t, std::int64_t> answer_range(const ResultHeader& header,
                                                   const QueryStatus& status);
// The status object.
std::string status_json(const QueryStatus& status, const std::vector<std::string>& warnings);
// What the values of a dynamic column are, from the dynamic_kinds of its vectors, as clients name
// types: "integer|string" for several; "array" stands for lists and objects, and for nothing but
// nulls.
std::string dynamic_type_text(std::uint32_t kinds);
// As requests and answers have it: [{"field":…,"desc":…},…].
void write_order(std::span<const OrderItem> order, JsonWriter* json);
// "datasetNames":[…],"fieldsMetaMap":{…}
std::string dataset_members_json(const ResultHeader& header);

}  // namespace evq
