#include "cli/repl_inputs.h"

#include <algorithm>
#include <utility>

#include "apl/syntax/parser.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/prompt_error.h"
#include "cli/repl.h"
#include "cli/repl_commands.h"
#include "store/base/ascii.h"

namespace evq {

bool begins_with_bar(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '|';
}

std::string_view after_comments(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && !line.starts_with("//")) {
      break;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return text;
}

bool is_aside(std::string_view line) {
  return after_comments(line).empty();
}

bool continues_input(std::string_view text, std::string_view line) {
  if (!begins_with_bar(line)) {
    return false;
  }
  text = after_comments(text);
  return !is_repl_command(text) || takes_pipeline(text);
}

std::string placed_source(const ReplPlace& place, std::string_view apl, Error* error) {
  const std::string_view text = place.text;
  const std::size_t at = apl.empty() ? std::string_view::npos : text.find(apl);
  if (apl.empty() || !error->span.has_value()) {
    // Of no part of it: told where it begins.
    const std::size_t begin = text.size() - after_comments(text).size();
    const std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
    error->span = {begin, end};
  } else if (at != std::string_view::npos) {
    error->span = {error->span->begin + at, error->span->end + at};
  } else if (const std::size_t before = apl.size() - std::min(apl.size(), text.size());
             apl.ends_with(text) && error->span->begin >= before) {
    error->span = {error->span->begin - before, error->span->end - before};
  } else {
    return std::string(apl);  // it stands elsewhere, as the query that this one goes on from
  }
  const std::size_t lines = place.line - 1;
  error->span = {error->span->begin + lines, error->span->end + lines};
  return std::string(lines, '\n') + std::string(text);
}

// A text that begins with a bar goes on from the last query that was answered, or is about all of
// the files.
bool Repl::goes_on(std::string_view text) const {
  return begins_with_bar(after_comments(text)) && !answered_query_.empty();
}

std::string Repl::whole_query(std::string_view text) const {
  return goes_on(text) ? answered_query_ + "\n" + std::string(text) : std::string(text);
}

// An empty line at the end runs whatever there is, so that nobody is caught in a bracket.
bool Repl::is_complete(std::string_view text, std::size_t known) {
  const std::size_t last = text.find_last_of('\n');
  const bool ends_empty = last != std::string_view::npos && is_blank(text.substr(last));
  if (known == 0) {
    growing_comments_ = 0;
    growing_ = syntax::GrowingText();  // comments alone do not come to it
  }
  const std::string_view bare = after_comments(text.substr(growing_comments_));
  growing_comments_ = text.size() - bare.size();
  if (ends_empty || is_blank(text) || is_repl_command(bare)) {
    return true;
  }
  if (bare.empty()) {
    return false;  // comments wait for what they are about
  }
  if (!begins_with_bar(bare)) {
    return !growing_.is_unfinished(text, known);
  }
  // What it goes on from may be answered only when it runs; a name stands for it.
  constexpr std::string_view kBefore = "a\n";
  return !growing_.is_unfinished(std::string(kBefore).append(text),
                                 known == 0 ? 0 : kBefore.size() + known);
}

// A text that is one query stays one, however its lines could be read; a mistake is told of the
// part it is in.
std::vector<ReplInput> Repl::inputs_of(std::string_view text) {
  if (!is_repl_command(after_comments(text))) {
    const auto query = syntax::parse(whole_query(text), 0);
    if (query.ok() && query->pipelines.size() == 1) {
      return {{std::string(text), 1}};
    }
  }
  std::vector<ReplInput> inputs;
  std::string input;
  std::size_t first = 1;  // line of it
  std::size_t line_number = 0;
  std::size_t known = 0;  // bytes of it that are unfinished
  std::size_t next = 0;   // where the first line of `text` behind it begins that is no aside
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++line_number;
    std::string_view line = text.substr(begin, end - begin);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    input.append(line_number > first ? "\n" : "").append(line);
    begin = end + 1;
    if (next < begin) {
      next = text.size() - after_comments(text.substr(std::min(begin, text.size()))).size();
    }
    if (continues_input(input, text.substr(next, text.find('\n', next) - next))) {
      continue;
    }
    if (is_complete(input, known) || begin >= text.size()) {
      inputs.push_back({std::exchange(input, {}), first});
      first = line_number + 1;
    }
    known = input.size();
  }
  return inputs;
}

Status Repl::take(std::string_view text, const std::string& name, std::size_t line) {
  constexpr std::size_t kLoadingMax = 16;
  if (loading_ == kLoadingMax) {
    return make_error(ErrorCode::kUsage, "these files load each other without end");
  }
  ++loading_;
  cancelled_ = false;
  const ReplPlace outer = place_;
  for (const ReplInput& input : inputs_of(text)) {
    if (!ended_ && !cancelled_) {
      place_ = {name, line + input.line - 1, input.text};
      take_input(input.text);
    }
  }
  place_ = outer;
  --loading_;
  return Status::success();
}

void Repl::take_input(std::string_view text) {
  const std::string_view bare = after_comments(text);
  if (is_blank(bare)) {
    return;
  }
  if (!is_repl_command(bare)) {
    ask(whole_query(text));
    return;
  }
  const InterruptScope interrupt(Interrupted::kInput);  // Ctrl-C in a pager is the pager's
  if (const Status done = run_repl_command(*this, bare); !done.ok()) {
    fail(done.error(), "");
  }
}

void Repl::fail(const Error& error, std::string_view apl) {
  cancelled_ = cancelled_ || error.code == ErrorCode::kCancelled;
  Error told = prompt_error(error, apl);
  int status = 0;
  // Of standard input only the place of a mistake in a query is told.
  const bool in_file = !place_.name.empty();
  const bool in_pipe = !interactive_ && !apl.empty() && told.span.has_value();
  if (cancelled_ || (!in_file && !in_pipe)) {
    status = report_error(told, apl, global_.color);
  } else {
    const std::string source = placed_source(place_, apl, &told);
    status = report_error(told, source, global_.color, in_file ? place_.name : "query");
  }
  status_ = status_ == 0 ? status : status_;
}

}  // namespace evq
