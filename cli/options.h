#pragma once
// The command line: verbs, each with its flags, read into plain structs. CLI11 stays inside the
// options*.cpp files (option_tree.h). Every usage error ends with exit status 2, the text on stderr
// and a suggestion where a name is close to a known one.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apl/service/display_zone.h"
#include "cli/settings.h"
#include "cli/terminal/terminal.h"

namespace evq {

struct GlobalOptions {
  std::string store;         // this and the next are of the settings
  std::string geo_database;  // an .mmdb file; empty: none
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
  DisplayZone zone;  // of times for people
  Settings settings;
  // A server was named: verbs go there instead of to the store.
  bool remote() const { return !settings.value("server").empty(); }
};

// Options that say how inputs become events.
struct ReadingOptions {
  std::string format = "auto";
  std::string timestamp_field;
  std::string timestamp_format;
  std::string timestamp_zone;           // of times that say none; empty: UTC
  std::vector<std::string> csv_fields;  // split at commas
  std::string csv_delimiter;
  bool multiline = false;
};

struct IngestCommand {
  std::string dataset;
  std::vector<std::string> files;
  ReadingOptions reading;
  std::vector<std::string> labels;  // K=V
  std::string reject_file;
  bool strict = false;
  std::optional<std::uint64_t> errors_max;
  std::string output;  // json, text, or empty for the terminal's choice
  bool progress = false;
  bool follow = false;
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
  std::vector<std::string> variables;  // NAME=VALUE
  std::string memory_limit;
  double timeout_s = 0;
  bool explain = false;
  bool profile = false;
  bool stats = false;
  bool fail_on_empty = false;
  bool no_header = false;
  std::string null_text = "null";
  bool no_pager = false;
  std::vector<std::string> event_files;  // --file
  ReadingOptions reading;                // of these
};

struct TailCommand {
  std::string dataset;
  std::string pipeline;
  std::vector<std::string> fields;  // shown alone, in this order; empty: all
  std::uint64_t lines = 10;
  std::string since;
  bool follow = true;
  std::int64_t interval_ms = 200;
  std::string output;  // ndjson, csv, tsv, logfmt, or empty: lines for people on a terminal
};

struct ExportCommand {
  std::string what;  // a dataset's name, or APL
  std::string form;  // ndjson, csv, tsv, parquet, or empty: as the file is called
  std::string file;  // empty: standard output
  std::string start_time;
  std::string end_time;
  std::string since;
  bool no_header = false;
};

struct DeleteCommand {
  std::string apl;
  std::string start_time;
  std::string end_time;
  std::string since;
  bool commit = false;
  bool yes = false;
  std::string output;
};

enum class StarredAction : std::uint8_t { kList, kGet, kPut, kDelete, kRun };

struct StarredCommand {
  StarredAction action = StarredAction::kList;
  std::string id;
  std::string file;
  std::string apl;  // query to put instead of the file's object
  std::string output;
};

enum class DatasetAction : std::uint8_t {
  kList,
  kInfo,
  kFields,
  kCreate,
  kDelete,
  kListMapFields,
  kAddMapField,
  kRemoveMapField,
};

struct DatasetCommand {
  DatasetAction action = DatasetAction::kList;
  std::string name;
  std::string description;
  std::string field;
  bool yes = false;
  bool damaged = false;  // deletes it though its row in the catalog is
  std::string output;
};

struct StoreCommand {  // check, compact
  std::string dataset;
};

struct BackupCommand {
  std::string directory;
  bool check = false;
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
  std::vector<std::string> external_prefixes;
  bool no_access_log = false;
  std::uint64_t rate_limit = 0;
  std::int64_t upkeep_ms = 5000;
};

enum class TokenAction : std::uint8_t { kList, kCreate, kDelete };

struct TokenCommand {
  TokenAction action = TokenAction::kList;
  std::string id;
  std::string name;
  std::string description;
  std::vector<std::string> ingest;  // datasets
  std::vector<std::string> query;
  std::vector<std::string> allow;  // [DATASET:]RESOURCE|ACTION
  bool personal = false;
  std::string expires;
  std::string output;
};

struct OrganizationCommand {
  bool sets_id = false;  // otherwise it is shown
  std::string id;
};

struct ReplCommand {
  std::string since;
  std::string output;  // the form to begin with
  bool no_pager = false;
  std::vector<std::string> event_files;  // --file
  ReadingOptions reading;                // of these
};

struct ConfigCommand {
  std::string output;  // json, table, or empty for the terminal's choice
};

struct CompletionCommand {
  std::string shell;  // bash, zsh, fish
};

struct DemoCommand {
  std::uint64_t events = 100'000;
};

struct HelpCommand {
  bool coverage = false;
  std::vector<std::string> topic;  // words
  std::vector<std::string> verbs;  // the names of all verbs, for suggestions
};

// Runs the verb that `argv` names and gives the process's exit status.
struct CommandHandlers {
  std::function<int(const GlobalOptions&, const IngestCommand&)> ingest;
  std::function<int(const GlobalOptions&, const QueryCommand&)> query;
  std::function<int(const GlobalOptions&, const TailCommand&)> tail;
  std::function<int(const GlobalOptions&, const ExportCommand&)> export_events;
  std::function<int(const GlobalOptions&, const DeleteCommand&)> remove;
  std::function<int(const GlobalOptions&, const StarredCommand&)> starred;
  std::function<int(const GlobalOptions&, const DatasetCommand&)> dataset;
  std::function<int(const GlobalOptions&, const StoreCommand&)> check;
  std::function<int(const GlobalOptions&, const StoreCommand&)> compact;
  std::function<int(const GlobalOptions&, const BackupCommand&)> backup;
  std::function<int(const GlobalOptions&, const ServeCommand&)> serve;
  std::function<int(const GlobalOptions&, const TokenCommand&)> token;
  std::function<int(const GlobalOptions&, const OrganizationCommand&)> organization;
  std::function<int(const GlobalOptions&, const ConfigCommand&)> config;
  std::function<int(const GlobalOptions&, const CompletionCommand&)> completion;
  std::function<int(const GlobalOptions&, const DemoCommand&)> demo;
  std::function<int(const GlobalOptions&, const HelpCommand&)> help;
  std::function<int(const GlobalOptions&, const ReplCommand&)> repl;
};
int run_command_line(int argc, char** argv, const CommandHandlers& handlers);

}  // namespace evq
