// "Did you mean": optimal string alignment distance (insertions, deletions, substitutions and swaps
// of neighbours each cost one, every place edited once), ignoring the case of ASCII letters. A name
// is near when at most about a third of it differs, or when one is a beginning of the other; of two
// names of four letters, half is too much.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"

namespace evq::diag {

namespace {

constexpr std::size_t kAlsoMax = 2;
// Before the names that come after the nearest; a bracket closes the hint.
constexpr std::string_view kAlso = "   (also: ";
constexpr std::size_t kComparedBytesMax = 128;  // longer names are never near anything

bool starts_with_fold(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::size_t distance_max(std::size_t size) {
  return size < 4 ? 1 : std::max<std::size_t>(2, size / 3);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1);
  std::vector<std::size_t> back(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    back[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = to_lower(a[i - 1]) == to_lower(b[j - 1]);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2]) &&
                           to_lower(a[i - 2]) == to_lower(b[j - 1]);
      if (swapped) {
        row[j] = std::min(row[j], two_back[j - 2] + 1);
      }
    }
    std::swap(two_back, back);
    std::swap(back, row);
  }
  return back[b.size()];
}

// How many bytes the shorter text shares with the beginning and the end of the other.
std::size_t shared_ends(std::string_view a, std::string_view b) {
  const std::size_t size = std::min(a.size(), b.size());
  std::size_t front = 0;
  while (front < size && to_lower(a[front]) == to_lower(b[front])) {
    ++front;
  }
  std::size_t back = 0;
  while (back < size - front &&
         to_lower(a[a.size() - 1 - back]) == to_lower(b[b.size() - 1 - back])) {
    ++back;
  }
  return front + back;
}

// Of names as far away, those that the typed one begins come first, then those that keep more of
// it: a letter was forgotten more often than one was added.
struct Ranked {
  std::size_t cost;
  bool differs;  // from its first letters on, or within them
  std::size_t size_gap;
  std::size_t shared;
  std::string_view name;
  bool near;
  friend bool operator<(const Ranked& a, const Ranked& b) {
    return std::tie(a.cost, a.differs, a.size_gap, b.shared, a.name) <
           std::tie(b.cost, b.differs, b.size_gap, a.shared, b.name);
  }
};

Ranked rank(std::string_view name, std::string_view candidate) {
  const std::size_t gap = name.size() > candidate.size() ? name.size() - candidate.size()
                                                         : candidate.size() - name.size();
  const bool extends = name.size() >= 3 && starts_with_fold(candidate, name);
  Ranked ranked{.cost = name.size() + candidate.size(),
                .differs = !extends,
                .size_gap = gap,
                .shared = shared_ends(name, candidate),
                .name = candidate,
                .near = false};
  if (candidate.empty() || candidate == name || candidate.size() > kComparedBytesMax) {
    return ranked;
  }
  const std::size_t cost_max = distance_max(std::min(name.size(), candidate.size()));
  if (gap <= cost_max) {
    ranked.cost = edit_distance(name, candidate);
    const bool half = ranked.cost > 1 && 2 * ranked.cost >= std::max(name.size(), candidate.size());
    ranked.near = ranked.cost <= cost_max && ranked.cost < name.size() && !half;
  }
  if (!ranked.near && extends) {
    ranked.cost = cost_max;
    ranked.near = true;
  }
  return ranked;
}

constexpr std::size_t kWordBytesMin = 3;  // shorter ones stand in too many names

// Between blanks, dots, dashes and the like, ignoring the case of ASCII letters.
bool has_word(std::string_view text, std::string_view word) {
  if (word.size() < kWordBytesMin) {
    return false;
  }
  const auto parts = [](char c) {
    return !is_letter_or_digit(c) && static_cast<unsigned char>(c) < 0x80;
  };
  for (std::size_t at = 0; at + word.size() <= text.size(); ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || parts(text[at - 1])) && (end == text.size() || parts(text[end])) &&
        starts_with_fold(text.substr(at), word)) {
      return true;
    }
  }
  return false;
}

// A name, or several with dots between, that need no quotes.
bool is_plain_path(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (!syntax::is_plain_name(path.substr(begin, end - begin))) {
      return false;
    }
    begin = end + 1;
  }
  return true;
}

}  // namespace

Suggestion suggest(std::string_view name, Candidates candidates) {
  Suggestion suggestion;
  if (name.empty() || name.size() > kComparedBytesMax) {
    return suggestion;
  }
  std::vector<Ranked> near;
  for (const std::string_view candidate : candidates) {
    if (const Ranked ranked = rank(name, candidate); ranked.near) {
      near.push_back(ranked);
    }
  }
  if (near.empty()) {
    return suggestion;
  }
  const Ranked best = *std::min_element(near.begin(), near.end());
  suggestion.best = std::string(best.name);
  // Longer relatives of the best name are worth showing even when they are far from the typo.
  for (const std::string_view candidate : candidates) {
    const bool known = std::any_of(near.begin(), near.end(),
                                   [&](const Ranked& other) { return other.name == candidate; });
    if (!known && candidate != name && best.name.size() >= 3 &&
        starts_with_fold(candidate, best.name)) {
      near.push_back({.cost = distance_max(name.size()),
                      .differs = true,
                      .size_gap = candidate.size() - best.name.size(),
                      .shared = 0,
                      .name = candidate,
                      .near = true});
    }
  }
  std::sort(near.begin(), near.end());
  for (const Ranked& ranked : near) {
    const bool repeated = ranked.name == best.name || ranked.cost > best.cost + 1 ||
                          std::find(suggestion.also.begin(), suggestion.also.end(), ranked.name) !=
                              suggestion.also.end();
    if (!repeated && suggestion.also.size() < kAlsoMax) {
      suggestion.also.emplace_back(ranked.name);
    }
  }
  std::sort(suggestion.also.begin(), suggestion.also.end());
  return suggestion;
}

Suggestion suggest_by_word(std::string_view name, Candidates candidates) {
  std::vector<std::string_view> near;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() <= kComparedBytesMax && has_word(candidate, name) &&
        std::ranges::find(near, candidate) == near.end()) {
      near.push_back(candidate);
    }
  }
  std::ranges::sort(near, [](std::string_view a, std::string_view b) {
    return std::tuple(a.size(), a) < std::tuple(b.size(), b);
  });
  Suggestion suggestion;
  for (const std::string_view candidate : near) {
    if (suggestion.best.empty()) {
      suggestion.best = std::string(candidate);
    } else if (suggestion.also.size() < kAlsoMax) {
      suggestion.also.emplace_back(candidate);
    }
  }
  return suggestion;
}

std::string did_you_mean(const Suggestion& suggestion, Suggested what) {
  if (suggestion.best.empty()) {
    return {};
  }
  const auto shown = [&](const std::string& name) {
    return what == Suggested::kName && !is_plain_path(name) ? syntax::bracket_name(name) : name;
  };
  const std::string best = shown(suggestion.best);
  std::string out = "did you mean " + (best == suggestion.best ? "'" + best + "'" : best) + "?";
  for (const std::string& also : suggestion.also) {
    out += (&also == suggestion.also.data() ? std::string(kAlso) : ", ") + shown(also);
  }
  return out + (suggestion.also.empty() ? "" : ")");
}

std::string did_you_mean(std::string_view name, Candidates candidates) {
  return did_you_mean(suggest(name, candidates), Suggested::kWord);
}

std::string inline_hint(std::string_view hint) {
  const std::size_t also = hint.find(kAlso);
  if (also == std::string_view::npos || !hint.ends_with(')')) {
    return std::string(hint);
  }
  const std::string_view names = hint.substr(also + kAlso.size());
  return std::string(hint.substr(0, also)) +
         " also: " + std::string(names.substr(0, names.size() - 1));
}

}  // namespace evq::diag
