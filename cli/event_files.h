#pragma once
// EventFiles: files of events made queryable without a store: they are loaded into a private
// temporary one, which is removed with the object. A file's dataset is its name up to the first
// dot, as far as a dataset can be called so, and `stdin` for standard input; files that give one
// name, such as access.log and access.log.1, share their dataset. Many files whose names nobody
// asks for are one dataset.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/scratch_folder.h"
#include "store/base/result.h"

namespace evq {

// Datasets of files beyond which they become one, unless the query tells them apart: each is a
// database to be made and opened.
inline constexpr std::size_t kFileDatasetsMax = 16;

class EventFiles {
 public:
  // Makes one without files, for queries that need no store.
  static Result<EventFiles> none();
  // Loads the files of a verb's --file; `-` is standard input. Tells on stderr how far it is, what
  // became no event, and what a file seems to be instead. `reads_pipe` is as of InputNotes. `query`
  // is the only one that will be asked; nothing when it is not known yet.
  static Result<EventFiles> load(const GlobalOptions& global, const std::vector<std::string>& files,
                                 const ReadingOptions& reading, const std::string& reads_pipe,
                                 std::optional<std::string_view> query = std::nullopt);

  std::string directory() const { return folder_.store(); }
  // Returns the names of the datasets, in the order of the files.
  const std::vector<std::string>& datasets() const { return datasets_; }
  // Returns the query that gives the events of all of them.
  std::string all_events() const;
  // Whether no event tells a time: then all have the same, in the order of the files.
  bool untimed() const { return untimed_; }
  // Notes on files whose events have the time at which they were read, though they tell another, or
  // whose times were read in another way than they are written.
  const std::vector<std::string>& time_notes() const { return time_notes_; }
  // Error of the first file that could not be read to its end; the events before it are here.
  const std::optional<Error>& broken() const { return broken_; }

 private:
  friend class EventFileLoader;
  explicit EventFiles(ScratchFolder folder) : folder_(std::move(folder)) {}

  ScratchFolder folder_;
  std::vector<std::string> datasets_;
  bool untimed_ = true;
  std::vector<std::string> time_notes_;
  std::optional<Error> broken_;
};

}  // namespace evq
