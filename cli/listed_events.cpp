#include "cli/listed_events.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "store/base/ascii.h"
#include "store/ingest/boundary.h"
#include "store/ingest/json_text.h"

namespace evq {

namespace {

// The members of an object, and of the objects inside of it, up to the first list of objects.
class ListFinder {
 public:
  explicit ListFinder(std::string_view text) : text_(text) {}

  std::string find() {
    if (!take('{')) {
      return "";
    }
    path_.emplace_back();
    while (!path_.empty() && at_ < text_.size()) {
      if (take('}')) {
        path_.pop_back();
        take(',');
        continue;
      }
      path_.back() = take_string();
      if (path_.back().empty() || !take(':')) {
        return "";
      }
      if (take('[')) {
        if (take('{')) {
          return filter();
        }
        skip_list();
      } else if (take('{')) {
        path_.emplace_back();
        continue;
      } else {
        skip_scalar();
      }
      take(',');
    }
    return "";
  }

 private:
  char next() {
    while (at_ < text_.size() && is_json_blank(text_[at_])) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c) {
      return false;
    }
    ++at_;
    return true;
  }
  // With its quotes, as it is written; empty where none stands.
  std::string_view take_string() {
    if (next() != '"') {
      return "";
    }
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      at_ += text_[at_] == '\\' ? 2U : 1U;
    }
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, at_ - begin);
  }
  void skip_scalar() {
    if (take_string().empty()) {
      at_ = std::min(text_.find_first_of(",}]", at_), text_.size());
    }
  }
  // The rest of a list that begins with no object.
  void skip_list() {
    std::size_t depth = 1;
    while (depth > 0 && at_ < text_.size()) {
      const char c = next();
      if (c == '"') {
        take_string();
        continue;
      }
      depth += c == '[' || c == '{' ? 1U : 0U;
      depth -= c == ']' || c == '}' ? 1U : 0U;
      ++at_;
    }
  }
  std::string filter() const {
    std::string out;
    for (const std::string_view key : path_) {
      const std::string_view name = key.substr(1, key.size() - 2);
      bool plain = !name.empty() && !is_digit(name[0]);
      for (const char c : name) {
        plain = plain && (is_letter_or_digit(c) || c == '_');
      }
      out.append(".").append(plain ? name : key);
    }
    return out;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string_view> path_;  // of the member, each name in its quotes
};

}  // namespace

std::string find_listed_events(std::string_view head) {
  if (records_prefix(head).value_or(0) > 0) {
    return "";  // each is an event
  }
  return ListFinder(head).find();
}

}  // namespace evq
