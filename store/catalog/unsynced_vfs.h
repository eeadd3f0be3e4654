#pragma once
// A VFS whose files are written and never synced: for stores that are deleted after use. Whoever
// reads them meanwhile, in this process or another, sees all that was committed; a crash of the
// system may leave anything. Any thread.

#include <string>
#include <string_view>

namespace evq {

// The VFS's name; all else it does as the system's. Empty when SQLite has no memory for it.
std::string unsynced_vfs();
// Whether a VFS is that one: then the folders of its files need no sync either.
bool is_unsynced(std::string_view vfs);

}  // namespace evq
