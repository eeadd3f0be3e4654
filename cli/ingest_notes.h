#pragma once
// IngestNotes tells people on stderr about inputs of `evq ingest` that are not quite what they
// seem, each time with the option or the command that mends it; nothing of that changes what is
// loaded. What is so of many inputs, as of the files that a log was rotated into, is told of the
// first. One thread.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "store/base/error.h"
#include "store/ingest/options.h"

namespace evq {

class IngestNotes {
 public:
  // Both must outlive it.
  IngestNotes(const GlobalOptions& global, const IngestCommand& command)
      : global_(global), command_(command) {}

  // Of standard input, which whoever wrote `evq ingest FILE` did not mean.
  void note_standard_input() const;
  // A line of the input that is being read is no event.
  void note_failure(std::string_view text);
  // Of an input that has been read; `head` is its beginning (time_field.h), `options` are those
  // with which it was read. "-" is standard input.
  void note_input(const std::string& path, const std::string& head, const IngestOptions& options,
                  const IngestCounts& counts);
  // How many inputs were not told of, if any.
  void note_rest() const;

  // That `path` cannot be opened: with what `evq ingest FILE DATASET` meant.
  Error with_order_hint(Error error, const std::string& path) const;
  // That `path` cannot be read: with what to do about names of columns that repeat.
  Error with_header_hint(Error error, const std::string& path) const;

 private:
  void note_encoding(const std::string& path, const IngestCounts& counts);
  void note_plain_lines(const std::string& path, const std::string& head,
                        const IngestOptions& options);
  void note_plain_text(const std::string& path, const std::string& head,
                       const IngestOptions& options);
  void note_csv_options(const std::string& path, const std::string& head,
                        const IngestOptions& options);
  void note_header(const std::string& path, const std::string& head, const IngestOptions& options,
                   const IngestCounts& counts);
  void note_times(const std::string& path, const std::string& head, const IngestOptions& options,
                  const IngestCounts& counts);
  void note_listed_events(const std::string& path, const std::string& head,
                          const IngestCounts& counts);
  // "note: PATH" and the text, and the command that pipes the input through `program`, if any, and
  // loads it with `options`.
  void tell(const std::string& path, const std::string& text, const std::string& program = {},
            const std::string& options = {});
  std::string piped(const std::string& program, const std::string& path) const;
  bool is_dataset_a_file() const;

  const GlobalOptions& global_;
  const IngestCommand& command_;
  bool plain_lines_ = false;    // the input has lines that failed and begin as no object does
  std::set<std::string> told_;  // without the inputs' names
  std::uint64_t unsaid_ = 0;    // inputs of which nothing else is to be told
  std::string unsaid_last_;     // the last of them
};

}  // namespace evq
