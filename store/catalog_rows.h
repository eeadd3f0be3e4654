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

// The hint says what to do about it.
Error corrupt_catalog(const std::string& what,
                      const std::string& hint = "run 'evq check' to see what is damaged");

Result<std::optional<std::string>> read_setting(Connection& connection, std::string_view name);
Status write_setting(Connection& connection, std::string_view name, std::string_view value);
Status remove_setting(Connection& connection, std::string_view name);
std::int64_t setting_sum(std::string_view name, std::string_view value);

// A list whose rows are summed and counted: a table, or the objects of one kind.
struct CatalogList {
  std::string name;  // of the setting that holds the sum and count: "token_sums"
  std::string rows;  // SQL that selects its rows, with every column that their sums cover
  // The sum that a row carries; kCorrupt unless it is the sum of what the row holds.
  Result<std::int64_t> (*sum)(const Statement& row);
  std::string nouns;  // for messages: "tokens"
};

// All kinds of stored objects.
inline constexpr ObjectKind kObjectKinds[] = {ObjectKind::kSavedQuery,   ObjectKind::kAnnotation,
                                              ObjectKind::kVirtualField, ObjectKind::kMonitor,
                                              ObjectKind::kNotifier,     ObjectKind::kDashboard,
                                              ObjectKind::kView,         ObjectKind::kQueryHistory};

CatalogList dataset_list();
CatalogList token_list();
CatalogList object_list(ObjectKind kind);
CatalogList setting_list();

// A change of one row: its sums before and after; nothing for a row that is added or removed.
struct ListChange {
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
};

// The sum and count of a list's rows, which are stored whenever the list changes.
struct ListState {
  std::int64_t sums = 0;  // of the rows, exclusive-or
  std::uint64_t count = 0;

  void add(std::int64_t sum) {
    sums ^= sum;
    ++count;
  }
  void apply(const ListChange& change) {
    sums ^= change.before.value_or(0) ^ change.after.value_or(0);
    count += change.after ? 1U : 0U;
    count -= change.before ? 1U : 0U;
  }
  friend bool operator==(const ListState&, const ListState&) = default;
};

// Stores the list's new sum and count, in the change's transaction. kLimit past `rows_max` rows.
Status note_change(Connection& connection, const CatalogList& list, const ListChange& change,
                   std::uint64_t rows_max);
// Makes the rows that are there the list, for who has removed a damaged row, whose own sum may not
// have been what was committed. Nothing changes while another row is damaged or their number is not
// the stored one.
Status note_sound_rows(Connection& connection, const CatalogList& list);
// Reads all rows; kCorrupt unless they match the stored sum and count. Call it before saying that a
// row is missing or that a list is complete: nothing else finds a row whose key is damaged.
Status check_list(Connection& connection, const CatalogList& list);
// Checks a list like the above, for a caller that has read all rows and added their sums to `read`.
Status check_list(Connection& connection, const CatalogList& list, const ListState& read);

// Remembers the state in which each list was last found sound, so that frequent look-ups, such as
// those of tokens or of missing objects, read all rows only after the list has changed. A row that
// is damaged while this process runs may thus be found by the next change or check_list() only.
// Any thread.
class CheckedLists {
 public:
  // Checks a list as check_list() does, unless its state is known to be sound.
  Status check(Connection& connection, const CatalogList& list);

 private:
  Mutex mutex_;
  std::map<std::string, ListState, std::less<>> sound_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
