#pragma once
// EventFiles: files of events made queryable without a store: they are loaded into a private
// temporary one, which is removed with the object. A file's dataset is its name up to the first
// dot, as far as a dataset can be called so, and `stdin` for standard input; files that give one
// name, such as access.log and access.log.1, share their dataset.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/scratch_folder.h"
#include "store/base/result.h"
#include "store/ingest/options.h"

namespace evq {

class InputNotes;

class EventFiles {
 public:
  using Skipped = std::function<void(const std::string& file, const IngestFailure& failure)>;

  // `-` is standard input. `skipped` hears of what became no event, `notes` of what a file seems to
  // be instead; both may be empty.
  static Result<EventFiles> load(const std::vector<std::string>& files,
                                 const IngestOptions& reading, const Skipped& skipped = {},
                                 InputNotes* notes = nullptr);

  std::string directory() const { return folder_.store(); }
  // Their names, in the order of the files.
  const std::vector<std::string>& datasets() const { return datasets_; }
  // The query that gives the events of all of them.
  std::string all_events() const;
  // Whether no event tells a time: then all have the same, and their order is that of the files.
  bool untimed() const { return untimed_; }
  // Of the files whose events have the time at which they were read, though they tell another, or
  // whose times were read in another way than they are written.
  const std::vector<std::string>& time_notes() const { return time_notes_; }
  // Why the first file that is no whole one could not be read to its end; what came before is here.
  const std::optional<Error>& broken() const { return broken_; }

 private:
  explicit EventFiles(ScratchFolder folder) : folder_(std::move(folder)) {}

  ScratchFolder folder_;
  std::vector<std::string> datasets_;
  bool untimed_ = true;
  std::vector<std::string> time_notes_;
  std::optional<Error> broken_;
};

// The files of a verb's --file, with what is to be told of them on stderr. `reads_pipe` is as of
// InputNotes.
Result<EventFiles> load_event_files(const GlobalOptions& global,
                                    const std::vector<std::string>& files,
                                    const ReadingOptions& reading, const std::string& reads_pipe);

}  // namespace evq
