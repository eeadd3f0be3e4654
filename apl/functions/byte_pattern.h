#pragma once
// BytePattern: regular expressions that are a row of characters and classes, repeated or optional,
// in groups, a few of them optional, from the start or to the end: amount=([5-9][0-9]+) EUR,
// ^https?://(?:www[.])?([^/]+)/.*$, [0-9]+. They need no automaton: one walk over the bytes
// decides, or one for each choice of optional groups. It is a fast twin of RE2 for the patterns it
// takes; it takes none that it does not decide exactly, and says so where a text is beyond it.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace evq {

class BytePattern {
 public:
  // Returns nullopt for a pattern with anything else: |, flags, named or repeated groups, optional
  // groups that are nested or may be empty, counts, characters beyond ASCII, and repetitions that
  // might need backtracking.
  static std::optional<BytePattern> parse(std::string_view pattern);

  enum class Verdict : std::uint8_t {
    kMatch,
    kNoMatch,
    kUnknown,  // a character beyond ASCII stands where [^a] or . may take it: ask RE2
  };
  // Whether a match starts at the first byte of `text`.
  Verdict match_prefix(std::string_view text) const;
  // Finds the leftmost match at or after `from`: groups[0] becomes the match, groups[i] group i of
  // the pattern, as many as there is room for. Takes time linear in the text.
  Verdict find(std::string_view text, std::size_t from, std::span<std::string_view> groups) const;

 private:
  static constexpr std::size_t kAtomsMax = 64;
  static constexpr std::size_t kOptionalGroupsMax = 3;
  using Positions = std::array<std::size_t, kAtomsMax + 1>;  // where each atom starts, and the end

  struct Atom {
    std::bitset<128> bytes;
    bool wide = false;  // takes characters beyond ASCII, too
    bool repeats = false;
    bool optional = false;
    std::array<bool, 256> takes{};

    bool overlaps(const Atom& other) const {
      return (bytes & other.bytes).any() || (wide && other.wide);
    }
  };
  // The atoms that a group is made of: [begin, end).
  struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::optional<std::size_t> optional{};  // the optional group that it is or is within
  };
  // A set of optional groups that are left out, the last group in the lowest bit. Choices are tried
  // in ascending order, because a group is rather taken than left out.
  using Choice = std::uint32_t;

  static bool take_atom(std::string_view* rest, Atom* atom);
  static bool take_class(std::string_view* rest, Atom* atom);
  static bool take_escape(std::string_view* rest, Atom* atom);
  static void take_quantifier(std::string_view* rest, Atom* atom);
  bool take_elements(std::string_view rest);
  bool take_optional(const Group& group, std::size_t first_inside);
  std::size_t optional_at(std::size_t atom) const;
  bool leaves_out(Choice choice, std::size_t optional) const {
    return (choice >> (optionals_.size() - 1 - optional) & 1U) != 0;
  }
  bool gives_back(std::size_t atom) const;
  bool never_gives_back() const;
  bool is_searched_in_linear_time() const;
  // Matches by the first choice of optional groups that fits; sets it and `positions`.
  Verdict walk(std::string_view text, std::size_t start, Choice* choice,
               Positions* positions) const;
  Verdict walk_choice(std::string_view text, std::size_t start, Choice choice,
                      Positions* positions) const;
  void set_groups(std::string_view text, Choice choice, const Positions& positions,
                  std::span<std::string_view> groups) const;
  // Returns where the first atom may match next, past the end if nowhere; nullopt: ask RE2.
  std::optional<std::size_t> next_start(std::string_view text, std::size_t from) const;

  std::vector<Atom> atoms_;
  std::vector<Group> groups_;
  std::vector<Group> optionals_;  // the optional ones, numbered or not, in order
  bool at_start_ = false;
  bool at_end_ = false;
  bool searchable_ = false;
  std::optional<char> first_byte_;  // when the first atom takes no other
};

}  // namespace evq
