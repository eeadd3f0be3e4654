#include "cli/options.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "cli/output.h"
#include "store/base/file.h"

namespace evq {
namespace {

constexpr int kUsageStatus = 2;

std::string default_store() {
  const Environment environment = process_environment();
  if (const auto store = environment("EVQ_STORE"); store.has_value() && !store->empty()) {
    return *store;
  }
  if (const auto data = environment("XDG_DATA_HOME"); data.has_value() && !data->empty()) {
    return *data + "/evq";
  }
  return environment("HOME").value_or(".") + "/.local/share/evq";
}

void add_ingest(CLI::App* app, IngestCommand* command) {
  app->add_option("DATASET", command->dataset, "Where the events go; created when new")->required();
  app->add_option("FILE", command->files, "Files to read; - or none: standard input");
  app->add_option("--format", command->format, "auto, json, ndjson or csv")
      ->check(CLI::IsMember({"auto", "json", "ndjson", "csv"}));
  app->add_option("--timestamp-field", command->timestamp_field,
                  "Field that carries the event time (default _time)");
  app->add_option("--timestamp-format", command->timestamp_format,
                  "Its Go layout, such as 2006-01-02 15:04:05; default: detected");
  app->add_option("--label", command->labels, "K=V added to every event; repeatable")
      ->allow_extra_args(false);
  app->add_option("--csv-fields", command->csv_fields, "Names for CSV without a header line")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--csv-delimiter", command->csv_delimiter, "One character; default: detected");
  app->add_option("--reject-file", command->reject_file, "Write lines that failed to this file");
  app->add_flag("--strict", command->strict, "Failed or repaired events end with exit status 4");
  app->add_option("--max-errors", command->errors_max, "Stop after more failed events than this");
  app->add_option("-o,--output", command->output, "json or text")
      ->check(CLI::IsMember({"json", "text"}));
  app->add_flag("--progress", command->progress, "Print the committed line number as it grows");
}

void add_query(CLI::App* app, QueryCommand* command) {
  app->add_option("APL", command->apl, "The query; default: -f or standard input");
  app->add_option("-f", command->apl_file, "Read the query from a file");
  app->add_option("-o,--output", command->output,
                  "table, json, ndjson, csv, tsv, markdown, line, logfmt, tabular or legacy")
      ->check(CLI::IsMember({"table", "json", "ndjson", "csv", "tsv", "markdown", "line", "logfmt",
                             "tabular", "legacy"}));
  app->add_option("--start-time", command->start_time, "Only events from this time on");
  app->add_option("--end-time,--until", command->end_time, "Only events up to this time");
  app->add_option("--since", command->since, "Only events of the last 1h, 7d, …");
  app->add_option("--limit", command->limit, "At most this many rows (default 1000)");
  app->add_flag("--all", command->all, "No default limit");
  app->add_option("--cursor", command->cursor, "Continue after the row of this cursor");
  app->add_option("--memory-limit", command->memory_limit, "Bytes a query may hold: 512M, 2G");
  app->add_option("--timeout", command->timeout_s, "Seconds the query may take");
  app->add_flag("--explain", command->explain, "Print the plan instead of running it");
  app->add_flag("--stats", command->stats, "Print what was read, on stderr");
  app->add_flag("--fail-on-empty", command->fail_on_empty, "Exit 1 when there are no rows");
  app->add_flag("--no-header", command->no_header, "No header line in csv, tsv and tables");
  app->add_option("--null", command->null_text, "How tables show null");
  app->add_option("--file", command->event_files, "Query files of events instead of the store");
  app->add_option("--timestamp-field", command->timestamp_field, "With --file: as for ingest");
}

// `--file events.ndjson "events | count"`: the option takes every word after it, so the query is
// among them. A last word that names no file is the query.
void take_query_from_files(QueryCommand* command) {
  const bool missing = !command->apl_given && command->apl_file.empty();
  if (missing && command->event_files.size() > 1 && command->event_files.back() != "-" &&
      !file_exists(command->event_files.back())) {
    command->apl = command->event_files.back();
    command->apl_given = true;
    command->event_files.pop_back();
  }
}

void add_serve(CLI::App* app, ServeCommand* command) {
  app->add_option("--listen", command->listen, "HOST:PORT (default 127.0.0.1:8080); port 0: any");
  app->add_flag("--no-auth", command->no_auth, "Ask for no tokens; loopback addresses only");
  app->add_option("--tls-cert", command->tls_certificate, "Certificate chain, PEM");
  app->add_option("--tls-key", command->tls_key, "Its private key, PEM");
  app->add_option("--memory-limit", command->memory_limit, "Bytes all queries may hold: 512M, 2G");
  app->add_option("--timeout", command->timeout_s, "Seconds a query may take (default 60)");
  app->add_option("--cache-size", command->cache_size, "Bytes of decoded data kept: 256M");
  app->add_option("--cors-origin", command->cors_origins,
                  "Let web pages of this origin use the API; * for all; repeatable")
      ->allow_extra_args(false);
  app->add_flag("--no-access-log", command->no_access_log, "Write no line for each request");
  app->add_option("--upkeep-ms", command->upkeep_ms, "Milliseconds between rounds of upkeep")
      ->check(CLI::Range(std::int64_t{10}, std::int64_t{60000}));
}

void add_token(CLI::App* verb, TokenCommand* command, const std::function<void()>& run) {
  verb->require_subcommand(1);
  for (const std::string action : {"create", "list", "delete"}) {
    CLI::App* sub = verb->add_subcommand(action);
    if (action == "create") {
      sub->add_option("--name", command->name, "What the token is for")->required();
      sub->add_option("--description", command->description, "More about it");
      sub->add_option("--ingest", command->ingest, "May ingest into this dataset; repeatable");
      sub->add_option("--query", command->query, "May query this dataset; repeatable");
      sub->add_option("--allow", command->allow, "[DATASET:]RESOURCE|ACTION; repeatable");
      sub->add_flag("--personal", command->personal, "May do everything but ingest");
      sub->add_option("--expires", command->expires, "now+30d, 2030-01-01, …");
    }
    if (action == "delete") {
      sub->add_option("ID", command->id, "The token's id, as list shows it")->required();
    }
    sub->callback([command, action, run] {
      command->action = action;
      run();
    });
  }
}

// Names near to a mistyped verb or flag.
std::string suggestion(const CLI::App& app, const std::string& word) {
  const auto distance = [](const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
      row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const std::size_t above = row[j];
        row[j] =
            std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
        diagonal = above;
      }
    }
    return row[b.size()];
  };
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  const auto consider = [&](const std::string& name) {
    const std::size_t d = distance(word, name);
    if (d < best_distance) {
      best_distance = d;
      best = name;
    }
  };
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    consider(sub->get_name());
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      consider("--" + name);
    }
  }
  return best;
}

int usage_error(const CLI::App& root, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* app = &root;
  for (const CLI::App* sub : root.get_subcommands()) {
    app = sub;
  }
  std::string text = error.what();
  std::string hint;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool known_verb =
        i == 1 && !word.starts_with("-") &&
        !root.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; })
             .empty();
    if (known_verb) {
      continue;
    }
    const bool verb = i == 1 && !word.starts_with("-");
    const bool flag = word.starts_with("--") &&
                      app->get_option_no_throw(word.substr(0, word.find('='))) == nullptr;
    if (verb || flag) {
      text = (verb ? "unknown command '" : "unknown option '") + word + "'";
      const std::string near = suggestion(verb ? root : *app, word);
      hint = near.empty() ? "" : "did you mean '" + near + "'?";
      break;
    }
  }
  print_error_line(
      text, hint.empty()
                ? "see evq " + (app == &root ? std::string() : app->get_name() + " ") + "--help"
                : hint);
  return kUsageStatus;
}

}  // namespace

int run_command_line(int argc, char** argv, const CommandHandlers& handlers) {
  CLI::App app("evq: store events locally and query them with APL", "evq");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", std::string("evq ") + EVQ_VERSION);
  GlobalOptions global;
  global.store = default_store();
  std::string color = "auto";
  app.add_option("--store", global.store, "The store's directory");
  app.add_option("--color", color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("-q,--quiet", global.quiet, "No progress and no notes on stderr");
  app.fallthrough();

  int status = 0;
  const auto run = [&](auto&& handler, const auto& command) {
    global.color = parse_color_choice(color).value_or(ColorChoice::kAuto);
    status = handler(global, command);
  };
  IngestCommand ingest;
  CLI::App* verb = app.add_subcommand("ingest", "Read events into a dataset");
  add_ingest(verb, &ingest);
  verb->callback([&] { run(handlers.ingest, ingest); });

  QueryCommand query;
  verb = app.add_subcommand("query", "Run an APL query");
  add_query(verb, &query);
  verb->callback([&, verb] {
    query.apl_given = verb->count("APL") > 0;
    take_query_from_files(&query);
    run(handlers.query, query);
  });

  DeleteCommand remove;
  verb = app.add_subcommand("delete", "Delete the blocks that hold matching events");
  verb->add_option("APL", remove.apl, "A dataset, where and search only")->required();
  verb->add_option("--start-time", remove.start_time, "Match events from this time on");
  verb->add_option("--end-time", remove.end_time, "Match events up to this time");
  verb->add_flag("--commit", remove.commit, "Delete; without it only the effect is shown");
  verb->add_flag("--yes", remove.yes, "Do not ask");
  verb->add_option("-o,--output", remove.output, "json or text")
      ->check(CLI::IsMember({"json", "text"}));
  verb->callback([&] { run(handlers.remove, remove); });

  StarredCommand starred;
  verb = app.add_subcommand("starred", "Saved queries");
  verb->require_subcommand(1);
  for (const std::string action : {"put", "get", "list", "delete", "run"}) {
    CLI::App* sub = verb->add_subcommand(action);
    if (action != "list") {
      sub->add_option("ID", starred.id, "The saved query's id")->required();
    }
    if (action == "put") {
      sub->add_option("FILE", starred.file, "A StarredQuery object; - or none: standard input");
    }
    sub->add_option("-o,--output", starred.output, "Output form");
    sub->callback([&, action] {
      starred.action = action;
      run(handlers.starred, starred);
    });
  }

  DatasetCommand dataset;
  verb = app.add_subcommand("dataset", "Datasets");
  verb->require_subcommand(1);
  for (const std::string action : {"list", "info", "create", "delete", "fields"}) {
    CLI::App* sub = verb->add_subcommand(action);
    if (action != "list") {
      sub->add_option("DATASET", dataset.name, "The dataset's name")->required();
    }
    if (action == "create") {
      sub->add_option("--description", dataset.description, "What it holds");
    }
    if (action == "delete") {
      sub->add_flag("--yes", dataset.yes, "Do not ask");
    }
    sub->add_option("-o,--output", dataset.output, "json or table");
    sub->callback([&, action] {
      dataset.action = action;
      run(handlers.dataset, dataset);
    });
  }
  CLI::App* map_field = verb->add_subcommand("map-field", "Fields kept as one dynamic value");
  map_field->add_option("ACTION", dataset.map_action, "add or remove")
      ->required()
      ->check(CLI::IsMember({"add", "remove"}));
  map_field->add_option("DATASET", dataset.name, "The dataset's name")->required();
  map_field->add_option("FIELD", dataset.field, "The field's full name")->required();
  map_field->callback([&] {
    dataset.action = "map-field";
    run(handlers.dataset, dataset);
  });

  StoreCommand check;
  verb = app.add_subcommand("check", "Verify every checksum and invariant of the store");
  verb->callback([&] { run(handlers.check, check); });
  StoreCommand compact;
  verb = app.add_subcommand("compact", "Seal fresh chunks, merge small blocks, free space");
  verb->add_option("DATASET", compact.dataset, "Only this dataset");
  verb->callback([&] { run(handlers.compact, compact); });

  ServeCommand serve;
  verb = app.add_subcommand("serve", "Answer the HTTP API");
  add_serve(verb, &serve);
  verb->callback([&] { run(handlers.serve, serve); });
  TokenCommand token;
  add_token(app.add_subcommand("token", "Tokens of the HTTP API"), &token,
            [&] { run(handlers.token, token); });
  OrganizationCommand organization;
  verb = app.add_subcommand("org", "Show or set the organization's id");
  verb->require_subcommand(0, 1);
  verb->callback([&, verb] {
    if (verb->get_subcommands().empty()) {
      run(handlers.organization, organization);
    }
  });
  CLI::App* set_organization = verb->add_subcommand("set", "Choose the id");
  set_organization->add_option("ID", organization.id, "The new id")->required();
  set_organization->callback([&] { run(handlers.organization, organization); });

  HelpCommand help;
  verb = app.add_subcommand("help", "Explain a function, operator or command");
  verb->add_option("TOPIC", help.topic, "summarize, bin, ingest, …");
  verb->callback([&] { run(handlers.help, help); });

  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      write_quietly(STDOUT_FILENO, app.help());
    }
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    const CLI::App* shown = &app;
    while (!shown->get_subcommands().empty()) {
      shown = shown->get_subcommands().front();
    }
    write_quietly(STDOUT_FILENO, shown->help(chosen.empty() ? "" : "evq"));
    return 0;
  } catch (const CLI::CallForVersion& version) {
    write_quietly(STDOUT_FILENO, std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
  return status;
}

}  // namespace evq
