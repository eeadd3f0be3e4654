#pragma once
// Joined writes: SQLite writes each page of a commit to the write-ahead file in two calls, one for
// the 24 bytes before it. Here those that follow each other in the file are one, of many pages.
// Nothing that matters sees the difference: what is held back is written before the file is synced
// (and a commit is only after its sync), read, measured or cut, and in the order it came in; what
// is held when the file is closed is of no commit, and is dropped. A write that fails is told by
// the call that made it, the sync at the latest. Where a write may damage the bytes beside it
// nothing is held back: there SQLite goes on to write after the sync.
//
// Any thread, as connections are.

#include <string>

namespace evq {

// The name of a VFS that does so for write-ahead files, and all else as the registered VFS `base`
// does (empty: the system's), which must outlive the connections. Empty when there is no such VFS.
std::string joined_writes_vfs(const std::string& base);

}  // namespace evq
