#include "cli/list_output.h"

#include <unistd.h>

#include "cli/store_tables.h"
#include "http/wire_answer.h"

namespace evq {

std::vector<std::string> list_form_names() {
  return {"json", "ndjson", "table"};
}

ListForm list_form(const std::string& output) {
  if (output.empty()) {
    return ::isatty(STDOUT_FILENO) != 0 ? ListForm::kTable : ListForm::kNdjson;
  }
  if (output == "table") {
    return ListForm::kTable;
  }
  return output == "json" ? ListForm::kJson : ListForm::kNdjson;
}

ListForm single_form(const std::string& output) {
  const ListForm form = list_form(output);
  return form == ListForm::kJson ? ListForm::kNdjson : form;
}

std::string items_text(const std::vector<std::string>& items, ListForm form) {
  const bool array = form == ListForm::kJson;
  std::string text = array ? "[" : "";
  for (const std::string& item : items) {
    text += item;
    text += array ? (&item == &items.back() ? "" : ",\n ") : "\n";
  }
  return array ? text + "]\n" : text;
}

Result<std::string> tokens_table(const std::vector<std::string>& items) {
  constexpr const char* kMembers[] = {"id", "name", "kind", "expiresAt", "lastUsed"};
  TableRows rows;
  for (const std::string& item : items) {
    std::vector<TableCell>& row = rows.emplace_back();
    for (const char* member : kMembers) {
      EVQ_TRY_ASSIGN(std::string text, read_text_member(item, member));
      row.push_back({std::move(text), TableCellKind::kText});
    }
  }
  return format_table({{"id", "", TableCellKind::kText},
                       {"name", "", TableCellKind::kText},
                       {"kind", "", TableCellKind::kText},
                       {"expires", "", TableCellKind::kText},
                       {"last used", "", TableCellKind::kText}},
                      rows, list_table_options());
}

}  // namespace evq
