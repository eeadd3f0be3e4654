#pragma once
// The command line: one table of verbs, each with its flags, read into plain structs. CLI11 stays
// inside options.cpp. Every usage error ends with exit status 2, the text on stderr and a
// suggestion where a name is close to a known one.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"

namespace evq {

struct GlobalOptions {
  std::string store;  // resolved: --store, EVQ_STORE, or under XDG_DATA_HOME
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
};

struct IngestCommand {
  std::string dataset;
  std::vector<std::string> files;
  std::string format = "auto";
  std::string timestamp_field;
  std::string timestamp_format;
  std::vector<std::string> labels;      // K=V
  std::vector<std::string> csv_fields;  // split at commas
  std::string csv_delimiter;
  std::string reject_file;
  bool strict = false;
  std::optional<std::uint64_t> errors_max;
  std::string output;  // json, text, or empty for the terminal's choice
  bool progress = false;
};

struct QueryCommand {
  std::string apl;
  bool apl_given = false;
  std::string apl_file;
  std::string output;
  std::string start_time;
  std::string end_time;
  std::string since;
  std::optional<std::uint64_t> limit;
  bool all = false;
  std::string cursor;
  std::string memory_limit;
  double timeout_s = 0;
  bool explain = false;
  bool stats = false;
  bool fail_on_empty = false;
  bool no_header = false;
  std::string null_text = "null";
  std::vector<std::string> event_files;  // --file
  std::string timestamp_field;
};

struct DeleteCommand {
  std::string apl;
  std::string start_time;
  std::string end_time;
  bool commit = false;
  bool yes = false;
  std::string output;
};

struct StarredCommand {
  std::string action;  // put, get, list, delete, run
  std::string id;
  std::string file;
  std::string output;
};

struct DatasetCommand {
  std::string action;  // list, info, create, delete, fields, map-field
  std::string name;
  std::string description;
  std::string map_action;  // add, remove
  std::string field;
  bool yes = false;
  std::string output;
};

struct StoreCommand {  // check, compact
  std::string dataset;
};

struct ServeCommand {
  std::string listen = "127.0.0.1:8080";
  bool no_auth = false;
  std::string tls_certificate;
  std::string tls_key;
  std::string memory_limit;
  double timeout_s = 0;
  std::string cache_size;
  std::vector<std::string> cors_origins;
  bool no_access_log = false;
  std::int64_t upkeep_ms = 5000;
};

struct TokenCommand {
  std::string action;  // create, list, delete
  std::string id;
  std::string name;
  std::string description;
  std::vector<std::string> ingest;  // datasets
  std::vector<std::string> query;
  std::vector<std::string> allow;  // [DATASET:]RESOURCE|ACTION
  bool personal = false;
  std::string expires;
};

struct OrganizationCommand {
  std::string id;  // empty: only shown
};

struct HelpCommand {
  std::string topic;
};

// Runs the verb that `argv` names and gives the process's exit status.
struct CommandHandlers {
  std::function<int(const GlobalOptions&, const IngestCommand&)> ingest;
  std::function<int(const GlobalOptions&, const QueryCommand&)> query;
  std::function<int(const GlobalOptions&, const DeleteCommand&)> remove;
  std::function<int(const GlobalOptions&, const StarredCommand&)> starred;
  std::function<int(const GlobalOptions&, const DatasetCommand&)> dataset;
  std::function<int(const GlobalOptions&, const StoreCommand&)> check;
  std::function<int(const GlobalOptions&, const StoreCommand&)> compact;
  std::function<int(const GlobalOptions&, const ServeCommand&)> serve;
  std::function<int(const GlobalOptions&, const TokenCommand&)> token;
  std::function<int(const GlobalOptions&, const OrganizationCommand&)> organization;
  std::function<int(const GlobalOptions&, const HelpCommand&)> help;
};
int run_command_line(int argc, char** argv, const CommandHandlers& handlers);

}  // namespace evq
