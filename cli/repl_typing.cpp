// What the prompt shows of a text while it is typed: colours, mistakes, help and completion.

#include <algorithm>
#include <string>
#include <utility>

#include "apl/service/completion.h"
#include "apl/syntax/lexer.h"
#include "cli/prompt_error.h"
#include "cli/repl.h"
#include "cli/repl_commands.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/time.h"

namespace evq {
namespace {

// Typing must not wait for what looks at a text cost: a look may take so long unnoticed, and those
// that take longer so long together. A busy machine is late now and then.
constexpr std::int64_t kLookNsMax = 30 * kMillisecondNs;
constexpr std::int64_t kSlowLooksNsMax = 300 * kMillisecondNs;

TextStyle style_of(const syntax::HighlightToken& token, std::string_view text) {
  switch (token.kind) {
    case syntax::HighlightKind::kKeyword:
      return TextStyle::kKeyword;
    case syntax::HighlightKind::kOperator:
      return TextStyle::kOperator;
    case syntax::HighlightKind::kFunction:
      return TextStyle::kFunction;
    case syntax::HighlightKind::kString:
      return TextStyle::kString;
    case syntax::HighlightKind::kNumber:
      return TextStyle::kNumber;
    case syntax::HighlightKind::kComment:
      return TextStyle::kComment;
    case syntax::HighlightKind::kInvalid:
      // A string that is being typed is no mistake yet.
      return text[token.span.begin] == '\'' || text[token.span.begin] == '"' ? TextStyle::kString
                                                                             : TextStyle::kError;
    case syntax::HighlightKind::kName:
    case syntax::HighlightKind::kSymbol:
      break;
  }
  return TextStyle::kPlain;
}

CompletionList to_list(const CompletionAnswer& answer) {
  CompletionList list;
  list.begin = answer.begin;
  list.end = answer.end;
  list.note = answer.note;
  for (const Candidate& candidate : answer.candidates) {
    std::string detail = candidate.signature.empty()
                             ? std::string(candidate_kind_name(candidate.kind))
                             : candidate.signature;
    detail.append(candidate.doc.empty() ? "" : "  ").append(candidate.doc);
    list.items.push_back({candidate.replacement, candidate.name, std::move(detail)});
  }
  return list;
}

}  // namespace

std::vector<StyledSpan> Repl::highlight(std::string_view text) {
  if (is_repl_command(text)) {
    return {{0, text.find_first_of(" \n"), TextStyle::kKeyword}};
  }
  std::vector<StyledSpan> spans;
  for (const syntax::HighlightToken& token : syntax::tokenize(text)) {
    spans.push_back({token.span.begin, token.span.end, style_of(token, text)});
  }
  if (const Error* found = mistake(text)) {
    spans.push_back({found->span->begin, found->span->end, TextStyle::kMistake});
  }
  return spans;
}

std::string Repl::remark(std::string_view text, std::size_t cursor) {
  if (is_repl_command(text)) {
    return {};
  }
  if (std::string help = call_help(whole_query(text.substr(0, cursor))); !help.empty()) {
    return help;
  }
  const Error* found = mistake(text);
  if (found == nullptr) {
    return {};
  }
  return found->hint.empty() ? found->message : found->message + ": " + found->hint;
}

const Error* Repl::mistake(std::string_view text) {
  if (text != looked_at_) {
    looked_at_ = text;
    mistake_.reset();
    if (is_blank(text)) {
      slow_looks_ns_ = 0;
    }
    // Of several texts that were pasted together each is looked at when it runs.
    if (slow_looks_ns_ < kSlowLooksNsMax &&
        (text.find('\n') == std::string_view::npos || inputs_of(text).size() == 1)) {
      const std::int64_t begun_ns = monotonic_now_ns();
      mistake_ = look_for_mistake(text);
      const std::int64_t took_ns = monotonic_now_ns() - begun_ns;
      slow_looks_ns_ += took_ns > kLookNsMax ? took_ns : 0;
    }
  }
  return mistake_.has_value() ? &*mistake_ : nullptr;
}

std::optional<Error> Repl::look_for_mistake(std::string_view text) {
  const std::string whole = whole_query(text);
  const std::size_t before = whole.size() - text.size();
  std::optional<Error> found = target_->mistake(whole);
  if (!found.has_value() || found->span->begin < before) {
    return std::nullopt;
  }
  found->span = {found->span->begin - before, found->span->end - before};
  return prompt_error(std::move(*found), text);
}

CompletionList Repl::complete(std::string_view text, std::size_t cursor) {
  return is_repl_command(text) ? complete_repl_command(*this, text, cursor)
                               : complete_query(text, cursor);
}

CompletionList Repl::complete_query(std::string_view text, std::size_t cursor) {
  const std::string whole = whole_query(text);
  const std::size_t before = whole.size() - text.size();
  CompletionList list = to_list(target_->complete(whole, before + cursor));
  list.begin -= std::min(list.begin, before);
  list.end -= std::min(list.end, before);
  return list;
}

}  // namespace evq
