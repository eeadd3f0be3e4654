#pragma once
// How verbs reach the store, and how Ctrl-C reaches a running verb. The first Ctrl-C cancels, a
// second one ends the process, unless it comes within a fifth of a second.

#include <cstddef>
#include <memory>
#include <string>

#include "apl/service/service.h"
#include "cli/options.h"
#include "store/base/limits.h"
#include "store/base/wait_scope.h"

namespace evq {

// For verbs that only work on what is there: a mistyped path must not become an empty store. Their
// queries may read what the user may.
ServiceOptions existing_store();

inline constexpr std::size_t kCacheBytesDefault = 184 * kMebibyte;
inline constexpr std::size_t kCacheMemoryShare = 16;
// For what answers many queries: keeps decoded data between them, by default up to
// kCacheBytesDefault, or more for a large dataset (see SegmentCache), though no more than one part
// in kCacheMemoryShare of the machine's memory.
void keep_decoded_data(ServiceOptions* options);

// `options.store_directory` is filled in from `global` when it is empty.
Result<std::unique_ptr<Service>> open_service(const GlobalOptions& global, ServiceOptions options);

// Whether the store that `global` names has the dataset; no where that cannot be told. It makes
// none.
bool store_has_dataset(const GlobalOptions& global, const std::string& name);

// Cancelled by SIGINT, SIGTERM and, unless it is ignored, SIGHUP once it has been asked for, and
// past its deadline after `timeout_ms`, which the first call decides; 0: none.
QueryControl& interrupt_control(std::int64_t timeout_ms = 0);

// Whether a signal, or a prompt's Ctrl-C, has cancelled what runs now; from any thread.
bool is_interrupted();

// The exit status of who was interrupted: 128 and the signal's number.
int interrupted_status();

// Lets Ctrl-C cancel the query that runs while this object lives, however often it is pressed, and
// keeps the process alive, as when a pager has the terminal. Scopes may nest; the inner one counts.
class InterruptScope {
 public:
  explicit InterruptScope(std::int64_t timeout_ms);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  QueryControl& control() { return control_; }

 private:
  QueryControl control_;
  const WaitScope waits_{control_};
  QueryControl* const outer_control_;
  void (*outer_handler_)(int);
};
// What Ctrl-C cancels now: the control of the innermost scope, else interrupt_control().
QueryControl& running_control();

}  // namespace evq
