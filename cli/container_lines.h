#pragma once
// Lines as they come out of containers: of JSON or logfmt behind a container's name, as Docker
// Compose puts it ("web-1  | {…}"), and lines that a runtime took apart, "TIME stdout P begins "
// and "TIME stdout F ends" (CRI). Pure, but for PartJoiner, which one thread uses.

#include <array>
#include <cstddef>
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

// Whether a line is one that a runtime wrote (CRI), or a part of one.
bool is_container_part(std::string_view line);
// Returns the last place of such a text that is between two whole lines of each stream.
std::size_t whole_parts_end(std::string_view text);

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
