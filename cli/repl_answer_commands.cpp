#include "cli/repl_answer_commands.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "apl/syntax/diagnostics.h"
#include "cli/answer_file.h"
#include "cli/answer_output.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/output_file.h"
#include "cli/repl.h"
#include "cli/repl_arguments.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/text_width.h"
#include "store/base/told_number.h"

namespace evq {
namespace {

Error no_answer_yet() {
  return make_error(ErrorCode::kUsage, "there is no answer yet", "run a query first");
}

constexpr double kWatchSeconds = 2;
constexpr double kWatchSecondsMin = 0.1;
constexpr double kWatchSecondsMax = 24.0 * 60 * 60;

}  // namespace

Status run_last(Repl& repl, const std::string& argument) {
  if (repl.last_answer() == nullptr) {
    return no_answer_yet();
  }
  if (!argument.empty()) {
    EVQ_TRY(check_form(argument));
  }
  return repl.show(*repl.last_answer(), argument.empty() ? repl.settings().form : argument);
}

Status run_chart(Repl& repl, const std::string& argument) {
  if (repl.last_answer() == nullptr) {
    return no_answer_yet();
  }
  HeldAnswer picture = *repl.last_answer();
  if (!argument.empty()) {
    const ArgumentWords kinds = chart_kinds(repl);
    if (std::ranges::find(kinds, argument) == kinds.end()) {
      const std::vector<std::string_view> views(kinds.begin(), kinds.end());
      const std::string near = diag::did_you_mean(argument, views);
      return make_error(ErrorCode::kUsage, "there is no chart '" + argument + "'",
                        near.empty() ? "for example .chart timechart" : near);
    }
    picture.header().render_kind = argument;
  }
  return repl.show(picture, "chart");
}

Status run_save(Repl& repl, const std::string& typed) {
  const std::string argument = expand_home(unquoted(typed));
  if (argument.empty()) {
    return make_error(ErrorCode::kUsage, "which file?", "for example .save rows.csv");
  }
  if (argument.ends_with(".apl")) {
    if (repl.last_query().empty()) {
      return make_error(ErrorCode::kUsage, "there is no query yet");
    }
    EVQ_TRY(write_output_file(argument, interrupt_control(),
                              [&](const ByteSink& out) { return out(repl.last_query() + "\n"); }));
    repl.tell("saved the query to " + visible_text(argument));
    return Status::success();
  }
  const auto form = answer_form_of_file(argument);
  if (!form.has_value()) {
    return make_error(
        ErrorCode::kUsage, "the file's ending does not say what to write",
        "end it in .csv, .tsv, .json, .ndjson, .jsonl, .logfmt, .parquet, .md, .txt, or .apl for "
        "the query");
  }
  if (repl.last_answer() == nullptr) {
    return no_answer_yet();
  }
  TableOutputOptions options;
  options.form = *form;
  options.zone = repl.settings().zone;
  options.control = &interrupt_control();
  EVQ_TRY(write_output_file(argument, interrupt_control(), [&](const ByteSink& out) {
    return repl.last_answer()->replay(*make_answer_output(options, out));
  }));
  repl.tell("saved " + counted_text(repl.last_answer()->status().rows, "row") + " to " +
            visible_text(argument));
  return Status::success();
}

Status run_output(Repl& repl, const std::string& argument) {
  if (argument.empty() || argument == "stdout" || argument == "-" || argument == "off") {
    EVQ_TRY(repl.show_answers());
    repl.tell("answers are shown here");
    return Status::success();
  }
  const std::string path = expand_home(unquoted(argument));
  const std::string form = repl.form_in_file(path, repl.settings().form);
  EVQ_TRY(check_joinable(form, path));
  EVQ_TRY(repl.send_answers_to(path));
  repl.tell("answers go to " + visible_text(path) + (form == "auto" ? "" : ", as " + form) +
            ", until .output alone; the last one: .save FILE");
  return Status::success();
}

Status run_once(Repl& repl, const std::string& argument) {
  if (argument.empty()) {
    return make_error(ErrorCode::kUsage, "which file?", "for example .once rows.csv");
  }
  const std::string path = expand_home(unquoted(argument));
  EVQ_TRY(repl.send_next_answer_to(path));
  const std::string form = repl.form_in_file(path, repl.settings().form);
  repl.tell("the next answer goes to " + visible_text(path) +
            (form == "auto" ? "" : ", as " + form));
  return Status::success();
}

Status run_watch(Repl& repl, const std::string& argument) {
  TimedQuery timed = parse_timed_query(argument);
  double seconds = kWatchSeconds;
  if (!timed.seconds.empty()) {
    const std::optional<double> given = parse_seconds(timed.seconds);
    if (!given.has_value()) {
      return make_error(ErrorCode::kUsage, "'" + timed.seconds + "' is not a number of seconds",
                        "write .watch 2, .watch 0.5 or .watch 5m, and a query behind it");
    }
    if (*given < kWatchSecondsMin || *given > kWatchSecondsMax) {
      return make_error(
          ErrorCode::kUsage,
          "between two answers there can be 0.1 seconds to a day, not " + timed.seconds);
    }
    seconds = *given;
  }
  return repl.watch(timed.query, seconds);
}

Status run_stats(Repl& repl, const std::string& /*argument*/) {
  if (repl.last_answer() == nullptr) {
    return no_answer_yet();
  }
  const QueryStatus& status = repl.last_answer()->status();
  const std::pair<std::string_view, std::string> lines[] = {
      {"rows", grouped_text(status.rows)},
      {"rows scanned", grouped_text(status.rows_examined)},
      {"rows matched", grouped_text(status.rows_matched)},
      {"blocks", grouped_text(status.blocks_total)},
      {"blocks read", grouped_text(status.blocks_examined)},
      {"blocks matched", grouped_text(status.blocks_matched)},
      {"blocks cached", grouped_text(status.blocks_cached)},
      {"groups", grouped_text(status.groups)},
      {"memory", bytes_text(status.memory_peak_bytes)},
      {"time", grouped_text(static_cast<std::uint64_t>(status.elapsed_us)) + " us"},
  };
  std::string text;
  for (const auto& [name, value] : lines) {
    text.append("  ").append(name).append(16 - name.size(), ' ').append(value).append("\n");
  }
  repl.print(text);
  return Status::success();
}

}  // namespace evq
