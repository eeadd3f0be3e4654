#include "cli/container_line.h"

#include <algorithm>
#include <cstddef>

#include "store/base/ascii.h"
#include "store/ingest/format.h"
#include "store/ingest/logfmt_line.h"

namespace evq {

ContainerLine container_line(std::string_view line) {
  constexpr std::string_view kMark = " | ";
  const std::size_t bar = line.find(kMark);
  const std::string_view name = trimmed(line.substr(0, bar));
  const bool is_name =
      bar != std::string_view::npos && !name.empty() && std::ranges::all_of(name, [](char c) {
        return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
      });
  return is_name ? ContainerLine{name, line.substr(bar + kMark.size())} : ContainerLine{};
}

bool is_whole_object(std::string_view line) {
  return may_begin_object(line) && line.ends_with('}');
}

bool has_fields(std::string_view line) {
  constexpr std::size_t kPairsMin = 2;
  return is_whole_object(line) || is_logfmt_line(line, kPairsMin);
}

}  // namespace evq
