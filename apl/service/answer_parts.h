#pragma once
// What the tabular and the legacy response object have in common, as JSON text. Pure functions; any
// thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "apl/service/request.h"

namespace evq {

class JsonWriter;

// Pieces of an answer's text are about this long: as much as is written to a socket at once.
inline constexpr std::size_t kAnswerPieceBytes = std::size_t{64} * 1024;

// Returns the first and the last instant of the window that was asked for; where that is open, of
// the events.
std::pair<std::int64_t, std::int64_t> answer_range(const ResultHeader& header,
                                                   const QueryStatus& status);
// The code of the message that tells of rows missing for the default limit, as clients know it
// (axiom-go, axiom/query/result.go: DefaultLimitWarning).
inline constexpr std::string_view kDefaultLimitCode = "default_limit_warning";

// Writes the status object, with the answer's warnings as messages.
std::string status_json(const ResultHeader& header, const QueryStatus& status);
// Returns the types of a dynamic column's values as clients name them, of the dynamic_kinds of its
// vectors: "integer|string" for several; "array" stands for lists and objects, and for nothing but
// nulls.
std::string dynamic_type_text(std::uint32_t kinds);
// Writes the order as requests and answers have it: [{"field":…,"desc":…},…].
void write_order(std::span<const OrderItem> order, JsonWriter* json);
// Writes "datasetNames":[…],"fieldsMetaMap":{…}.
std::string dataset_members_json(const ResultHeader& header);

}  // namespace evq
