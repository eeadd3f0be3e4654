#pragma once
// Regex: one compiled regular expression of RE2's syntax, with bounded time and memory for every
// pattern. It is immutable and safe from any thread. A literal that every match must contain is
// taken out of the pattern, so that columns are first searched for it at the speed of memory.
// Searches fail as allocations do when they would take too long (regex_cost.h).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/text_search.h"
#include "store/base/allocation_meter.h"
#include "store/base/result.h"
#include "store/column/vector.h"

namespace evq {

struct RegexOptions {
  bool ignore_case = false;
  bool multi_line = false;  // ^ and $ match at line ends
  bool dot_all = false;     // . matches a line end
  bool ungreedy = false;
};

class Regex {
 public:
  // Fails with a sentence that names what is wrong with the pattern.
  static Result<std::shared_ptr<const Regex>> compile(std::string_view pattern,
                                                      RegexOptions options = {});
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // Returns the number of groups of the pattern, the whole match not counted.
  std::size_t group_count() const;
  // Returns the names of named groups by number.
  std::map<int, std::string> group_names() const;
  // Whether some part of `text` matches.
  bool search(std::string_view text) const;
  // Finds the first match at or after `from`: groups[0] is the match, groups[i] its group i, whose
  // data() is null when it took no part. At most group_count() + 1 are set.
  bool match(std::string_view text, std::size_t from, std::span<std::string_view> groups) const;
  // Matches as match(), but the match must be all of `text`.
  bool match_whole(std::string_view text, std::span<std::string_view> groups) const;
  // Sets to[slot] to 1 where a string matches, else to 0; a null is the empty text. Polls.
  void match_slots(const Values& values, std::uint8_t* to) const;

 private:
  struct Compiled;
  // Decides about a row that has the literal at `at`, after `hits_before` others of it.
  static HitVerdict accept_hit(const Compiled& compiled, std::string_view row, std::size_t at,
                               std::size_t hits_before);
  explicit Regex(std::unique_ptr<Compiled> compiled);

  std::unique_ptr<Compiled> compiled_;
};

// The matches of a pattern in a text one after the other, as RE2 finds them: they do not overlap,
// and where one ends no empty one begins. Polls. Both must outlive it. One thread at a time.
class RegexMatches {
 public:
  RegexMatches(const Regex& regex, std::string_view text, std::size_t from = 0)
      : regex_(regex), text_(text), from_(from) {}

  // Finds the next match and its groups, as Regex::match does; false at the end.
  bool next(std::span<std::string_view> groups);

 private:
  const Regex& regex_;
  std::string_view text_;
  std::size_t from_;  // where the next search starts; past the text at the end
  std::size_t last_end_ = std::string_view::npos;
  PollCounter poll_;
};

// A cache of compiled patterns by text, for patterns of rows. Polls. One thread at a time.
class RegexCache {
 public:
  // Returns the compiled pattern, valid until the next call; null when it is invalid.
  const Regex* get(std::string_view pattern);

 private:
  std::map<std::string, std::shared_ptr<const Regex>, std::less<>> entries_;
};

// Appends `text` with every match replaced; in `rewrite`, $0…$9, \0…\9, ${12} and ${name} stand for
// groups, $$ and \\ for one sign. False when the result would be longer than kStringValueBytesMax.
bool replace_matches(const Regex& regex, std::string_view text, std::string_view rewrite,
                     std::string* out);

}  // namespace evq
