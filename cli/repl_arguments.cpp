#include "cli/repl_arguments.h"

#include <utility>

#include "apl/syntax/words.h"
#include "cli/answer_output.h"
#include "cli/repl.h"
#include "cli/terminal/terminal.h"
#include "store/base/file.h"

namespace evq {

ArgumentWords dataset_names(Repl& repl) {
  auto names = repl.target().completion().dataset_names();
  return names.ok() ? std::move(names).value() : ArgumentWords();
}

ArgumentWords form_names(Repl& /*repl*/) {
  return answer_form_names();
}

ArgumentWords switch_words(Repl& /*repl*/) {
  return {"on", "off"};
}

ArgumentWords duration_words(Repl& /*repl*/) {
  return {"15m", "1h", "6h", "1d", "7d", "30d", "off"};
}

ArgumentWords zone_words(Repl& /*repl*/) {
  return {"UTC", "local"};
}

ArgumentWords chart_kinds(Repl& /*repl*/) {
  ArgumentWords words;
  for (const std::string_view kind : syntax::chart_kinds()) {
    words.emplace_back(kind);
  }
  return words;
}

ArgumentWords starred_ids(Repl& repl) {
  ArgumentWords words;
  const auto objects = repl.target().saved_queries();
  if (objects.ok()) {
    for (const StoredObject& object : objects.value()) {
      words.push_back(object.id);
    }
  }
  return words;
}

std::string expand_home(const std::string& path) {
  const bool home = path == "~" || path.starts_with("~/");
  return home ? home_directory(process_environment()) + path.substr(1) : path;
}

ArgumentWords paths_starting(const std::string& typed) {
  const std::size_t name_begin = typed.rfind('/') + 1;
  const std::string folder = typed.substr(0, name_begin);
  const std::string name = typed.substr(name_begin);
  const std::string place = folder.empty() ? "." : expand_home(folder);
  ArgumentWords paths;
  const auto entries = list_directory(place);
  if (!entries.ok()) {
    return paths;
  }
  for (const std::string& entry : entries.value()) {
    if (entry.starts_with(name) && (name.starts_with('.') || !entry.starts_with('.'))) {
      std::string& path = paths.emplace_back(folder);
      path.append(entry);
      path.append(is_directory(std::string(place).append("/").append(entry)) ? "/" : "");
    }
  }
  return paths;
}

}  // namespace evq
