#include "apl/functions/term_list.h"

#include <algorithm>
#include <set>

#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// The end of the run of letters and digits that begins at `at`.
std::size_t term_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_alphanumeric(next_code_point(text, next))) {
      break;
    }
    at = next;
  }
  return at;
}

// Whether a letter or digit ends at `begin`, so that a term that begins there is only a part of
// one.
bool follows_letter(std::string_view text, std::size_t begin) {
  return begin > 0 && is_alphanumeric(previous_code_point(text, begin));
}

// Where the terms of an ASCII text begin.
std::vector<std::size_t> terms_of(std::string_view text) {
  std::vector<std::size_t> terms;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = term_end(text, at);
    if (end > at) {
      terms.push_back(at);
    }
    at = std::max(end, at + 1);
  }
  return terms;
}

std::string term_at(std::string_view text, std::size_t at) {
  return std::string(text.substr(at, term_end(text, at) - at));
}

}  // namespace

TermList::TermList(const std::vector<std::string>& needles, bool fold) : fold_(fold) {
  std::unordered_map<std::string, std::size_t> counts;  // of a term, in all needles
  for (const std::string& needle : std::set<std::string>(needles.begin(), needles.end())) {
    TextMatcher matcher(TextTest::kHas, needle, fold);
    if (!is_ascii(needle) || std::ranges::none_of(needle, is_letter_or_digit)) {
      others_.push_back(std::move(matcher));
      continue;
    }
    needles_.push_back({fold ? ascii_lower(needle) : needle, 0, std::move(matcher)});
    for (const std::size_t term : terms_of(needles_.back().text)) {
      ++counts[term_at(needles_.back().text, term)];
    }
  }
  for (std::size_t i = 0; i < needles_.size(); ++i) {
    Needle& needle = needles_[i];
    const auto count = [&](std::size_t term) { return counts[term_at(needle.text, term)]; };
    const std::vector<std::size_t> terms = terms_of(needle.text);
    needle.term = *std::ranges::min_element(terms, {}, count);
    std::string term = term_at(needle.text, needle.term);
    term_bytes_max_ = std::max(term_bytes_max_, term.size());
    by_term_[std::move(term)].push_back(i);
  }
}

bool TermList::is_around(std::string_view text, std::size_t at, const Needle& needle) const {
  if (at < needle.term || needle.text.size() > text.size() - (at - needle.term)) {
    return false;
  }
  const std::size_t begin = at - needle.term;
  const std::size_t end = begin + needle.text.size();
  const bool bounded = (!is_letter_or_digit(needle.text.front()) || !follows_letter(text, begin)) &&
                       (!is_letter_or_digit(needle.text.back()) || term_end(text, end) == end);
  const std::string_view part = text.substr(begin, needle.text.size());
  return bounded && (fold_ ? equals_ignoring_ascii_case(part, needle.text) : part == needle.text);
}

template <class Found>
bool TermList::each_found(std::string_view text, const Found& found) const {
  PollCounter poll;
  poll.add(1 + text.size() / kPollTextBytes);
  if (fold_ && !folds_by_bytes(text)) {
    for (std::size_t i = 0; i < needles_.size(); ++i) {
      poll.add(1 + text.size() / kPollTextBytes);
      if (needles_[i].matcher.matches(text) && found(i)) {
        return true;
      }
    }
    return false;
  }
  std::string term;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = term_end(text, at);
    if (end == at) {
      static_cast<void>(next_code_point(text, at));
      continue;
    }
    if (end - at <= term_bytes_max_) {
      term.assign(text, at, end - at);
      for (char& c : term) {
        c = fold_ ? to_lower(c) : c;
      }
      if (const auto same = by_term_.find(term); same != by_term_.end()) {
        for (const std::size_t i : same->second) {
          poll.add(1 + needles_[i].text.size() / kPollTextBytes);
          if (is_around(text, at, needles_[i]) && found(i)) {
            return true;
          }
        }
      }
    }
    at = end;
  }
  return false;
}

bool TermList::has_any(std::string_view text) const {
  const auto matches = [&](const TextMatcher& each) { return each.matches(text); };
  return std::ranges::any_of(others_, matches) ||
         each_found(text, [](std::size_t /*needle*/) { return true; });
}

bool TermList::has_all(std::string_view text) const {
  const auto matches = [&](const TextMatcher& each) { return each.matches(text); };
  if (!std::ranges::all_of(others_, matches)) {
    return false;
  }
  std::vector<bool> seen(needles_.size());
  std::size_t missing = needles_.size();
  return missing == 0 || each_found(text, [&](std::size_t needle) {
           missing -= seen[needle] ? 0U : 1U;
           seen[needle] = true;
           return missing == 0;
         });
}

}  // namespace evq
