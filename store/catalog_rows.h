#pragma once
// Rows of catalog.db that several of its tables need: settings, and the sums and counts that tell
// whether a table's rows are the ones that were committed (migrations.cpp says where they are
// kept). Every function runs inside the caller's transaction. kCorrupt for a row that fails its
// checksum.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/catalog/sqlite.h"
#include "store/definitions.h"

namespace evq {

Error corrupt_catalog(const std::string& what);

Result<std::optional<std::string>> read_setting(Connection& connection, std::string_view name);
Status write_setting(Connection& connection, std::string_view name, std::string_view value);
Status remove_setting(Connection& connection, std::string_view name);
std::int64_t setting_sum(std::string_view name, std::string_view value);

// A list whose rows are summed and counted: a table, or the objects of one kind.
struct CatalogList {
  std::string name;  // of the setting that holds the sum and count: "token_sums"
  std::string rows;  // what selects its rows, with all that their sums are of
  // The sum that a row carries; kCorrupt unless it is the sum of what the row holds.
  Result<std::int64_t> (*sum)(const Statement& row);
  std::string nouns;  // for messages: "tokens"
};

// All there are.
inline constexpr ObjectKind kObjectKinds[] = {ObjectKind::kSavedQuery,   ObjectKind::kAnnotation,
                                              ObjectKind::kVirtualField, ObjectKind::kMonitor,
                                              ObjectKind::kNotifier,     ObjectKind::kDashboard,
                                              ObjectKind::kView,         ObjectKind::kQueryHistory};

CatalogList dataset_list();
CatalogList token_list();
CatalogList object_list(ObjectKind kind);
CatalogList setting_list();

// All rows of a list: what is noted of it when it changes.
struct ListState {
  std::int64_t sums = 0;  // of the rows, exclusive-or
  std::uint64_t count = 0;

  void add(std::int64_t sum) {
    sums ^= sum;
    ++count;
  }
  friend bool operator==(const ListState&, const ListState&) = default;
};

// What changes in a list: sums of rows that go and come; nothing where there is none.
struct ListChange {
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
};

// In the same transaction as the change. kLimit when the list would grow past `rows_max`.
Status note_change(Connection& connection, const CatalogList& list, const ListChange& change,
                   std::uint64_t rows_max);
// kCorrupt unless the rows are those that were noted, each as it was written: before saying that
// something is not there, or is all. A row whose key is damaged is found by nobody but this.
Status check_list(Connection& connection, const CatalogList& list);
// The same for who has read all rows, each with its sum.
Status check_list(Connection& connection, const CatalogList& list, const ListState& read);

// Lists as they were when they were last checked, for look-ups of what is not there: the rows are
// read again when the list has changed since. A row that is damaged while this process runs may
// thus be found by the next change or check_list() only. Any thread.
class CheckedLists {
 public:
  // As check_list().
  Status check(Connection& connection, const CatalogList& list);

 private:
  Mutex mutex_;
  std::map<std::string, ListState, std::less<>> sound_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
