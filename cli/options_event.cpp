// The verbs that take events in, ask for them, and delete them.

#include <CLI/CLI.hpp>

#include "cli/answer_output.h"
#include "cli/export.h"
#include "cli/option_checks.h"
#include "cli/option_tree.h"
#include "store/base/file.h"

namespace evq {
namespace {

// How inputs become events; returns the options.
std::vector<CLI::Option*> add_reading(CLI::App* app, ReadingOptions* reading) {
  return {
      app->add_option("--format", reading->format,
                      "How to read them; default: by their first bytes")
          ->check(one_of({"auto", "json", "ndjson", "csv", "tsv", "logfmt", "w3c", "text"})),
      app->add_option("--timestamp-field", reading->timestamp_field,
                      "Field that carries the event time (default _time), or several: Date,Time")
          ->type_name("FIELD"),
      app->add_option("--timestamp-format", reading->timestamp_format,
                      "Its Go layout, such as 2006-01-02 15:04:05; default: detected")
          ->type_name("LAYOUT"),
      app->add_option("--timestamp-zone", reading->timestamp_zone,
                      "Zone of times that say none: local, Europe/Berlin, +02:00 (default UTC)")
          ->type_name("ZONE"),
      app->add_option("--csv-fields", reading->csv_fields, "Names for CSV without a header line")
          ->type_name("NAMES")
          ->delimiter(',')
          ->allow_extra_args(false),
      app->add_option("--csv-delimiter", reading->csv_delimiter, "One character; default: detected")
          ->type_name("CHAR"),
      app->add_flag("--multiline", reading->multiline,
                    "Lines of a log that belong together, such as a stack trace, are one event"),
  };
}

void add_ingest(CLI::App* app, IngestCommand* command) {
  app->add_option("DATASET", command->dataset, "Where the events go; created when new")->required();
  app->add_option("FILE", command->files, "Files to read; - or none: standard input");
  add_reading(app, &command->reading);
  app->add_option("--label", command->labels,
                  "K=V added to every event, over a field K of its own; repeatable")
      ->type_name("K=V")
      ->allow_extra_args(false);
  app->add_option("--reject-file", command->reject_file, "Write lines that failed to this file")
      ->type_name("FILE");
  app->add_flag("--strict", command->strict, "Failed or repaired events end with exit status 4");
  app->add_option("--max-errors", command->errors_max, "Stop after more failed events than this")
      ->check(whole_number());
  app->add_option("-o,--output", command->output, "How to report")->check(one_of({"json", "text"}));
  app->add_flag("--follow", command->follow,
                "Keep reading FILE as it grows; goes on where it stopped, also after a kill");
  app->add_flag("--progress", command->progress,
                "Print how many events are committed, after each commit");
  set_examples(app, {{"evq ingest web access.ndjson.gz", "a file; gzip and zstd are recognised"},
                     {"evq ingest web /var/log/nginx/access.log", "a log of lines"},
                     {"journalctl -o json | evq ingest journal --timestamp-field "
                      "__REALTIME_TIMESTAMP",
                      "a pipe, and the field that holds the times"},
                     {"evq ingest shop orders.csv --timestamp-field placed", "CSV"},
                     {"evq ingest app --follow /var/log/app.ndjson", "a file that grows"}});
}

// The time range of query, export and delete.
void add_times(CLI::App* app, std::string* start, std::string* end, std::string* since) {
  CLI::Option* const first =
      app->add_option("--start-time", *start, "Only events from this time on")
          ->check(point_in_time());
  app->add_option("--end-time,--until", *end, "Only events up to this time")
      ->check(point_in_time());
  app->add_option("--since", *since, "Only events of the last 1h, 7d, …, or since today")
      ->check(duration_or_time())
      ->excludes(first);
}

void add_event_files(CLI::App* app, std::vector<std::string>* files, ReadingOptions* reading) {
  CLI::Option* const file =
      app->add_option("--file", *files, "Query files of events instead of the store")
          ->type_name("FILE");
  for (CLI::Option* const option : add_reading(app, reading)) {
    option->needs(file)->group("With --file");
  }
}

void add_query(CLI::App* app, QueryCommand* command) {
  CLI::Option* const apl =
      app->add_option("APL", command->apl, "The query; default: -f or standard input");
  app->add_option("-f", command->apl_file, "Read the query from a file")
      ->type_name("FILE")
      ->excludes(apl);
  app->add_option("-o,--output", command->output,
                  "Form of the answer; default: table on a terminal, else ndjson")
      ->check(one_of(answer_form_names()));
  add_times(app, &command->start_time, &command->end_time, &command->since);
  CLI::Option* const limit =
      app->add_option("--limit", command->limit, "At most this many rows (default 1000)")
          ->check(whole_number());
  app->add_flag("--all", command->all, "No default limit")->excludes(limit);
  app->add_option("--cursor", command->cursor, "Continue after the row of this cursor")
      ->type_name("CURSOR");
  app->add_option("--variable", command->variables,
                  "NAME=VALUE of a name that the query declares or uses; repeatable")
      ->type_name("N=V")
      ->allow_extra_args(false);
  app->add_option("--memory-limit", command->memory_limit, "Bytes a query may hold: 512M, 2G")
      ->check(size_of_memory());
  app->add_option("--timeout", command->timeout_s, "Seconds the query may take")
      ->transform(some_seconds());
  CLI::Option* const explain =
      app->add_flag("--explain", command->explain, "Print the plan instead of running it");
  app->add_flag("--profile", command->profile,
                "Run it and print the plan with each part's rows and time, instead of the answer")
      ->excludes(explain);
  app->add_flag("--stats", command->stats, "Print what was read, on stderr");
  app->add_flag("--fail-on-empty", command->fail_on_empty, "Exit 1 when there are no rows");
  app->add_flag("--no-header", command->no_header, "No header line in csv, tsv and tables");
  app->add_option("--null", command->null_text, "How tables show null");
  app->add_flag("--no-pager", command->no_pager, "Never page a long answer");
  add_event_files(app, &command->event_files, &command->reading);
  set_examples(app, {{"evq query \"web | where status >= 500 | summarize count() by path\"", ""},
                     {"evq query --since 1d \"web | search 'refused'\" -o csv", "as CSV"},
                     {"evq query --file app.ndjson \"app | take 5\"", "a file, without a store"}});
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

void add_tail(CLI::App* app, TailCommand* command) {
  app->add_option("DATASET", command->dataset, "Whose events")->required();
  app->add_option("PIPELINE", command->pipeline, "where, search, extend, project, parse …");
  app->add_option("--fields", command->fields, "Show these fields alone: a,b,c")
      ->type_name("NAMES")
      ->delimiter(',');
  app->add_option("-n,--lines", command->lines, "How many of the newest events to begin with (10)")
      ->check(whole_number());
  app->add_option("--since", command->since, "Begin with events of the last 1h, 7d, … only")
      ->check(duration_or_time());
  app->add_flag_callback(
      "--no-follow", [command] { command->follow = false; }, "End after the newest events");
  app->add_option("--interval-ms", command->interval_ms, "Milliseconds between two looks (200)")
      ->check(CLI::Range(std::int64_t{10}, std::int64_t{60000}));
  app->add_option("-o,--output", command->output,
                  "Form of the events; default: lines to read on a terminal, else ndjson")
      ->check(one_of({"ndjson", "csv", "tsv", "logfmt"}));
  set_examples(app, {{"evq tail web", "the last ten, then what arrives; Ctrl-C ends it"},
                     {"evq tail web 'where status >= 500' --fields _time,path", ""},
                     {"evq tail web -n 100 --no-follow", "the last hundred"}});
}

void add_export(CLI::App* app, ExportCommand* command) {
  app->add_option(
         "WHAT", command->what,
         "A dataset, or a query in APL; events go out batch by batch as they arrived, those of "
         "one in order of time")
      ->required();
  app->add_option("-o,--form", command->form, "Default: as the file is called, else ndjson")
      ->check(one_of(export_form_names(), "--output names the file"));
  app->add_option("--output", command->file, "The file to write; default: standard output")
      ->type_name("FILE");
  add_times(app, &command->start_time, &command->end_time, &command->since);
  app->add_flag("--no-header", command->no_header, "No header line in csv and tsv");
  set_examples(app, {{"evq export web --output web.parquet", "for DuckDB, ClickHouse, pandas"},
                     {"evq export \"web | where status >= 500\" -o csv | gzip > errors.csv.gz", ""},
                     {"evq export web | evq --store copy ingest web", "into another store"}});
}

void add_delete(CLI::App* app, DeleteCommand* command) {
  app->add_option("APL", command->apl, "A dataset, where and search only")->required();
  add_times(app, &command->start_time, &command->end_time, &command->since);
  CLI::Option* const commit =
      app->add_flag("--commit", command->commit, "Delete; without it only the effect is shown");
  app->add_flag_callback(
         "--dry-run", [] {}, "Only show the effect, as without --commit")
      ->excludes(commit);
  app->add_flag("--yes", command->yes, "Do not ask");
  app->add_option("-o,--output", command->output, "How to report")->check(one_of({"json", "text"}));
  set_examples(app, {{"evq delete \"web | where path == '/secret'\"", "what would go"},
                     {"evq delete \"web | where path == '/secret'\" --commit", "delete it"}});
}

void add_repl(CLI::App* app, ReplCommand* command) {
  app->add_option("--since", command->since, "Only events of the last 1h, 7d, …")
      ->check(duration_or_time());
  app->add_option("-o,--output", command->output, "Form of the answers")
      ->check(one_of(answer_form_names()));
  app->add_flag("--no-pager", command->no_pager, "Never page a long answer");
  add_event_files(app, &command->event_files, &command->reading);
  set_examples(app, {{"evq repl", "the same as evq alone on a terminal"},
                     {"evq repl --file access.log app.ndjson", "over files, without a store"},
                     {"evq repl < queries.apl", "queries from a file, one after the other"}});
}

}  // namespace

void add_event_verbs(CLI::App* root, ParsedOptions* parsed, const CommandHandlers& handlers) {
  CLI::App* verb = root->add_subcommand("ingest", "Read events into a dataset");
  add_ingest(verb, &parsed->ingest);
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.ingest(parsed->global, parsed->ingest); };
  });
  verb = root->add_subcommand("query", "Run an APL query");
  add_query(verb, &parsed->query);
  verb->callback([=, &handlers] {
    parsed->query.apl_given = verb->count("APL") > 0;
    take_query_from_files(&parsed->query);
    parsed->chosen = [=, &handlers] { return handlers.query(parsed->global, parsed->query); };
  });
  verb = root->add_subcommand("repl", "Ask queries at a prompt");
  add_repl(verb, &parsed->repl);
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.repl(parsed->global, parsed->repl); };
  });
  verb = root->add_subcommand("tail", "The newest events, then those that arrive");
  add_tail(verb, &parsed->tail);
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.tail(parsed->global, parsed->tail); };
  });
  verb = root->add_subcommand("export", "A dataset as NDJSON, CSV or Parquet");
  add_export(verb, &parsed->export_events);
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] {
      return handlers.export_events(parsed->global, parsed->export_events);
    };
  });
  verb = root->add_subcommand("delete", "Delete the blocks that hold matching events");
  add_delete(verb, &parsed->remove);
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.remove(parsed->global, parsed->remove); };
  });
}

}  // namespace evq
