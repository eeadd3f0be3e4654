#pragma once
// Lines as they come out of containers: of JSON or logfmt behind a container's name, as Docker
// Compose puts it ("web-1  | {…}"), and lines that a runtime took apart, "TIME stdout P begins "
// and "TIME stdout F ends" (CRI). Pure, but for PartJoiner, which one thread uses.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "store/ingest/options.h"

namespace evq {

// A line, split from the name of a container before it.
struct ContainerLine {
  std::string_view name;  // empty: there is none
  std::string_view line;  // what the container wrote, with its blanks
};
ContainerLine container_line(std::string_view line);

// Whether a line without blanks around it is an object of JSON.
bool is_whole_object(std::string_view line);
// Whether a line is an object of JSON or has pairs of logfmt, two at least.
bool has_fields(std::string_view line);

// Whether the first line may have the name of a container before it.
bool begins_with_container(std::string_view text);
// Whether the first line has the name of a container, and most lines have one with fields behind
// it. The last line, which may be cut, does not count.
bool names_containers(std::string_view text);
// Appends a line of such a text, without its end, as the NDJSON of its event with the field
// `container`: one line for each, an empty one for none.
void append_named_line(std::string_view line, const IngestOptions& options, std::string* text);

// A line that a runtime wrote (CRI), or a part of one.
struct ContainerPart {
  std::string_view head;  // its time and stream
  bool is_error = false;  // the stream is stderr
  bool goes_on = false;
  std::string_view text;  // without the end of the line

  // What stands before the text of a line that was put together from it on.
  std::string joined_head() const { return std::string(head) + "F "; }
};
// Returns nothing for any other line.
std::optional<ContainerPart> container_part(std::string_view line);
bool is_container_part(std::string_view line);

// Joins the parts of lines, of each stream by itself.
class PartJoiner {
 public:
  // Takes a line with its end; appends what is whole by then to `text`.
  void add(std::string_view line, std::string* text);
  // Appends the lines whose last part never came.
  void end(std::string* text);

 private:
  static void end_part(std::string* part, std::string* text);

  std::array<std::string, 2> parts_;  // of lines of stdout and stderr whose end is to come
};

}  // namespace evq
