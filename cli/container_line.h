#pragma once
// Lines behind the names of containers, as Docker Compose puts them together: "web-1  | the line".
// Pure functions; nothing here fails.

#include <string_view>

namespace evq {

struct ContainerLine {
  std::string_view name;  // empty: there is none
  std::string_view line;  // what the container wrote, with its blanks
};

ContainerLine container_line(std::string_view line);

// Whether a line without blanks around it is an object of JSON.
bool is_whole_object(std::string_view line);
// Whether it is one or has pairs of logfmt, two at least.
bool has_fields(std::string_view line);

}  // namespace evq
