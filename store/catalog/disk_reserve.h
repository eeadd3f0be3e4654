#pragma once
// The reserve: a file of a store that holds nothing but room on the disk, for deletes when other
// programs have filled the rest. Before a delete can give space back it must write a little; so it
// removes the reserve, and whoever next finds room makes it anew. Processes may do either at any
// time. A reserve that is missing, or is empty because the file system cannot take room ahead,
// only means that nothing is left for deletes on a full disk: no failure is reported.
//
// Format: DIR/reserve has no bytes and kDiskReserveFileBytes of the disk.

#include <string>

namespace evq {

// Creates the reserve unless it exists.
void keep_disk_reserve(const std::string& path);
// Removes the reserve; false when there is none that holds disk space.
bool release_disk_reserve(const std::string& path);

}  // namespace evq
