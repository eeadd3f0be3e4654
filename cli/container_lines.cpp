#include "cli/container_lines.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/zoneless.h"
#include "store/ingest/format.h"
#include "store/ingest/json_text.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/logfmt_line.h"
#include "store/ingest/text_line.h"

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

bool begins_with_container(std::string_view text) {
  return !container_line(text).name.empty();
}

bool names_containers(std::string_view text) {
  std::size_t lines = 0;
  std::size_t with_fields = 0;
  while (!text.empty() && (lines == 0 || text.find('\n') != std::string_view::npos)) {
    const std::string_view line = take_line(&text);
    const ContainerLine named = container_line(line);
    if (is_blank(named.name.empty() ? line : named.line)) {
      continue;
    }
    if (named.name.empty() && lines == 0) {
      return false;
    }
    ++lines;
    with_fields += has_fields(trimmed(named.line)) ? 1U : 0U;
  }
  return 2 * with_fields > lines;
}

// What a program says between its events is one as well, as a line of plain text.
void append_named_line(std::string_view line, const IngestOptions& options, std::string* text) {
  const ContainerLine named = container_line(line);
  const std::string_view rest = named.name.empty() ? line : named.line;
  if (is_blank(rest)) {
    *text += '\n';
    return;
  }
  const ZonelessTimes times(options.zone.get());
  const bool timed = options.finds_line_times();
  std::string event;
  if (may_begin_object(trimmed(rest))) {
    event = trimmed(rest);
  } else if (is_logfmt_line(rest, 2)) {
    append_logfmt_as_json(&event, rest, timed ? logfmt_time(rest) : std::nullopt);
  } else {
    const auto time = timed
                          ? leading_time(rest, times_from(options.written_ns, wall_clock_now_ns()))
                          : std::nullopt;
    append_text_as_json(&event, rest, time);
  }
  if (!named.name.empty()) {
    const bool bare = trimmed(std::string_view(event).substr(1)) == "}";
    event.replace(0, 1, "{\"container\":\"" + std::string(named.name) + (bare ? "\"" : "\","));
  }
  *text += event + "\n";
}

std::optional<ContainerPart> container_part(std::string_view line) {
  constexpr std::size_t kLetterAt = std::string_view("2024-05-01").size();
  constexpr std::size_t kTimeBytesMax = 40;
  const std::size_t time_end = line.find(' ');
  if (time_end > kTimeBytesMax || time_end <= kLetterAt || line[kLetterAt] != 'T') {
    return std::nullopt;
  }
  constexpr std::string_view kStreams[] = {" stdout ", " stderr "};
  const std::string_view behind = line.substr(time_end);
  const std::string_view stream = behind.substr(0, kStreams[0].size());
  const std::string_view tag = behind.substr(stream.size(), 2);
  if ((stream != kStreams[0] && stream != kStreams[1]) || (tag != "P " && tag != "F ")) {
    return std::nullopt;
  }
  const std::size_t head = time_end + stream.size();
  const std::string_view text = line.substr(head + tag.size());
  return ContainerPart{line.substr(0, head), stream == kStreams[1], tag[0] == 'P',
                       text.substr(0, text.find_last_not_of("\r\n") + 1)};
}

bool is_container_part(std::string_view line) {
  return container_part(line).has_value();
}

void PartJoiner::add(std::string_view line, std::string* text) {
  const auto part = container_part(line);
  if (!part) {
    *text += line;
    return;
  }
  std::string& open = parts_[part->is_error ? 1 : 0];
  if (open.empty() && !part->goes_on) {
    *text += line;
    return;
  }
  if (open.size() + part->text.size() > kFieldValueBytesMax) {
    end_part(&open, text);
  }
  if (open.empty()) {
    open = part->joined_head();
  }
  open += part->text;
  if (!part->goes_on) {
    end_part(&open, text);
  }
}

void PartJoiner::end(std::string* text) {
  for (std::string& part : parts_) {
    end_part(&part, text);
  }
}

void PartJoiner::end_part(std::string* part, std::string* text) {
  *text += part->empty() ? "" : *part + "\n";
  part->clear();
}

}  // namespace evq
