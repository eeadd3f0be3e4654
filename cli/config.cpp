// evq config: the settings, with where each was said.

#include <unistd.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal/table_format.h"
#include "store/base/file.h"
#include "store/base/json_writer.h"

namespace evq {
namespace {

// Enough of a secret to tell it from another one.
std::string masked(const std::string& secret) {
  constexpr std::size_t kShown = 4;
  return secret.size() <= 3 * kShown ? "****" : "****" + secret.substr(secret.size() - kShown);
}

std::string settings_json(const std::vector<Setting>& settings) {
  std::string text;
  JsonWriter json(text);
  for (const Setting& setting : settings) {
    json.begin_object();
    json.key("name");
    json.string(setting.info->name);
    json.key("value");
    json.string(setting.info->secret && !setting.value.empty() ? masked(setting.value)
                                                               : setting.value);
    json.key("source");
    json.string(setting.source);
    json.key("used");
    json.boolean(setting.unused.empty());
    json.end_object();
    json.new_line();
  }
  return text;
}

std::string settings_table(const std::vector<Setting>& settings) {
  TableRows rows;
  for (const Setting& setting : settings) {
    const std::string value =
        setting.info->secret && !setting.value.empty() ? masked(setting.value) : setting.value;
    const std::string source =
        setting.source + (setting.unused.empty() ? "" : " (not used: " + setting.unused + ")");
    rows.push_back({{std::string(setting.info->name), TableCellKind::kText},
                    {value, TableCellKind::kText},
                    {source, TableCellKind::kText},
                    {std::string(setting.info->meaning), TableCellKind::kText}});
  }
  return format_table({{"setting", "", TableCellKind::kText},
                       {"value", "", TableCellKind::kText},
                       {"source", "", TableCellKind::kText},
                       {"meaning", "", TableCellKind::kText}},
                      rows, {});
}

}  // namespace

int run_config(const GlobalOptions& global, const ConfigCommand& command) {
  const bool json =
      command.output == "json" || (command.output.empty() && ::isatty(STDOUT_FILENO) == 0);
  const std::vector<Setting>& settings = global.settings.all();
  (void)stdout_sink()(json ? settings_json(settings) : settings_table(settings)).ok();
  const std::string& file = global.settings.file();
  print_note(global, "settings file: " + file + (file_exists(file) ? "" : " (there is none)"));
  return 0;
}

}  // namespace evq
