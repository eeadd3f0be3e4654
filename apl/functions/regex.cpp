#include "apl/functions/regex.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include "apl/functions/byte_pattern.h"
#include "apl/functions/regex_cost.h"
#include "apl/functions/regex_literal.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// Of a literal in one text: each asks for what follows, which may be all of the text; then the rest
// is searched once.
constexpr std::size_t kPrefixHitsMax = 4;

// What stands in a pattern outside of classes, escapes and quotations: the text with (?<name>…),
// which this RE2 does not know, as (?P<name>…), and what is counted before it is parsed.
class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : pattern_(pattern) {}

  // Fails on a pattern that would take much memory, and on one whose matches may be no UTF-8.
  Result<std::string> read() {
    while (at_ < pattern_.size()) {
      step();
    }
    if (takes_bytes_) {
      return make_error(
          ErrorCode::kCompile,
          "the regular expression has \\C, any byte, which may be part of a character",
          "any character is . and with line ends (?s:.)");
    }
    if (repetitions_ > kRegexRepetitionsMax) {
      return make_error(ErrorCode::kCompile, "the regular expression repeats more than " +
                                                 std::to_string(kRegexRepetitionsMax) +
                                                 " times in all");
    }
    if (unicode_classes_ > kRegexUnicodeClassesMax) {
      return make_error(ErrorCode::kCompile, "the regular expression has more than " +
                                                 std::to_string(kRegexUnicodeClassesMax) +
                                                 " classes such as \\p{L}");
    }
    return std::move(text_);
  }

 private:
  void step() {
    const std::string_view rest = pattern_.substr(at_);
    if (rest.starts_with("\\Q") && !in_class_) {
      const std::size_t end = rest.find("\\E");
      take(end == std::string_view::npos ? rest.size() : end + 2);
    } else if (rest[0] == '\\') {
      escape(rest);
    } else if (rest[0] == '[') {
      bracket(rest);
    } else if (rest.starts_with("(?<") && !in_class_ && rest.substr(3).find_first_of("=!") != 0) {
      text_ += "(?P<";
      at_ += 3;
    } else {
      in_class_ = in_class_ && rest[0] != ']';
      if (rest[0] == '{' && !in_class_) {
        count(rest.substr(1));
      }
      take(1);
    }
  }

  void escape(std::string_view rest) {
    if (rest.size() > 1 && (rest[1] == 'p' || rest[1] == 'P')) {
      ++unicode_classes_;
    }
    takes_bytes_ = takes_bytes_ || (rest.starts_with("\\C") && !in_class_);
    take(2);
  }

  // A class begins, whose first ] is a member, or a named one stands in it.
  void bracket(std::string_view rest) {
    if (in_class_) {
      const std::size_t close =
          rest.starts_with("[:") ? rest.find(":]", 2) : std::string_view::npos;
      take(close == std::string_view::npos ? 1 : close + 2);
      return;
    }
    in_class_ = true;
    take(rest.starts_with("[^]") ? 3 : rest.starts_with("[]") || rest.starts_with("[^") ? 2 : 1);
  }

  // {2}, {2,} and {2,3}: the larger number.
  void count(std::string_view digits) {
    std::size_t number = 0;
    for (const char c : digits) {
      if (c == ',') {
        repetitions_ += number;
        number = 0;
      } else if (is_digit(c)) {
        number = std::min(number * 10 + static_cast<std::size_t>(c - '0'), kRegexRepetitionsMax);
      } else {
        break;
      }
    }
    repetitions_ += number;
  }

  void take(std::size_t bytes) {
    bytes = std::min(bytes, pattern_.size() - at_);
    text_ += pattern_.substr(at_, bytes);
    at_ += bytes;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string text_;
  bool in_class_ = false;
  bool takes_bytes_ = false;
  std::size_t repetitions_ = 0;
  std::size_t unicode_classes_ = 0;
};

// What to write instead of what RE2 does not take.
std::string syntax_hint(std::string_view error) {
  if (error.find("\\u") != std::string_view::npos || error.find("\\U") != std::string_view::npos) {
    return "a character is written by its number as \\x{00A0}";
  }
  return "the syntax is RE2's, without look-around and back references";
}

std::string with_flags(std::string_view pattern, const RegexOptions& options) {
  std::string flags;
  flags.append(options.ignore_case ? "i" : "");
  flags.append(options.multi_line ? "m" : "");
  flags.append(options.dot_all ? "s" : "");
  flags.append(options.ungreedy ? "U" : "");
  return flags.empty() ? std::string(pattern) : "(?" + flags + ")" + std::string(pattern);
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view view(const re2::StringPiece& text) {
  return {text.data(), text.size()};
}

// Runs RE2 with room for `groups` and copies what it found.
bool run_match(const RE2& program, std::string_view text, std::size_t from, RE2::Anchor anchor,
               std::span<std::string_view> groups) {
  if (groups.empty()) {
    return program.Match(piece(text), from, text.size(), anchor, nullptr, 0);
  }
  constexpr std::size_t kUsual = 16;
  std::array<re2::StringPiece, kUsual> small;
  std::vector<re2::StringPiece> large;
  const std::size_t wanted =
      std::min(groups.size(), static_cast<std::size_t>(program.NumberOfCapturingGroups()) + 1);
  re2::StringPiece* found = small.data();
  if (wanted > kUsual) {
    large.resize(wanted);
    found = large.data();
  }
  if (!program.Match(piece(text), from, text.size(), anchor, found, static_cast<int>(wanted))) {
    return false;
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    groups[i] = view(found[i]);
  }
  return true;
}

// A program of RE2 for each of a few threads. An automaton grows while it searches, so every search
// of a text takes a lock, for reading mostly; but to write down that it has it, a processor takes
// the lock's memory from the others, which for short texts takes longer than the search.
class Programs {
 public:
  Programs(const std::string& pattern, const RE2::Options& options) : first_(pattern, options) {}
  ~Programs() {
    for (const Slot& slot : slots_) {
      const RE2* const program = slot.program.load();
      if (program != &first_) {
        delete program;
      }
    }
  }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  // Says what all of them say of the pattern.
  const RE2& first() const { return first_; }
  // To search with: this thread's own, if it is one of the few and searches often.
  const RE2& own() const {
    Slot& slot = slots_[thread_number() % slots_.size()];
    const RE2* const program = slot.program.load(std::memory_order_acquire);
    return program != nullptr ? *program : find_own(slot);
  }

 private:
  // Compiling takes as long as searching some hundred short texts.
  static constexpr std::size_t kSharedSearches = 256;
  static constexpr std::size_t kCacheLineBytes = 64;

  struct alignas(kCacheLineBytes) Slot {
    std::atomic<const RE2*> program{nullptr};
    std::atomic<std::size_t> searches{0};  // before there was one
  };

  // Of those that search with regular expressions, whatever else there are.
  static std::size_t thread_number() {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t kNumber = next.fetch_add(1, std::memory_order_relaxed);
    return kNumber;
  }

  const RE2& find_own(Slot& slot) const {
    const std::size_t searches = slot.searches.load(std::memory_order_relaxed) + 1;
    slot.searches.store(searches, std::memory_order_relaxed);
    if (searches < kSharedSearches) {
      return first_;
    }
    std::unique_ptr<const RE2> copy;
    if (first_is_taken_.exchange(true)) {
      copy = std::make_unique<const RE2>(first_.pattern(), first_.options());
    }
    const RE2* const mine = copy != nullptr && copy->ok() ? copy.get() : &first_;
    const RE2* others = nullptr;  // of a thread that has the same slot
    if (!slot.program.compare_exchange_strong(others, mine)) {
      return *others;
    }
    return mine == copy.get() ? *copy.release() : first_;
  }

  const RE2 first_;
  mutable std::atomic<bool> first_is_taken_{false};
  mutable std::array<Slot, kRegexProgramsMax> slots_;
};

}  // namespace

struct Regex::Compiled {
  Compiled(const std::string& pattern, const RE2::Options& options)
      : programs(pattern, options),
        cost(static_cast<std::size_t>(std::max(programs.first().ProgramSize(), 1))) {}

  // What RE2 says. Each search of a text is admitted: the first ones may be quick and the last not.
  bool run(std::string_view text, std::size_t from, RE2::Anchor anchor,
           std::span<std::string_view> groups) const {
    const RE2& program = programs.own();
    cost.admit(text.substr(from), [&](std::string_view beginning) {
      run_match(program, beginning, 0, anchor, groups);
    });
    return run_match(program, text, from, anchor, groups);
  }

  Programs programs;
  MatchCost cost;
  std::optional<SubstringSearch> literal;  // every match holds it
  bool literal_is_all = false;
  bool literal_is_prefix = false;
  std::optional<BytePattern> bytes;  // when the pattern is that simple

  // What the simple form says; unknown where there is none.
  BytePattern::Verdict find(std::string_view text, std::size_t from,
                            std::span<std::string_view> groups) const {
    return bytes.has_value() ? bytes->find(text, from, groups) : BytePattern::Verdict::kUnknown;
  }
};

HitVerdict Regex::accept_hit(const Compiled& compiled, std::string_view row, std::size_t at,
                             std::size_t hits_before) {
  if (compiled.literal_is_all) {
    return HitVerdict::kMatch;
  }
  if (compiled.literal_is_prefix) {
    // What comes before the literal matters to no part of the pattern, and RE2 is quicker without.
    const std::string_view rest = row.substr(at);
    if (hits_before >= kPrefixHitsMax) {
      return compiled.run(rest, 0, RE2::UNANCHORED, {}) ? HitVerdict::kMatch : HitVerdict::kNoMatch;
    }
    const auto verdict = compiled.bytes.has_value() ? compiled.bytes->match_prefix(rest)
                                                    : BytePattern::Verdict::kUnknown;
    if (verdict != BytePattern::Verdict::kUnknown) {
      return verdict == BytePattern::Verdict::kMatch ? HitVerdict::kMatch : HitVerdict::kTryNextHit;
    }
    return compiled.run(rest, 0, RE2::ANCHOR_START, {}) ? HitVerdict::kMatch
                                                        : HitVerdict::kTryNextHit;
  }
  return compiled.run(row, 0, RE2::UNANCHORED, {}) ? HitVerdict::kMatch : HitVerdict::kNoMatch;
}

Regex::Regex(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Regex::~Regex() = default;

Result<std::shared_ptr<const Regex>> Regex::compile(std::string_view pattern,
                                                    RegexOptions options) {
  if (pattern.size() > kRegexPatternBytesMax) {
    return make_error(ErrorCode::kCompile, "the regular expression is longer than " +
                                               std::to_string(kRegexPatternBytesMax) + " bytes");
  }
  EVQ_TRY_ASSIGN(const std::string readable, PatternReader(pattern).read());
  RE2::Options settings;
  settings.set_log_errors(false);
  settings.set_max_mem(static_cast<std::int64_t>(kRegexProgramBytesMax));
  auto compiled = std::make_unique<Compiled>(with_flags(readable, options), settings);
  if (const RE2& program = compiled->programs.first(); !program.ok()) {
    return make_error(ErrorCode::kCompile, "the regular expression is invalid: " + program.error(),
                      syntax_hint(program.error()));
  }
  if (!options.ignore_case) {
    const RequiredLiteral literal = required_literal(readable);
    if (!literal.text.empty()) {
      compiled->literal.emplace(literal.text);
      compiled->literal_is_all = literal.is_whole;
      compiled->literal_is_prefix = literal.is_prefix;
    }
    if (!options.multi_line && !options.dot_all && !options.ungreedy) {
      compiled->bytes = BytePattern::parse(readable);
    }
  }
  return std::shared_ptr<const Regex>(new Regex(std::move(compiled)));
}

std::size_t Regex::group_count() const {
  return static_cast<std::size_t>(compiled_->programs.first().NumberOfCapturingGroups());
}

std::map<int, std::string> Regex::group_names() const {
  return compiled_->programs.first().CapturingGroupNames();
}

bool Regex::search(std::string_view text) const {
  if (compiled_->literal.has_value()) {
    if (!compiled_->literal->matches(text)) {
      return false;
    }
    if (compiled_->literal_is_all) {
      return true;
    }
  }
  const auto verdict = compiled_->find(text, 0, {});
  return verdict != BytePattern::Verdict::kUnknown ? verdict == BytePattern::Verdict::kMatch
                                                   : compiled_->run(text, 0, RE2::UNANCHORED, {});
}

bool Regex::match(std::string_view text, std::size_t from,
                  std::span<std::string_view> groups) const {
  if (from > text.size() ||
      (compiled_->literal.has_value() && !compiled_->literal->matches(text.substr(from)))) {
    return false;
  }
  const auto verdict = compiled_->find(text, from, groups);
  return verdict != BytePattern::Verdict::kUnknown
             ? verdict == BytePattern::Verdict::kMatch
             : compiled_->run(text, from, RE2::UNANCHORED, groups);
}

bool Regex::match_whole(std::string_view text, std::span<std::string_view> groups) const {
  return compiled_->run(text, 0, RE2::ANCHOR_BOTH, groups);
}

void Regex::match_slots(const Values& values, std::uint8_t* to) const {
  PollCounter poll;
  if (compiled_->literal.has_value() && !values.contiguous_text().empty()) {
    std::fill_n(to, values.size(), std::uint8_t{0});
    const char* last = nullptr;  // the row of the last hit
    std::size_t hits = 0;        // in it
    const auto accept = [&](std::string_view row, std::size_t at) {
      if (row.data() != last) {
        last = row.data();
        hits = 0;
        poll.add(1 + row.size() / kPollTextBytes);
      }
      return accept_hit(*compiled_, row, at, hits++);
    };
    scan_contiguous_rows(*compiled_->literal, values, to, accept);
    return;
  }
  const auto* texts = values.data<std::string_view>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view text = values.is_null(i) ? std::string_view() : texts[i];
    poll.add(1 + text.size() / kPollTextBytes);
    to[i] = search(text) ? 1 : 0;
  }
}

const Regex* RegexCache::get(std::string_view pattern) {
  const auto known = entries_.find(pattern);
  if (known != entries_.end()) {
    return known->second.get();
  }
  if (entries_.size() >= kRegexCacheEntriesMax) {
    entries_.clear();
  }
  AllocationMeter::poll();  // a pattern may take milliseconds to compile
  Result<std::shared_ptr<const Regex>> compiled = Regex::compile(pattern);
  std::shared_ptr<const Regex> regex = compiled.ok() ? std::move(compiled).value() : nullptr;
  return entries_.emplace(std::string(pattern), std::move(regex)).first->second.get();
}

namespace {

// Those beyond are not known by ${…}: each one costs every match.
constexpr std::size_t kBracedGroupsMax = 99;

using GroupNames = std::map<int, std::string>;

// The group that ${1} or ${name} at the beginning of `text` stands for; null when for none.
std::optional<std::size_t> braced_group(std::string_view text, std::size_t groups,
                                        const GroupNames& names) {
  const std::size_t end = text.starts_with("${") ? text.find('}') : std::string_view::npos;
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view name = text.substr(2, end - 2);
  const auto named = std::ranges::find(names, name, &GroupNames::value_type::second);
  std::size_t group = named != names.end() ? static_cast<std::size_t>(named->first) : groups;
  if (!name.empty() && std::ranges::all_of(name, is_digit)) {
    group = 0;
    for (const char digit : name) {
      group = std::min(group * 10 + static_cast<std::size_t>(digit - '0'), groups);
    }
  }
  return group < groups ? std::optional(group) : std::nullopt;
}

// Stops past kStringValueBytesMax.
void append_rewrite(std::string_view rewrite, std::span<const std::string_view> groups,
                    const GroupNames& names, std::string* out) {
  for (std::size_t i = 0; i < rewrite.size() && out->size() <= kStringValueBytesMax; ++i) {
    const char c = rewrite[i];
    if ((c != '$' && c != '\\') || i + 1 == rewrite.size()) {
      out->push_back(c);
      continue;
    }
    const char next = rewrite[i + 1];
    if (const auto named = braced_group(rewrite.substr(i), groups.size(), names)) {
      out->append(groups[*named]);
      i = rewrite.find('}', i);
    } else if (is_digit(next)) {
      const auto group = static_cast<std::size_t>(next - '0');
      if (group < groups.size()) {
        out->append(groups[group]);
      }
      ++i;
    } else if (next == c) {
      out->push_back(c);
      ++i;
    } else {
      out->push_back(c);
    }
  }
}

}  // namespace

bool RegexMatches::next(std::span<std::string_view> groups) {
  while (from_ <= text_.size()) {
    poll_.add(1 + (text_.size() - from_) / kPollTextBytes);  // a match may look at all of it
    if (!regex_.match(text_, from_, groups)) {
      from_ = text_.size() + 1;
      break;
    }
    const auto begin = static_cast<std::size_t>(groups[0].data() - text_.data());
    const std::size_t end = begin + groups[0].size();
    const bool adjoins = begin == end && begin == last_end_;
    last_end_ = end;
    from_ = end;
    if (begin == end && end < text_.size()) {
      next_code_point(text_, from_);
    } else if (begin == end) {
      ++from_;
    }
    if (!adjoins) {
      return true;
    }
  }
  return false;
}

bool replace_matches(const Regex& regex, std::string_view text, std::string_view rewrite,
                     std::string* out) {
  const bool braced = rewrite.find("${") != std::string_view::npos;
  const GroupNames names = braced ? regex.group_names() : GroupNames();
  std::vector<std::string_view> groups(
      std::min<std::size_t>(regex.group_count(), braced ? kBracedGroupsMax : 9) + 1);
  std::size_t copied = 0;
  RegexMatches matches(regex, text);
  while (matches.next(groups)) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    out->append(text.substr(copied, begin - copied));
    append_rewrite(rewrite, groups, names, out);
    copied = begin + groups[0].size();
    if (out->size() > kStringValueBytesMax) {
      return false;
    }
  }
  out->append(text.substr(copied));
  return out->size() <= kStringValueBytesMax;
}

}  // namespace evq
