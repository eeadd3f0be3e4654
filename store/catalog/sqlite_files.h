#pragma once
// The open files of a connection as SQLite's VFS sees them, for what no function of SQLite's does.
// For the implementation of Connection alone.

#include <sqlite3.h>

namespace evq {

// The file that `which` names, SQLITE_FCNTL_FILE_POINTER or …_JOURNAL_POINTER, which in this mode
// is the write-ahead file; null when it is not open.
inline sqlite3_file* connection_file(sqlite3* connection, int which) {
  sqlite3_file* file = nullptr;
  const int found = sqlite3_file_control(connection, "main", which, &file);
  return found == SQLITE_OK && file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

}  // namespace evq
