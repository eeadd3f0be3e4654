// evq config: the settings, with where each was said.

#include "cli/commands.h"
#include "cli/list_output.h"
#include "cli/output.h"
#include "cli/store_tables.h"
#include "store/base/file.h"
#include "store/base/json_writer.h"

namespace evq {
namespace {

// Enough of a secret to tell it from another one.
std::string masked(const std::string& secret) {
  constexpr std::size_t kShown = 4;
  return secret.size() <= 3 * kShown ? "****" : "****" + secret.substr(secret.size() - kShown);
}

std::string shown_value(const Setting& setting) {
  return setting.info->secret && !setting.value.empty() ? masked(setting.value) : setting.value;
}

std::vector<std::string> settings_items(const std::vector<Setting>& settings) {
  std::vector<std::string> items;
  for (const Setting& setting : settings) {
    JsonWriter json(items.emplace_back());
    json.begin_object();
    json.key("name");
    json.string(setting.info->name);
    json.key("value");
    json.string(shown_value(setting));
    json.key("source");
    json.string(setting.source);
    json.key("used");
    json.boolean(setting.unused.empty());
    json.end_object();
  }
  return items;
}

std::string settings_table(const std::vector<Setting>& settings) {
  TableRows rows;
  for (const Setting& setting : settings) {
    const std::string source =
        setting.source + (setting.unused.empty() ? "" : " (not used: " + setting.unused + ")");
    rows.push_back({{std::string(setting.info->name), TableCellKind::kText},
                    {shown_value(setting), TableCellKind::kText},
                    {source, TableCellKind::kText},
                    {std::string(setting.info->meaning), TableCellKind::kText}});
  }
  return format_table({{"setting", "", TableCellKind::kText},
                       {"value", "", TableCellKind::kText},
                       {"source", "", TableCellKind::kText},
                       {"meaning", "", TableCellKind::kText}},
                      rows, list_table_options());
}

}  // namespace

int run_config(const GlobalOptions& global, const ConfigCommand& command) {
  const ListForm form = list_form(command.output);
  const std::vector<Setting>& settings = global.settings.all();
  const int printed =
      print_data(form == ListForm::kTable ? settings_table(settings)
                                          : items_text(settings_items(settings), form));
  const std::string& file = global.settings.file();
  print_note(global, "settings file: " + file + (file_exists(file) ? "" : " (there is none)"));
  return printed;
}

}  // namespace evq
