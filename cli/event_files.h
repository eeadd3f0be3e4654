#pragma once
// EventFiles: files of events made queryable without a store: they are loaded into a private
// temporary one, a dataset a file name, which is removed with the object.

#include <string>
#include <vector>

#include "store/base/result.h"

namespace evq {

class EventFiles {
 public:
  // `-` is standard input, the dataset `stdin`. A file's dataset is its name up to the first dot.
  static Result<EventFiles> load(const std::vector<std::string>& files,
                                 const std::string& timestamp_field);
  EventFiles(EventFiles&& other) noexcept : directory_(std::move(other.directory_)) {
    other.directory_.clear();
  }
  EventFiles& operator=(EventFiles&&) = delete;
  ~EventFiles();

  const std::string& directory() const { return directory_; }

 private:
  explicit EventFiles(std::string directory) : directory_(std::move(directory)) {}

  std::string directory_;
};

}  // namespace evq
