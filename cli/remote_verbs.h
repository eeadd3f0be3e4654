#pragma once
// The verbs about datasets, saved queries and tokens on a server: the same words and answers as on
// a local store, by way of the HTTP API. Each gives the exit status of the process.

#include <string>

#include "cli/options.h"
#include "store/base/result.h"
#include "store/definitions.h"

namespace evq {

int run_remote_dataset(const GlobalOptions& global, const DatasetCommand& command);
// put, get, list and delete.
int run_remote_starred(const GlobalOptions& global, const StarredCommand& command);
// A server's saved query, as a store keeps it.
Result<StoredObject> find_remote_starred(const GlobalOptions& global, const std::string& id);
// `capabilities` is a JSON object of what an API token may do.
int run_remote_token(const GlobalOptions& global, const TokenCommand& command,
                     const std::string& capabilities);
int run_remote_organization(const GlobalOptions& global, const OrganizationCommand& command);

}  // namespace evq
