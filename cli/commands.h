#pragma once
// The verbs. Each takes its options, does its work on the store, prints, and gives the exit status
// of the process.

#include "cli/options.h"

namespace evq {

int run_ingest(const GlobalOptions& global, const IngestCommand& command);
int run_query(const GlobalOptions& global, const QueryCommand& command);
int run_tail(const GlobalOptions& global, const TailCommand& command);
int run_export(const GlobalOptions& global, const ExportCommand& command);
int run_delete(const GlobalOptions& global, const DeleteCommand& command);
int run_starred(const GlobalOptions& global, const StarredCommand& command);
int run_dataset(const GlobalOptions& global, const DatasetCommand& command);
int run_check(const GlobalOptions& global, const StoreCommand& command);
int run_compact(const GlobalOptions& global, const StoreCommand& command);
int run_backup(const GlobalOptions& global, const BackupCommand& command);
int run_serve(const GlobalOptions& global, const ServeCommand& command);
int run_token(const GlobalOptions& global, const TokenCommand& command);
int run_organization(const GlobalOptions& global, const OrganizationCommand& command);
int run_repl(const GlobalOptions& global, const ReplCommand& command);
int run_config(const GlobalOptions& global, const ConfigCommand& command);
int run_completion(const GlobalOptions& global, const CompletionCommand& command);
int run_demo(const GlobalOptions& global, const DemoCommand& command);
int run_help(const GlobalOptions& global, const HelpCommand& command);

}  // namespace evq
