#pragma once
// The verbs about datasets, saved queries, tokens and upkeep on a server: the same words and
// answers as on a local store, by way of the HTTP API. Each gives the exit status of the process.

#include <string>

#include "cli/options.h"

namespace evq {

int run_remote_dataset(const GlobalOptions& global, const DatasetCommand& command);
// put, get, list and delete.
int run_remote_starred(const GlobalOptions& global, const StarredCommand& command);
// `capabilities` is a JSON object of what an API token may do.
int run_remote_token(const GlobalOptions& global, const TokenCommand& command,
                     const std::string& capabilities);
int run_remote_compact(const GlobalOptions& global, const StoreCommand& command);
int run_remote_organization(const GlobalOptions& global, const OrganizationCommand& command);

}  // namespace evq
