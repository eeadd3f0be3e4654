#pragma once
// InputNotes tells people on stderr about inputs that are not quite what they seem, each time with
// the option or the command that mends it; nothing of that changes what is read. What is so of many
// inputs, as of the files that a log was rotated into, is told of the first. One thread.

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "cli/options.h"
#include "store/base/error.h"
#include "store/ingest/options.h"

namespace evq {

class InputNotes {
 public:
  // `reads_pipe` is the command that reads standard input instead, such as "evq ingest web";
  // `people` says that what comes of it is for people, who hear of mere guesses as well. `global`
  // must outlive it.
  InputNotes(const GlobalOptions& global, std::string reads_pipe, bool people)
      : global_(global), reads_pipe_(std::move(reads_pipe)), people_(people) {}

  bool people() const { return people_; }
  // Prints "note: PATH" and the text, and the command that pipes the input through `program`, if
  // any, and reads it with `options`. "-" is standard input.
  void tell(const std::string& path, const std::string& text, const std::string& program = {},
            const std::string& options = {});
  // Returns the command that pipes an input through another program into this command.
  std::string piped(const std::string& program, const std::string& path) const;
  // Notes that an input read as plain text seems to be a table; `head` is its beginning
  // (time_field.h), `options` are those it was read with. Returns whether that was told.
  bool note_table_in_text(const std::string& path, const std::string& head,
                          const IngestOptions& options);
  // Notes of plain text that most of its lines, or all behind a banner, are of another form, and
  // how to read those.
  void note_forms_of_lines(const std::string& path, const std::string& head,
                           const IngestOptions& options);
  // Notes that it is no plain text, though its lines were to be put together.
  void note_multiline(const std::string& path, const std::string& head,
                      const IngestOptions& options);
  // Notes a first line that is an event, and not the names of fields: it would vanish in silence;
  // and lines that only begin as JSON does, of which nothing is loaded.
  void note_header(const std::string& path, const std::string& head, const IngestOptions& options,
                   const IngestCounts& counts);
  // Notes that bytes and values of events were replaced by what can be stored.
  void note_repairs(const std::string& path, const IngestCounts& counts);
  // Notes that the only event of the input holds a list of what may be events.
  void note_listed_events(const std::string& path, const std::string& head,
                          const IngestCounts& counts);
  // Notes texts in columns of numbers, or of true and false.
  void note_odd_values(const std::string& path, const IngestCounts& counts);
  // Notes how many more inputs the same is true of, if any.
  void note_rest() const;
  // Adds to the error of reading `path` what to do about names of columns that repeat, and about
  // bytes that no text has.
  Error with_header_hint(Error error, const std::string& path) const;

 private:
  void note_no_json(const std::string& path, std::string_view head, const IngestOptions& options,
                    const IngestCounts& counts);
  bool note_unnamed_columns(const std::string& path, const std::string& head,
                            const IngestOptions& options);
  bool note_many_cells(const std::string& path, const IngestCounts& counts);

  const GlobalOptions& global_;
  const std::string reads_pipe_;
  const bool people_;
  std::set<std::string> told_;  // without the inputs' names
  std::uint64_t unsaid_ = 0;    // inputs of which nothing else is to be told
  std::string unsaid_last_;     // the last of them
};

}  // namespace evq
