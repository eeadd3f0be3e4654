#pragma once
// Who else may write to the files of a store: what others have written there is answered as if it
// were the user's own events. evq makes private folders and files, but takes those that are there.

#include <string>

namespace evq {

// A remark that names the command which ends that; empty when only the user, the store's group,
// root, or for root the store's owner may write.
std::string store_exposure(const std::string& directory);

}  // namespace evq
