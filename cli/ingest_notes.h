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

  // Of standard input, which whoever wrote `evq ingest FILE` did not mean.
  void note_standard_input() const;
  // A line of the input that is being read is no event.
  void note_failure(std::string_view text);
  // Of an input that has been read; `head` is its beginning (time_field.h), `options` are those
  // with which it was read. "-" is standard input.
  void note_input(const std::string& path, const std::string& head, const IngestOptions& options,
                  const IngestCounts& counts);
  // How many inputs were not told of, if any.
  void note_rest() const { inputs_.note_rest(); }

  // That the dataset cannot have its name: with what to do where that is the name of a file.
  static Error with_file_hint(Error error, const IngestCommand& command);
  // That `path` cannot be opened: with what `evq ingest FILE DATASET` meant.
  Error with_order_hint(Error error, const std::string& path) const;
  // That `path` cannot be read: with what to do about names of columns that repeat.
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
