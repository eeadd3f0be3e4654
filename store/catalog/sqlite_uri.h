#pragma once
// A file's name for SQLite that says what no flag of sqlite3_open_v2 says:
// https://www.sqlite.org/uri.html.

#include <string>
#include <string_view>

namespace evq {

// The URI, for SQLITE_OPEN_URI, of a file that cannot change while it is open: SQLite neither locks
// it nor looks for files beside it.
std::string unchanging_uri(std::string_view path);

}  // namespace evq
