#pragma once
// Saved ("starred") queries: the API's StarredQuery, validated strictly and kept as given. Shared
// by the HTTP API and the command line. The stored body is the object without its id; answers are
// the object with it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/request.h"
#include "store/definitions.h"

namespace evq {

// A valid StarredQuery; `body` is its compact JSON without an id.
struct StarredQuery {
  std::string name;
  std::string who;
  std::string dataset;  // may be empty
  std::string body;
};

// kUsage with the member's path ("query.queryOptions.priority") for whatever the API does not
// allow: missing or mistyped members, values outside of their enumeration, metadata that is not
// text, unknown members of queryOptions, shownColumns of more than 10,000 characters.
Result<StarredQuery> read_starred_query(std::string_view json);

// Makes a request of the query that a stored body holds.
Result<QueryRequest> starred_request(const StoredObject& stored);
// Writes the API's StarredQueryWithId.
std::string starred_answer(const StoredObject& stored);

// How putting a saved query treats one that is there under its id.
enum class PutRule : std::uint8_t {
  kAny,    // inserts or replaces
  kNew,    // inserts; kConflict when there is one
  kKnown,  // replaces; kNotFound when there is none
};

// Saves a query and returns the stored object; an empty `id` makes a new one, and kUsage is one
// that a new one cannot have. `check`, which may be empty, is asked about the one that is replaced,
// in the same transaction.
Result<StoredObject> put_starred(Definitions& definitions, std::string_view id,
                                 const StarredQuery& query, PutRule rule,
                                 const ObjectCheck& check = {});
// Finds a saved query; kNotFound.
Result<StoredObject> find_starred(Definitions& definitions, std::string_view id);
// Removes a saved query; kNotFound. `check` as above, about the one that goes.
Status remove_starred(Definitions& definitions, std::string_view id, const ObjectCheck& check = {});

}  // namespace evq
