#pragma once
// FakeTerminal: a TerminalDevice for tests. Input is a list of reads prepared beforehand; output
// goes to a small model of a screen that understands what the painter sends and fails loudly at
// anything else. One thread; reading past the prepared input is the end of the input.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "cli/terminal/terminal.h"
#include "cli/terminal/text_width.h"

namespace evq {

class FakeTerminal final : public TerminalDevice {
 public:
  explicit FakeTerminal(TerminalSize size = {40, 10}) : size_(size), rows_(size.rows) {}

  // One read delivers these bytes.
  void type(std::string_view bytes) { steps_.push_back({Step::kBytes, std::string(bytes), {}}); }
  // One read times out.
  void wait() { steps_.push_back({Step::kWait, {}, {}}); }
  // A read times out, and before it something happens: a look at the screen, a new size.
  void then(std::function<void()> action) {
    steps_.push_back({Step::kWait, {}, std::move(action)});
  }
  // As a terminal that wraps its lines anew is told.
  void resize(TerminalSize size);

  // Rows without blanks at their ends, and without empty rows at the bottom.
  std::string screen() const;
  std::size_t cursor_row() const { return row_; }
  std::size_t cursor_column() const { return column_; }
  std::size_t writes() const { return writes_; }
  const std::string& raw_output() const { return output_; }
  bool in_raw_mode() const { return raw_; }
  bool pastes_in_brackets() const { return bracketed_; }
  std::size_t bells() const { return bells_; }
  std::size_t suspensions() const { return suspensions_; }
  void set_interactive(bool interactive, bool shows_prompt) {
    interactive_ = interactive;
    shows_prompt_ = shows_prompt;
  }

  bool is_interactive() const override { return interactive_; }
  bool shows_prompt() const override { return shows_prompt_; }
  ReadOutcome read(std::span<char> buffer, int timeout_ms) override;
  bool write(std::string_view bytes) override;
  TerminalSize size() override { return size_; }
  Status enter_raw_mode() override {
    raw_ = true;
    return Status::success();
  }
  void leave_raw_mode() override { raw_ = false; }
  void hide_keys() override {}
  void suspend() override { ++suspensions_; }

 private:
  struct Step {
    enum Kind { kBytes, kWait } kind;
    std::string bytes;
    std::function<void()> action;
  };
  using Row = std::vector<std::string>;  // clusters; "" is the right half of a wide one

  std::size_t control(std::string_view bytes, std::size_t position);
  void put(std::string_view cluster);
  void line_feed();

  TerminalSize size_;
  std::deque<Step> steps_;
  std::vector<Row> rows_;
  std::size_t row_ = 0;
  std::size_t column_ = 0;  // size_.columns: waiting to wrap
  std::size_t writes_ = 0;
  std::size_t bells_ = 0;
  std::size_t suspensions_ = 0;
  std::string output_;
  bool raw_ = false;
  bool bracketed_ = false;
  bool interactive_ = true;
  bool shows_prompt_ = true;
};

inline ReadOutcome FakeTerminal::read(std::span<char> buffer, int) {
  if (steps_.empty()) {
    return {};
  }
  Step step = std::move(steps_.front());
  steps_.pop_front();
  if (step.kind == Step::kWait) {
    if (step.action) {
      step.action();
    }
    return {ReadState::kTimeout, 0};
  }
  REQUIRE(step.bytes.size() <= buffer.size());
  std::copy(step.bytes.begin(), step.bytes.end(), buffer.begin());
  return {ReadState::kData, step.bytes.size()};
}

inline bool FakeTerminal::write(std::string_view bytes) {
  ++writes_;
  output_.append(bytes);
  std::size_t position = 0;
  while (position < bytes.size()) {
    const auto byte = static_cast<unsigned char>(bytes[position]);
    if (byte < 0x20 || byte == 0x7F) {
      position = control(bytes, position);
      continue;
    }
    const std::size_t end = next_grapheme(bytes, position);
    put(bytes.substr(position, end - position));
    position = end;
  }
  return true;
}

inline void FakeTerminal::put(std::string_view cluster) {
  const std::size_t width = grapheme_width(cluster);
  if (width == 0) {
    return;  // a mark without a base, which terminals draw over the character before
  }
  if (column_ + width > size_.columns) {
    column_ = 0;
    line_feed();
  }
  Row& row = rows_[row_];
  row.resize(std::max(row.size(), column_ + width), " ");
  row[column_] = cluster;
  for (std::size_t i = 1; i < width; ++i) {
    row[column_ + i] = "";
  }
  column_ += width;
}

inline void FakeTerminal::line_feed() {
  if (row_ + 1 < size_.rows) {
    ++row_;
    return;
  }
  rows_.erase(rows_.begin());
  rows_.emplace_back();
}

// Obeys the control character or sequence at `position` and returns its end.
inline std::size_t FakeTerminal::control(std::string_view bytes, std::size_t position) {
  switch (bytes[position]) {
    case '\r':
      column_ = 0;
      return position + 1;
    case '\n':
      line_feed();
      return position + 1;
    case '\a':
      ++bells_;
      return position + 1;
    default:
      break;
  }
  REQUIRE(bytes.substr(position, 2) == "\x1b[");
  std::size_t end = position + 2;
  while (end < bytes.size() && bytes[end] >= 0x20 && bytes[end] < 0x40) {
    ++end;
  }
  REQUIRE(end < bytes.size());
  const std::string parameters(bytes.substr(position + 2, end - position - 2));
  const std::size_t count = parameters.empty() || parameters[0] == '?' ? 1 : std::stoul(parameters);
  switch (bytes[end]) {
    case 'A':
      CHECK_MESSAGE(count <= row_, "moved above the screen");
      row_ -= std::min(row_, count);
      break;
    case 'C':
      column_ = std::min(column_ + count, size_.columns - 1);
      break;
    case 'H':
      row_ = 0;
      column_ = 0;
      break;
    case 'K':
      rows_[row_].resize(std::min(rows_[row_].size(), column_));
      break;
    case 'J':
      if (parameters == "2") {
        rows_.assign(size_.rows, {});
      } else {
        rows_[row_].resize(std::min(rows_[row_].size(), column_));
        std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(row_) + 1, rows_.end(), Row{});
      }
      break;
    case 'h':
    case 'l':
      CHECK(parameters == "?2004");
      bracketed_ = bytes[end] == 'h';
      break;
    case 'm':
      break;
    default:
      FAIL_CHECK("the screen does not know " << std::string(bytes.substr(position, end)));
  }
  return end + 1;
}

inline void FakeTerminal::resize(TerminalSize size) {
  std::vector<Row> rows;
  std::size_t row_now = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::size_t first = rows.size();
    rows.emplace_back();
    for (const std::string& cluster : rows_[r]) {
      if (rows.back().size() >= size.columns) {
        rows.emplace_back();
      }
      rows.back().push_back(cluster);
    }
    if (r == row_) {
      row_now = first + column_ / size.columns;
      column_ %= size.columns;
    }
  }
  const std::size_t above = row_now >= size.rows ? row_now - size.rows + 1 : 0;
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(above));
  rows.resize(size.rows);
  rows_ = std::move(rows);
  row_ = row_now - above;
  size_ = size;
}

inline std::string FakeTerminal::screen() const {
  std::string out;
  std::size_t end = 0;
  for (const Row& row : rows_) {
    for (const std::string& cluster : row) {
      out += cluster;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    end = !out.empty() && out.back() != '\n' ? out.size() : end;
    out.push_back('\n');
  }
  return out.substr(0, end);
}

}  // namespace evq
