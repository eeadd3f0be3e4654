#pragma once
// How verbs reach the store, and how Ctrl-C reaches a running verb. The first Ctrl-C cancels, a
// second one ends the process.

#include <memory>
#include <string>

#include "apl/service/service.h"
#include "cli/options.h"

namespace evq {

// For verbs that only work on what is there: a mistyped path must not become an empty store.
ServiceOptions existing_store();

// `options.store_directory` is filled in from `global` when it is empty.
Result<std::unique_ptr<Service>> open_service(const GlobalOptions& global, ServiceOptions options);

// Cancelled by SIGINT and SIGTERM once it has been asked for.
QueryControl& interrupt_control();

// "512M", "2G", "1024" as bytes.
Result<std::size_t> parse_size(const std::string& text);

}  // namespace evq
