#pragma once
// How verbs reach the store: which may make one, what their queries may read, and how much of it
// they keep decoded. Every failure says what a person can do about it.

#include <cstddef>
#include <memory>
#include <string>

#include "apl/service/service.h"
#include "cli/options.h"
#include "store/base/limits.h"
#include "store/base/result.h"

namespace evq {

// Options for verbs that only work on what is there: a mistyped path must not become an empty
// store. Their queries may read what the user may.
ServiceOptions existing_store();

inline constexpr std::size_t kCacheBytesDefault = 184 * kMebibyte;
inline constexpr std::size_t kCacheMemoryShare = 16;
// Sets options for a process that answers many queries: keeps decoded data between them, by default
// up to kCacheBytesDefault, or more for a large dataset (see SegmentCache), though no more than one
// part in kCacheMemoryShare of the machine's memory.
void keep_decoded_data(ServiceOptions* options);

// Opens the service; `options.store_directory` is filled in from `global` when it is empty.
Result<std::unique_ptr<Service>> open_service(const GlobalOptions& global, ServiceOptions options);

// Says on standard error, for verbs that write and where a person may see it, whom the process
// waits for when another one keeps a lock of the store for seconds; once.
void tell_of_wait(const GlobalOptions& global);

// Whether the store that `global` names has the dataset; false where that cannot be told. Makes no
// store.
bool store_has_dataset(const GlobalOptions& global, const std::string& name);

}  // namespace evq
