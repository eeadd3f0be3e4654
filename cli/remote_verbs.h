#pragma once
// The verbs about datasets, saved queries, tokens and upkeep on a server: the same words and
// answers as on a local store, by way of the HTTP API. Each gives the exit status of the process.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options.h"
#include "http/token_store.h"
#include "store/base/result.h"
#include "store/definitions.h"

namespace evq {

// Counts a dataset's events; nullopt when the server does not tell.
Result<std::optional<std::uint64_t>> count_remote_events(const GlobalOptions& global,
                                                         const std::string& dataset);
int run_remote_dataset(const GlobalOptions& global, const DatasetCommand& command);
// Returns the object that `put` saves, from --apl, a file or standard input; of a query that does
// not parse the user is told.
Result<std::string> starred_body(const GlobalOptions& global, const StarredCommand& command);
// Adds the name that is near to the error of a saved query that is not there, if `stored` has one.
Error near_saved_query(Error error, std::string_view id,
                       const Result<std::vector<StoredObject>>& stored);
// Runs put, get, list and delete.
int run_remote_starred(const GlobalOptions& global, const StarredCommand& command);
// Runs `evq token`; `spec` is what create makes.
int run_remote_token(const GlobalOptions& global, const TokenCommand& command,
                     const TokenSpec& spec);
int run_remote_compact(const GlobalOptions& global, const StoreCommand& command);
int run_remote_organization(const GlobalOptions& global, const OrganizationCommand& command);

}  // namespace evq
