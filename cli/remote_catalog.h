#pragma once
// What a server holds besides events: datasets, fields and saved queries, as verbs and the prompt
// list them. Errors are the server's. One thread at a time, as RemoteServer.

#include <string>
#include <vector>

#include "apl/service/display_zone.h"
#include "cli/list_output.h"
#include "cli/remote_server.h"
#include "cli/store_tables.h"
#include "store/column/schema.h"
#include "store/definitions.h"

namespace evq {

// Returns paths of the HTTP API.
std::string remote_dataset_path(const std::string& name);
std::string remote_starred_path(const std::string& id);

Result<std::vector<std::string>> remote_dataset_names(RemoteServer& server);
// Asks for a dataset, with its counts where the server tells them.
Result<ListedDataset> remote_dataset(RemoteServer& server, const std::string& name);
// Lists all datasets.
Result<std::string> remote_datasets_text(RemoteServer& server, ListForm form,
                                         const DisplayZone& zone);
Result<std::vector<Field>> remote_fields(RemoteServer& server, const std::string& dataset);
Result<std::string> remote_fields_text(RemoteServer& server, const std::string& dataset,
                                       ListForm form);
// Returns saved queries, whose bodies are the API's objects, ids included.
Result<std::vector<StoredObject>> remote_saved_queries(RemoteServer& server);
Result<StoredObject> remote_saved_query(RemoteServer& server, const std::string& id);

}  // namespace evq
