#include "cli/listed_events.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/base/ascii.h"
#include "store/ingest/boundary.h"
#include "store/ingest/json_text.h"

namespace evq {

namespace {

// So many members of an object that are objects themselves, and nothing else before them, are taken
// for events under their ids.
constexpr std::size_t kObjectsInObject = 3;

enum class Events : std::uint8_t { kListed, kKeyed };

// The members of an object, and of the objects inside of it, up to the first list of objects or the
// first object of objects.
class EventFinder {
 public:
  explicit EventFinder(std::string_view text) : text_(text) {}

  std::string find(Events wanted) {
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
      Member& member = path_.back();
      member.name = take_string();
      if (member.name.empty() || !take(':')) {
        return "";
      }
      ++member.count;
      if (take('[')) {
        if (wanted == Events::kListed && take('{')) {
          return filter(path_.size());
        }
        skip_list();
      } else if (take('{')) {
        if (++member.objects == kObjectsInObject && member.objects == member.count &&
            wanted == Events::kKeyed) {
          return filter(path_.size() - 1);
        }
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
  // Of the first `depth` members of the path.
  std::string filter(std::size_t depth) const {
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) {
      const std::string_view key = path_[i].name;
      const std::string_view name = key.substr(1, key.size() - 2);
      bool plain = !name.empty() && !is_digit(name[0]);
      for (const char c : name) {
        plain = plain && (is_letter_or_digit(c) || c == '_');
      }
      out.append(".").append(plain ? name : key);
    }
    return depth == 0 ? "." : out;
  }

  // The one that is read, of an object.
  struct Member {
    std::string_view name;    // in its quotes
    std::size_t count = 0;    // of the members up to here
    std::size_t objects = 0;  // of those, the objects
  };

  const std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Member> path_;
};

}  // namespace

std::string find_listed_events(std::string_view head) {
  if (records_prefix(head).value_or(0) > 0) {
    return "";  // each is an event
  }
  return EventFinder(head).find(Events::kListed);
}

std::string find_keyed_events(std::string_view head) {
  return EventFinder(head).find(Events::kKeyed);
}

}  // namespace evq
