#include "cli/terminal/text_width.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <utf8proc.h>

#include "store/base/utf8.h"

namespace evq {

namespace {

constexpr char32_t kEmojiPresentation = 0xFE0F;
constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kBlackFlag = 0x1F3F4;
constexpr std::size_t kClusterWidthMax = 2;

bool is_ascii_byte(char byte) {
  return static_cast<unsigned char>(byte) < 0x80;
}

utf8proc_int32_t raw(char32_t code_point) {
  return static_cast<utf8proc_int32_t>(code_point);
}

// Format characters that change how other text is read without showing themselves. The joiners are
// part of words and emoji; tags are part of a flag when they follow the black flag.
bool is_deceptive(char32_t code_point, char32_t cluster_start) {
  if (code_point < 0xA0 || code_point == kJoiner || code_point == kNonJoiner) {
    return false;
  }
  if (cluster_start == kBlackFlag && code_point >= 0xE0020 && code_point <= 0xE007F) {
    return false;
  }
  const utf8proc_property_t* property = utf8proc_get_property(raw(code_point));
  return property->category == UTF8PROC_CATEGORY_ZL || property->category == UTF8PROC_CATEGORY_ZP ||
         (property->category == UTF8PROC_CATEGORY_CF && property->ignorable != 0);
}

bool is_control(char32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

// Appends the code point as it may be printed; returns true when that is an escape.
bool append_visible(std::string& out, char32_t code_point, char32_t cluster_start) {
  if (is_control(code_point)) {
    switch (code_point) {
      case '\n':
        out += "\\n";
        return true;
      case '\r':
        out += "\\r";
        return true;
      case '\t':
        out += "\\t";
        return true;
      default:
        fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                       static_cast<std::uint32_t>(code_point));
        return true;
    }
  }
  if (is_deceptive(code_point, cluster_start)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code_point));
    return true;
  }
  append_code_point(out, code_point);
  return false;
}

// Appends one cluster made visible; returns its cells.
std::size_t append_visible_cluster(std::string& out, std::string_view cluster) {
  const std::size_t start = out.size();
  std::size_t position = 0;
  char32_t first = 0;
  bool escaped = false;
  while (position < cluster.size()) {
    const bool at_start = position == 0;
    const char32_t code_point = next_code_point(cluster, position);
    first = at_start ? code_point : first;
    escaped = append_visible(out, code_point, first) || escaped;
  }
  const std::string_view shown = std::string_view(out).substr(start);
  return escaped ? text_width(shown) : grapheme_width(shown);
}

}  // namespace

std::size_t next_grapheme(std::string_view text, std::size_t position) {
  const std::size_t after = position + 1;
  if (is_ascii_byte(text[position]) && (after >= text.size() || is_ascii_byte(text[after]))) {
    const bool crlf = text[position] == '\r' && after < text.size() && text[after] == '\n';
    return crlf ? after + 1 : after;
  }
  char32_t left = next_code_point(text, position);
  utf8proc_int32_t state = 0;
  while (position < text.size()) {
    std::size_t end = position;
    const char32_t right = next_code_point(text, end);
    if (utf8proc_grapheme_break_stateful(raw(left), raw(right), &state)) {
      break;
    }
    left = right;
    position = end;
  }
  return position;
}

std::size_t previous_grapheme(std::string_view text, std::size_t position) {
  // Two neighbouring ASCII bytes have an edge between them, whatever came before, so clusters are
  // counted from the last such place. A line break's two bytes are the exception.
  std::size_t edge = position - 1;
  while (edge > 0 && !(is_ascii_byte(text[edge]) && is_ascii_byte(text[edge - 1]) &&
                       !(text[edge] == '\n' && text[edge - 1] == '\r'))) {
    --edge;
  }
  while (true) {
    const std::size_t next = next_grapheme(text.substr(0, position), edge);
    if (next >= position) {
      return edge;
    }
    edge = next;
  }
}

std::size_t grapheme_width(std::string_view cluster) {
  std::size_t width = 0;
  std::size_t position = 0;
  while (position < cluster.size()) {
    const char32_t code_point = next_code_point(cluster, position);
    if (code_point == kEmojiPresentation && width == 1) {
      return kClusterWidthMax;
    }
    width += static_cast<std::size_t>(code_point_width(code_point));
  }
  return std::min(width, kClusterWidthMax);
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t end = next_grapheme(text, position);
    width += grapheme_width(text.substr(position, end - position));
    position = end;
  }
  return width;
}

std::string visible_text(std::string_view text, LineBreaks breaks, std::size_t width_max) {
  std::string out;
  std::size_t width = 0;
  std::size_t position = 0;
  while (position < text.size() && width <= width_max) {
    const std::size_t end = next_grapheme(text, position);
    const std::string_view cluster = text.substr(position, end - position);
    if (breaks == LineBreaks::kKeep && (cluster == "\n" || cluster == "\r\n")) {
      out.push_back('\n');
    } else {
      width += append_visible_cluster(out, cluster);
    }
    position = end;
  }
  return out;
}

std::string harmless_text(std::string_view text) {
  std::string out;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t start = position;
    const char32_t code_point = next_code_point(text, position);
    const bool control = is_control(code_point) && code_point != '\n' && code_point != '\t';
    // Whatever may be part of a flag passes, and beyond four digits there is no such escape.
    if (control || (code_point <= 0xFFFF && is_deceptive(code_point, kBlackFlag))) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code_point));
    } else {
      out.append(text.substr(start, position - start));
    }
  }
  return out;
}

std::string truncate_to_width(std::string_view text, std::size_t width, Ellipsis ellipsis) {
  const std::string_view mark = ellipsis == Ellipsis::kUnicode ? "…" : width >= 8 ? "..." : "~";
  const std::size_t mark_width = text_width(mark);
  std::size_t used = 0;
  std::size_t position = 0;
  std::size_t cut = 0;  // how much fits beside the ellipsis
  while (position < text.size()) {
    const std::size_t end = next_grapheme(text, position);
    used += grapheme_width(text.substr(position, end - position));
    if (used > width) {
      std::string out(text.substr(0, cut));
      return width == 0 ? std::string() : out.append(mark);
    }
    position = end;
    cut = used + mark_width <= width ? end : cut;
  }
  return std::string(text);
}

std::vector<std::string_view> wrap_to_width(std::string_view text, std::size_t width) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  std::size_t position = 0;
  std::size_t used = 0;
  std::size_t blank = 0;  // just after the last blank of this line; `start` when there is none
  while (position < text.size()) {
    const std::size_t end = next_grapheme(text, position);
    const std::size_t cells = grapheme_width(text.substr(position, end - position));
    if (used + cells > width && position > start) {
      const std::size_t stop = blank > start ? blank : position;
      lines.push_back(text.substr(start, stop - start));
      start = stop;
      blank = stop;
      used = text_width(text.substr(start, position - start));
      continue;
    }
    used += cells;
    if (text[position] == ' ') {
      blank = end;
    }
    position = end;
  }
  if (start < text.size() || lines.empty()) {
    lines.push_back(text.substr(start));
  }
  return lines;
}

}  // namespace evq
