#pragma once
// AnswerFile: a file that answers go to one after the other, as long as the prompt's user wants it.
// Each goes out whole and at once, so that others can read it: one that fails leaves nothing in a
// plain file. One thread, the prompt's.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "apl/service/result_writer.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/result.h"

namespace evq {

class AnswerFile {
 public:
  // Empties the file or creates it; a pipe or a device is written to as it is. `control` ends the
  // wait for the reader of a named pipe.
  static Result<AnswerFile> open(const std::string& path, const QueryControl& control);

  // Adds one answer, which `produce` writes.
  Status add(const std::function<Status(const ByteSink& out)>& produce,
             const QueryControl& control);
  // Makes the file durable; tells what could not be written, as on a disk that is full.
  Status close();

  const std::string& path() const { return file_.path(); }

 private:
  explicit AnswerFile(File file) : file_(std::move(file)) {}

  File file_;
  std::uint64_t size_bytes_ = 0;  // of whole answers
};

// kUsage for a form of which a file holds one answer alone.
Status check_joinable(const std::string& form, const std::string& path);
// kUsage for what cannot be the path of a file, before there is anything to write: a folder, one in
// a folder that is not there, or another program's `|command`.
Status check_output_path(const std::string& path);

}  // namespace evq
