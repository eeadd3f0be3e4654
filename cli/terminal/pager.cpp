#include "cli/terminal/pager.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "cli/terminal/ignored_keys.h"
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
    if (!writer_.has_value()) {
      writer_.emplace(output_, stopped_);
    }
    return pass_on(writer_->write(text));
  }
  if (kept_.append(text, size_)) {
    return true;
  }
  pager_ = ::popen(shell_command(command_).c_str(), "we");
  direct_ = pager_ == nullptr;
  if (pager_ != nullptr) {
    writer_.emplace(::fileno(pager_), nullptr);  // Ctrl-C is the pager's while there is one
  }
  plain_ = !forces_color_ && !pager_takes_color(command_, process_environment()("LESS"));
  const std::string kept = kept_.take();
  return write(kept);
}

// Notes how a write to the writer's descriptor ended.
bool PagedOutput::pass_on(bool written) {
  gone_ = !written;
  failure_ = gone_ && pager_ == nullptr && errno != EPIPE ? errno : 0;
  left_ = gone_ && pager_ != nullptr;
  return written;
}

bool PagedOutput::drain() {
  return !gone_ && (!writer_.has_value() || pass_on(writer_->drain()));
}

bool PagedOutput::finish() {
  if (pager_ == nullptr && !gone_ && !kept_.text().empty()) {
    direct_ = true;
    const std::string kept = kept_.take();
    write(kept);
  }
  if (pager_ != nullptr) {
    // Ctrl-C is the pager's, which goes on. The stream's own buffer is empty: all went past it.
    const IgnoredKeys keys;
    drain();
    ::pclose(pager_);
    pager_ = nullptr;
    writer_.reset();
    direct_ = true;
  }
  drain();
  return !gone_;
}

}  // namespace evq
