#pragma once
// FollowTarget: where a follower of a growing file stores its lines, and what remembers how far it
// has read: the store itself, or a server and a file of the user's. One thread at a time, but for
// save(), which another one may call while ingest() lasts.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apl/service/service.h"
#include "cli/options.h"
#include "store/store.h"

namespace evq {

class FollowTarget {
 public:
  virtual ~FollowTarget() = default;
  // Returns what save() kept last; nullopt for nothing.
  virtual Result<std::optional<std::string>> progress() = 0;
  virtual Status save(const std::string& progress) = 0;
  // Stores all good events of the text or none; on a server that holds for up to a mebibyte.
  virtual Result<IngestReport> ingest(std::string_view text, const IngestRequest& request) = 0;
  // Whether events with this receipt time are stored.
  virtual Result<bool> holds(std::int64_t received_ns) = 0;
  // True where holds() knows, so that progress is saved before a batch and none is stored twice.
  // Elsewhere it is saved after a batch, which is sent again when its answer was lost.
  virtual bool exactly_once() const = 0;
};

// The store or server that the options name, for the lines of the file with this absolute path.
// kUnavailable while another follower has it, under this name or one that leads there by dots and
// symbolic links: both would store every line. What was saved belongs to the name.
Result<std::unique_ptr<FollowTarget>> open_follow_target(const GlobalOptions& global,
                                                         const std::string& dataset,
                                                         const std::string& path);

}  // namespace evq
