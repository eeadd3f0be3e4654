#include "store/ingest/log_entry.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/ingest/leading_time.h"

namespace evq {

namespace {

constexpr std::string_view kGoroutine = "goroutine ";
constexpr std::string_view kTraceback = "Traceback (most recent call last)";

bool begins_with_any(std::string_view line, std::initializer_list<std::string_view> heads) {
  return std::ranges::any_of(heads, [&](std::string_view head) { return line.starts_with(head); });
}

// Python puts these between the tracebacks of exceptions that follow from each other.
bool links_tracebacks(std::string_view line) {
  return begins_with_any(
      line, {"During handling of the above exception", "The above exception was the direct cause"});
}

// Whether a line begins with a blank that does not align a level or a day, as in " INFO" below
// "ERROR" and " 1 May" below "30 Apr".
bool is_indented(std::string_view line) {
  if (line.size() > 2 && is_digit(line[1]) && !is_digit(line[2])) {
    return false;
  }
  const std::string_view words = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  return words.size() < line.size() &&
         !begins_with_any(words, {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "SEVERE",
                                  "CRIT", "FATAL", "FINE"});
}

}  // namespace

bool LogEntryRule::begins(std::string_view line) {
  if (at_margin_ && is_indented(line)) {
    return false;
  }
  // What is read without a year needs no clock to be a time.
  const bool timed = leading_time(line, 0).has_value();
  if (!timed && (timed_ || continues_untimed(line))) {
    return false;
  }
  timed_ = timed;
  at_margin_ = timed && line.front() != ' ' && line.front() != '\t';
  traceback_ = line.starts_with(kTraceback) ? Traceback::kOpen : Traceback::kNone;
  goroutine_ = line.starts_with(kGoroutine);
  return true;
}

// "main.run({0x4a, 0x2})", "created by main.main in goroutine 1" and the like.
bool LogEntryRule::goes_on_in_stack(std::string_view line) const {
  const std::size_t open = line.find('(');
  const bool is_call = line.ends_with(')') && open != std::string_view::npos && open > 0 &&
                       line.substr(0, open).find(' ') == std::string_view::npos;
  return goroutine_ && (is_call || begins_with_any(line, {"created by ", "...additional frames"}));
}

bool LogEntryRule::continues_untimed(std::string_view line) {
  if (line.starts_with(kTraceback)) {
    const bool another = traceback_ != Traceback::kEnded;
    traceback_ = Traceback::kOpen;
    return another;
  }
  if (links_tracebacks(line)) {
    traceback_ = Traceback::kNone;
    return true;
  }
  if (std::string_view(" \t}])").find(line.front()) != std::string_view::npos) {
    return true;
  }
  if (traceback_ == Traceback::kOpen) {
    traceback_ = Traceback::kEnded;
    return true;
  }
  goroutine_ = goroutine_ || line.starts_with(kGoroutine);
  return goes_on_in_stack(line) ||
         begins_with_any(line, {"Caused by:", "Suppressed:", "... ", kGoroutine, "[signal SIG"});
}

std::string_view entry_text(std::string_view spanned) {
  for (std::string_view rest = spanned; !rest.empty() && is_blank(take_line(&rest));) {
    spanned = rest;
  }
  return spanned.substr(0, spanned.find_last_not_of(kBlanks) + 1);
}

std::size_t last_entry_begin(std::string_view text) {
  LogEntryRule rule;
  std::size_t begin = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t at = text.size() - rest.size();
    const std::string_view line = take_line(&rest);
    if (!is_blank(line) && rule.begins(line)) {
      begin = at;
    }
  }
  return begin;
}

bool has_longer_entries(std::string_view text) {
  LogEntryRule rule;
  for (bool first = true; !text.empty();) {
    const std::string_view line = take_line(&text);
    if (!is_blank(line)) {
      if (!rule.begins(line) && !first) {
        return true;
      }
      first = false;
    }
  }
  return false;
}

namespace {

class EntryScanner : public BoundaryScanner {
 public:
  Status scan(std::string_view text, std::size_t events_max, bool at_end) override {
    while (events_ < events_max) {
      const std::size_t feed = text.find('\n', seen_);
      seen_ = feed == std::string_view::npos ? text.size() : feed + 1;
      if (feed == std::string_view::npos && (!at_end || line_begin_ == seen_)) {
        break;
      }
      take_line(text.substr(line_begin_, seen_ - line_begin_));
      line_begin_ = seen_;
    }
    if (at_end && line_begin_ == text.size() && begin_ < line_begin_ && events_ < events_max) {
      end_entry();
    }
    return {};
  }

  void pause() override {
    if (open_) {
      end_entry();
    }
  }

  void drop(std::size_t bytes) override {
    begin_ -= std::min(begin_, bytes);
    line_begin_ -= std::min(line_begin_, bytes);
    forget(bytes);
  }

 private:
  void take_line(std::string_view line) {
    if (is_blank(line)) {
      return;  // inside of an entry or behind it
    }
    const bool begins = rule_.begins(line.substr(0, line.find_last_not_of("\r\n") + 1));
    const bool full = line_begin_ + line.size() - begin_ > kFieldValueBytesMax;
    if (open_ && (begins || full)) {
      end_entry();
    }
    open_ = true;
  }

  // Before the line at hand.
  void end_entry() {
    spans_.push_back({static_cast<std::uint32_t>(begin_),
                      static_cast<std::uint32_t>(line_begin_ - begin_), false, true});
    begin_ = line_begin_;
    whole_bytes_ = line_begin_;
    ++events_;
    open_ = false;
  }

  LogEntryRule rule_;
  std::size_t begin_ = 0;       // of the entry at hand
  std::size_t line_begin_ = 0;  // of the line at hand
  bool open_ = false;           // the entry has a line that is not blank
};

}  // namespace

std::unique_ptr<BoundaryScanner> make_entry_scanner() {
  return std::make_unique<EntryScanner>();
}

}  // namespace evq
