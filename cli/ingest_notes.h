#pragma once
// IngestNotes tells people on stderr what the inputs of `evq ingest` are taken for, and what may be
// lost by that, as InputNotes does, which it has for what is so of queried files as well. One
// thread.

#include <string>
#include <string_view>
#include <utility>

#include "cli/input_notes.h"
#include "cli/options.h"
#include "cli/output.h"
#include "store/base/error.h"
#include "store/ingest/options.h"

namespace evq {

class IngestNotes {
 public:
  // Both must outlive it.
  IngestNotes(const GlobalOptions& global, const IngestCommand& command)
      : global_(global),
        command_(command),
        inputs_(global, "evq ingest " + command.dataset, !wants_json(command.output)) {}

  // Notes that standard input is read, where the dataset is called as a file is: `evq ingest FILE`.
  void note_standard_input() const;
  // Takes note of a line of the current input that is no event.
  void note_failure(std::string_view text);
  // Prints the notes on an input that was read; `head` is its beginning (time_field.h), `options`
  // are those with which it was read. "-" is standard input.
  void note_input(const std::string& path, const std::string& head, const IngestOptions& options,
                  const IngestCounts& counts);
  // Notes how many more inputs the same is true of, if any.
  void note_rest() const { inputs_.note_rest(); }

  // Adds to an error of the dataset's name what to do where that is the name of a file.
  static Error with_file_hint(Error error, const IngestCommand& command);
  // Adds to the error of opening `path` what `evq ingest FILE DATASET` meant.
  Error with_order_hint(Error error, const std::string& path) const;
  // Adds to the error of reading `path` what to do about it, as InputNotes does.
  Error with_header_hint(Error error, const std::string& path) const {
    return inputs_.with_header_hint(std::move(error), path);
  }

 private:
  void note_plain_lines(const std::string& path, const std::string& head,
                        const IngestOptions& options);
  void note_plain_text(const std::string& path, const std::string& head,
                       const IngestOptions& options);
  void note_csv_options(const std::string& path, const std::string& head,
                        const IngestOptions& options);
  void note_times(const std::string& path, const std::string& head, const IngestOptions& options,
                  const IngestCounts& counts);

  const GlobalOptions& global_;
  const IngestCommand& command_;
  bool plain_lines_ = false;  // the input has lines that failed and begin as no object does
  InputNotes inputs_;
};

}  // namespace evq
