#include "cli/prompt_error.h"

#include <algorithm>
#include <array>
#include <string>

#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"

namespace evq {
namespace {

struct Rewording {
  std::string_view text;
  std::string_view here;
};

constexpr std::array<Rewording, 2> kCommands = {{
    {"evq dataset list", ".datasets"},
    {"evq help", ".help"},
}};

constexpr std::string_view kDatasets = ".datasets shows what there is";

// First words of what is no query.
constexpr std::array<Rewording, 9> kFirstWords = {{
    {"evq", "this is evq's prompt: a query stands here alone, and .help lists the commands"},
    {"ingest", "events are loaded in the shell: evq ingest DATASET FILE"},
    {"ls", kDatasets},
    {"dir", kDatasets},
    {"datasets", kDatasets},
    {"tables", kDatasets},
    {"use", "a query begins with its dataset; .datasets shows what there is"},
    {"clear", "Ctrl-L clears the screen"},
    {"history", "Up and Ctrl-R search the history"},
}};

// The hint for a text that was refused at its first word, or right behind it; else empty. A dataset
// may have such a name, and then what is missing is a bar.
std::string_view first_word_hint(const Error& error, std::string_view apl) {
  if (diag::slug_of(error) == "missing-pipe") {
    return {};
  }
  const std::string_view text = trimmed(apl);
  const std::size_t end = std::min(text.find_first_of(" \t\n;"), text.size());
  const auto* const row = std::ranges::find(kFirstWords, text.substr(0, end), &Rewording::text);
  if (row == kFirstWords.end() || !error.span.has_value()) {
    return {};
  }
  const std::size_t at = std::min<std::size_t>(error.span->begin, apl.size());
  const auto begin = static_cast<std::size_t>(text.data() - apl.data());
  return at <= begin || trimmed(apl.substr(0, at)) == row->text ? row->here : std::string_view();
}

}  // namespace

Error prompt_error(Error error, std::string_view apl) {
  for (const Rewording& command : kCommands) {
    for (std::size_t at = error.hint.find(command.text); at != std::string::npos;
         at = error.hint.find(command.text, at + command.here.size())) {
      error.hint.replace(at, command.text.size(), command.here);
    }
  }
  const std::string_view hint = first_word_hint(error, apl);
  if (!hint.empty() && !error.hint.starts_with("did you mean")) {
    error.hint = hint;
  }
  return error;
}

}  // namespace evq
