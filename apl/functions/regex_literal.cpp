#include "apl/functions/regex_literal.h"

#include <cstddef>

#include "store/base/ascii.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

constexpr std::size_t kLiteralBytesMin = 3;

// Walks a pattern and keeps the longest run of characters that every match must hold one after the
// other. Whatever it does not know makes it give up, which only costs speed.
class LiteralFinder {
 public:
  explicit LiteralFinder(std::string_view pattern) : pattern_(pattern) {}

  RequiredLiteral find() {
    while (at_ < pattern_.size()) {
      if (!step()) {
        return {};
      }
    }
    end_run();
    if (best_.size() < kLiteralBytesMin) {
      return {};
    }
    return {best_, only_literals_, best_is_prefix_};
  }

 private:
  // One element of the pattern; false to give up.
  bool step() {
    switch (pattern_[at_]) {
      case '|':
        return false;
      case '(':
        end_run();
        return skip_group();
      case '[':
        end_run();
        return skip_class();
      case '*':
      case '?':
      case '{':
        drop_last();
        [[fallthrough]];
      case '+':
        end_run();
        ++at_;
        return skip_counts();
      case '.':
      case '^':
      case '$':
        end_run();
        ++at_;
        return true;
      case '\\':
        return escape();
      default:
        return literal();
    }
  }

  bool literal() {
    const std::size_t begin = at_;
    next_code_point(pattern_, at_);
    last_size_ = at_ - begin;
    run_.append(pattern_.substr(begin, last_size_));
    return true;
  }

  bool escape() {
    if (at_ + 1 == pattern_.size()) {
      return false;
    }
    const char c = pattern_[at_ + 1];
    if (!is_letter_or_digit(c)) {
      ++at_;
      return literal();
    }
    if (std::string_view("dDwWsSbBAz").find(c) == std::string_view::npos) {
      return false;
    }
    end_run();
    at_ += 2;
    return true;
  }

  // After a repetition: the rest of {2,3} and of a lazy or doubled sign.
  bool skip_counts() {
    while (at_ < pattern_.size() &&
           std::string_view("0123456789,}?+*{").find(pattern_[at_]) != std::string_view::npos) {
      const char c = pattern_[at_];
      const char before = pattern_[at_ - 1];
      const bool in_number = is_digit(before);
      if (is_digit(c) && before != '{' && before != ',' && !in_number) {
        break;  // a digit of the text, as in a+1
      }
      if ((c == ',' && !in_number) || (c == '}' && before != ',' && !in_number)) {
        break;
      }
      ++at_;
    }
    return true;
  }

  bool skip_class() {
    ++at_;
    if (at_ < pattern_.size() && pattern_[at_] == '^') {
      ++at_;
    }
    if (at_ < pattern_.size() && pattern_[at_] == ']') {
      ++at_;  // the first ] is a member
    }
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      if (pattern_.substr(at_).starts_with("[:")) {
        const std::size_t close = pattern_.find(":]", at_ + 2);
        if (close == std::string_view::npos) {
          return false;
        }
        at_ = close + 2;
        continue;
      }
      at_ += pattern_[at_] == '\\' ? std::size_t{2} : std::size_t{1};
    }
    ++at_;
    return at_ <= pattern_.size();
  }

  bool skip_group() {
    std::size_t depth = 0;
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '(') {
        const std::string_view rest = pattern_.substr(at_ + 1);
        if (rest.starts_with("?") && !rest.starts_with("?P<") && !rest.starts_with("?:") &&
            !rest.starts_with("?<")) {
          return false;  // flags
        }
        ++depth;
      } else if (c == ')' && --depth == 0) {
        ++at_;
        return true;
      } else if (c == '[') {
        if (!skip_class()) {
          return false;
        }
        continue;
      } else if (c == '\\') {
        if (at_ + 1 < pattern_.size() && (pattern_[at_ + 1] == 'Q' || pattern_[at_ + 1] == 'E')) {
          return false;
        }
        ++at_;
      }
      ++at_;
    }
    return false;
  }

  void drop_last() {
    if (!run_.empty()) {
      run_.resize(run_.size() - last_size_);
    }
    last_size_ = 0;
  }

  void end_run() {
    if (run_.size() > best_.size()) {
      best_ = run_;
      best_is_prefix_ = !ended_;
    }
    ended_ = true;
    run_.clear();
    last_size_ = 0;
    only_literals_ = only_literals_ && at_ == pattern_.size();
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string run_;
  std::string best_;
  std::size_t last_size_ = 0;
  bool ended_ = false;  // a run has ended: what follows does not start the pattern
  bool best_is_prefix_ = false;
  bool only_literals_ = true;
};

}  // namespace

RequiredLiteral required_literal(std::string_view pattern) {
  return LiteralFinder(pattern).find();
}

}  // namespace evq
