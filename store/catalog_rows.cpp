#include "store/catalog_rows.h"

#include <charconv>
#include <utility>

#include "store/catalog/row_sum.h"

namespace evq {

namespace {

constexpr std::string_view kSettingSums = "setting_sums";

std::string text_of(const ListState& noted) {
  return std::to_string(noted.sums) + " " + std::to_string(noted.count);
}

Result<ListState> read_noted(Connection& connection, const CatalogList& list) {
  EVQ_TRY_ASSIGN(Statement row,
                 connection.prepare("SELECT value, sum FROM settings WHERE name = ?1"));
  EVQ_TRY_ASSIGN(const bool found, row.bind_text(1, list.name).step());
  ListState noted;
  if (!found) {
    return noted;
  }
  const std::string_view text = row.text(0);
  const char* const end = text.data() + text.size();
  const auto sums = std::from_chars(text.data(), end, noted.sums);
  const bool both = sums.ec == std::errc() && sums.ptr != end && *sums.ptr == ' ' &&
                    std::from_chars(sums.ptr + 1, end, noted.count).ptr == end;
  if (!both || row.integer(1) != setting_sum(list.name, text)) {
    return corrupt_catalog("the setting '" + list.name + "' is damaged");
  }
  return noted;
}

Result<ListState> count_rows(Connection& connection, const CatalogList& list) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(list.rows));
  ListState found;
  const auto add = [&]() -> Status {
    EVQ_TRY_ASSIGN(const std::int64_t sum, list.sum(row));
    found.add(sum);
    return {};
  };
  EVQ_TRY(row.each(add));
  return found;
}

Result<std::optional<std::int64_t>> sum_of_setting(Connection& connection, std::string_view name) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare("SELECT sum FROM settings WHERE name = ?1"));
  EVQ_TRY_ASSIGN(const bool found, row.bind_text(1, name).step());
  return found ? std::optional<std::int64_t>(row.integer(0)) : std::nullopt;
}

// Leaves the list of settings as it is.
Status put_row(Connection& connection, std::string_view name, std::string_view value) {
  EVQ_TRY_ASSIGN(
      Statement write,
      connection.prepare("INSERT OR REPLACE INTO settings(name, value, sum) VALUES(?1, ?2, ?3)"));
  return write.bind_text(1, name).bind_text(2, value).bind(3, setting_sum(name, value)).run();
}

// As note_change() does for other lists, whose states are settings; where that of the settings
// themselves is kept, no setting is noted. They have no limit: nobody outside adds to them.
Status note_setting(Connection& connection, const ListChange& change) {
  const CatalogList list = setting_list();
  EVQ_TRY_ASSIGN(ListState noted, read_noted(connection, list));
  noted.apply(change);
  return put_row(connection, list.name, text_of(noted));
}

}  // namespace

Error corrupt_catalog(const std::string& what, const std::string& hint) {
  return make_error(ErrorCode::kCorrupt, "catalog.db: " + what, hint);
}

// ---------------------------------------------------------------- settings

std::int64_t setting_sum(std::string_view name, std::string_view value) {
  return RowSum(0, "settings").add_text(name).add_text(value).value();
}

Result<std::optional<std::string>> read_setting(Connection& connection, std::string_view name) {
  std::optional<std::string> value;
  {
    EVQ_TRY_ASSIGN(Statement row,
                   connection.prepare("SELECT value, sum FROM settings WHERE name = ?1"));
    EVQ_TRY_ASSIGN(const bool found, row.bind_text(1, name).step());
    if (found) {
      value = row.text(0);
      if (row.integer(1) != setting_sum(name, *value)) {
        return corrupt_catalog("the setting '" + std::string(name) + "' is damaged");
      }
      return value;
    }
  }
  EVQ_TRY(check_list(connection, setting_list()));
  return value;
}

Status write_setting(Connection& connection, std::string_view name, std::string_view value) {
  EVQ_TRY_ASSIGN(const std::optional<std::int64_t> before, sum_of_setting(connection, name));
  EVQ_TRY(put_row(connection, name, value));
  return note_setting(connection, {before, setting_sum(name, value)});
}

Status remove_setting(Connection& connection, std::string_view name) {
  EVQ_TRY_ASSIGN(const std::optional<std::int64_t> before, sum_of_setting(connection, name));
  if (!before) {
    return {};
  }
  EVQ_TRY_ASSIGN(Statement remove, connection.prepare("DELETE FROM settings WHERE name = ?1"));
  EVQ_TRY(remove.bind_text(1, name).run());
  return note_setting(connection, {before, std::nullopt});
}

// ---------------------------------------------------------------- lists

CatalogList setting_list() {
  const auto sum = [](const Statement& row) -> Result<std::int64_t> {
    if (row.integer(2) != setting_sum(row.text(0), row.text(1))) {
      return corrupt_catalog("the setting '" + std::string(row.text(0)) + "' is damaged");
    }
    return row.integer(2);
  };
  return {std::string(kSettingSums),
          "SELECT name, value, sum FROM settings WHERE name <> 'setting_sums'", sum, "settings"};
}

Status note_change(Connection& connection, const CatalogList& list, const ListChange& change,
                   std::uint64_t rows_max) {
  EVQ_TRY_ASSIGN(ListState noted, read_noted(connection, list));
  const bool grows = change.after && !change.before;
  if (grows && noted.count >= rows_max) {
    return make_error(ErrorCode::kLimit,
                      "a store holds at most " + std::to_string(rows_max) + " " + list.nouns,
                      "delete those that are no longer needed");
  }
  noted.apply(change);
  return write_setting(connection, list.name, text_of(noted));
}

Status note_sound_rows(Connection& connection, const CatalogList& list) {
  const Result<ListState> there = count_rows(connection, list);
  if (!there.ok()) {
    return there.error().code == ErrorCode::kCorrupt ? Status() : Status(there.error());
  }
  EVQ_TRY_ASSIGN(const ListState noted, read_noted(connection, list));
  const bool settled = *there == noted || there->count != noted.count;
  return settled ? Status() : write_setting(connection, list.name, text_of(*there));
}

Status check_list(Connection& connection, const CatalogList& list, const ListState& read) {
  EVQ_TRY_ASSIGN(const ListState noted, read_noted(connection, list));
  if (read != noted) {
    return corrupt_catalog("the list of " + list.nouns + " is not the one that was committed",
                           "restore the store from a backup");
  }
  return {};
}

Status check_list(Connection& connection, const CatalogList& list) {
  EVQ_TRY_ASSIGN(const ListState read, count_rows(connection, list));
  return check_list(connection, list, read);
}

Status CheckedLists::check(Connection& connection, const CatalogList& list) {
  EVQ_TRY_ASSIGN(const ListState noted, read_noted(connection, list));
  {
    const MutexLock lock(mutex_);
    const auto known = sound_.find(list.name);
    if (known != sound_.end() && known->second == noted) {
      return {};
    }
  }
  EVQ_TRY(check_list(connection, list));
  const MutexLock lock(mutex_);
  sound_[list.name] = noted;
  return {};
}

}  // namespace evq
