#include "cli/terminal/pager.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "cli/terminal/ignored_keys.h"
#include "cli/terminal/text_width.h"
#include "store/base/ascii.h"

namespace evq {

namespace {

// Run before the pager: less shows UTF-8 as bytes in hexadecimal where the locale does not say
// UTF-8, as in many a session over ssh. Without options of its own it shows colours, cuts long
// lines, and leaves what fits the screen there.
constexpr std::string_view kPagerSettings =
    "LESSCHARSET=${LESSCHARSET-utf-8}; LESS=${LESS-FRSX}; export LESSCHARSET LESS; ";

constexpr std::string_view kColorPagers[] = {"bat", "batcat", "moar", "moor", "ov"};

// Options of less whose argument is the rest of the word.
constexpr std::string_view kLessOptionsWithText = "#bhjkoOpPtTxyzD\"";

// The word in front, taken from the text.
std::string_view take_word(std::string_view* text) {
  const std::size_t begin = std::min(text->find_first_not_of(" \t"), text->size());
  const std::size_t end = std::min(text->find_first_of(" \t", begin), text->size());
  const std::string_view word = text->substr(begin, end - begin);
  text->remove_prefix(end);
  return word;
}

// Whether a word of options, without its first dash, tells less to pass colours on.
bool shows_color(std::string_view word) {
  if (word.starts_with('-')) {
    return word.starts_with("-raw-control-chars") || word.starts_with("-RAW-CONTROL-CHARS");
  }
  const std::string_view letters = word.substr(0, word.find_first_of(kLessOptionsWithText));
  return !word.starts_with('+') && letters.find_first_of("rR") != std::string_view::npos;
}

// A line of more bytes, such as an answer of the API, is taken to fill the screen.
constexpr std::size_t kKeptLineBytesMax = std::size_t{1} << 20U;

// Where the escape sequence that starts at `position` ends: ESC [ parameters final, or ESC and one.
std::size_t end_of_escape(std::string_view text, std::size_t position) {
  std::size_t end = position + 1;
  if (end < text.size() && text[end] == '[') {
    ++end;
    while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) {
      ++end;
    }
  }
  return std::min(end + 1, text.size());
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t end = std::min(text.find('\x1b', position), text.size());
    plain.append(text.substr(position, end - position));
    position = end < text.size() ? end_of_escape(text, end) : end;
  }
  return plain;
}

std::size_t line_width(std::string_view line) {
  std::size_t width = 0;
  std::size_t position = 0;
  while (position < line.size()) {
    if (line[position] == '\x1b') {
      position = end_of_escape(line, position);
      continue;
    }
    const std::size_t end = std::min(line.find('\x1b', position), line.size());
    width += text_width(line.substr(position, end - position));
    position = end;
  }
  return width;
}

// The pager as the shell runs it. One that is not installed loses nobody's answer: cat stands in.
std::string shell_command(const std::string& pager) {
  const std::string program = pager.substr(0, pager.find(' '));
  const bool plain = std::ranges::all_of(program, [](char c) {
    return is_letter_or_digit(c) || std::string_view("/._+-").find(c) != std::string_view::npos;
  });
  std::string command(kPagerSettings);
  if (plain) {
    command += "command -v " + program + " >/dev/null || { echo \"note: there is no pager '" +
               program + "'\" >&2; exec cat; }; ";
  }
  return command + pager;
}

}  // namespace

std::string pager_command(const Environment& environment) {
  for (const char* name : {"EVQ_PAGER", "PAGER"}) {
    if (const auto value = environment(name)) {
      return *value == "cat" ? std::string() : *value;
    }
  }
  return "less -RSFX";
}

bool pager_takes_color(std::string_view command, const std::optional<std::string>& less) {
  std::string_view program = take_word(&command);
  program.remove_prefix(program.rfind('/') + 1);  // npos + 1 is 0
  if (program != "less") {
    return std::ranges::find(kColorPagers, program) != std::end(kColorPagers);
  }
  bool color = !less.has_value();
  std::string_view options;
  if (less.has_value()) {
    options = *less;
  }
  while (!options.empty()) {
    std::string_view word = take_word(&options);
    word.remove_prefix(word.starts_with('-') ? 1 : 0);
    color = color || shows_color(word);
  }
  while (!command.empty()) {
    const std::string_view word = take_word(&command);
    color = color || (word.starts_with('-') && shows_color(word.substr(1)));
  }
  return color;
}

std::size_t count_screen_rows(std::string_view text, std::size_t columns, std::size_t rows_max) {
  columns = std::max<std::size_t>(columns, 1);
  std::size_t rows = 0;
  while (!text.empty() && rows <= rows_max) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t width = line_width(text.substr(0, end));
    rows += std::max<std::size_t>((width + columns - 1) / columns, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

PagedOutput::PagedOutput(int output, TerminalSize size, std::string command, bool (*stopped)())
    : output_(output),
      size_(size),
      command_(std::move(command)),
      stopped_(stopped),
      direct_(command_.empty()) {}

PagedOutput::~PagedOutput() {
  finish();
}

bool PagedOutput::write(std::string_view text) {
  if (gone_) {
    return false;
  }
  if (pager_ != nullptr || direct_) {
    const std::string plain = pager_ != nullptr && plain_ ? without_escapes(text) : std::string();
    text = pager_ != nullptr && plain_ ? std::string_view(plain) : text;
    // Ctrl-C is the pager's while there is one.
    gone_ = pager_ != nullptr ? !write_quietly(::fileno(pager_), text)
                              : !write_quietly(output_, text, stopped_);
    failure_ = gone_ && pager_ == nullptr && errno != EPIPE ? errno : 0;
    return !gone_;
  }
  const std::size_t begin = kept_.size();
  kept_.append(text);
  if (const std::size_t last_break = text.rfind('\n'); last_break != std::string_view::npos) {
    const std::size_t end = begin + last_break + 1;
    rows_ += count_screen_rows(std::string_view(kept_).substr(line_start_, end - line_start_),
                               size_.columns, size_.rows);
    line_start_ = end;
  }
  // The prompt that follows needs a row, too.
  if (rows_ + 1 <= size_.rows && kept_.size() - line_start_ <= kKeptLineBytesMax) {
    return true;
  }
  pager_ = ::popen(shell_command(command_).c_str(), "we");
  direct_ = pager_ == nullptr;
  plain_ = !forces_color_ && !pager_takes_color(command_, process_environment()("LESS"));
  const std::string kept = std::exchange(kept_, {});
  return write(kept);
}

bool PagedOutput::finish() {
  if (pager_ == nullptr && !gone_ && !kept_.empty()) {
    direct_ = true;
    const std::string kept = std::exchange(kept_, {});
    write(kept);
  }
  if (pager_ != nullptr) {
    // Ctrl-C is the pager's, which goes on. The stream's own buffer is empty: all went past it.
    const IgnoredKeys keys;
    ::pclose(pager_);
    pager_ = nullptr;
    direct_ = true;
  }
  return !gone_;
}

}  // namespace evq
