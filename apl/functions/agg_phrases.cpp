// phrases: the most frequent runs of words in texts.

#include <algorithm>
#include <array>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/frequent_items_state.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::size_t kWordsMax = 5;            // of one phrase
constexpr std::size_t kPhraseCounters = 65536;  // exact up to that many different phrases
constexpr std::size_t kWordBytesMax = 64;       // longer runs are identifiers, not words

// Words that end a phrase: they carry no topic of their own. Sorted.
constexpr std::array<std::string_view, 78> kStopWords = {
    "a",    "about", "after", "all",  "also",  "am",   "an",   "and",    "any",   "are",
    "as",   "at",    "be",    "been", "but",   "by",   "can",  "could",  "did",   "do",
    "does", "for",   "from",  "had",  "has",   "have", "he",   "her",    "his",   "how",
    "i",    "if",    "in",    "into", "is",    "it",   "its",  "me",     "more",  "my",
    "no",   "not",   "of",    "on",   "or",    "our",  "she",  "should", "so",    "some",
    "such", "than",  "that",  "the",  "their", "them", "then", "there",  "these", "they",
    "this", "those", "to",    "was",  "we",    "were", "what", "when",   "where", "which",
    "who",  "why",   "will",  "with", "would", "you",  "your", "yours"};
static_assert(std::ranges::is_sorted(kStopWords));

// Bytes of a word: letters, digits, and everything beyond ASCII.
bool in_word(char byte) {
  return is_letter_or_digit(byte) || byte == '_' || byte == '\'' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

// Cuts a text into phrases of up to kWordsMax words in lower case (ASCII), ended by stop words,
// punctuation and line ends.
class PhraseCutter {
 public:
  // visit(phrase) for every run of two words and more, and for runs that are a single word.
  template <class Visit>
  void cut(std::string_view text, const Visit& visit) {
    std::size_t at = 0;
    clear();
    while (at < text.size()) {
      if (!in_word(text[at])) {
        if (text[at] != ' ' && text[at] != '\t') {
          emit(visit);
        }
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < text.size() && in_word(text[at])) {
        ++at;
      }
      take(text.substr(begin, at - begin), visit);
    }
    emit(visit);
  }

 private:
  template <class Visit>
  void take(std::string_view word, const Visit& visit) {
    lower_.assign(word);
    std::ranges::transform(lower_, lower_.begin(), [](char byte) { return to_lower(byte); });
    if (word.size() > kWordBytesMax || std::ranges::binary_search(kStopWords, lower_)) {
      emit(visit);
      return;
    }
    if (ends_.size() == kWordsMax) {
      emit(visit);
    }
    if (!ends_.empty()) {
      phrase_.push_back(' ');
    }
    phrase_.append(lower_);
    ends_.push_back(phrase_.size());
  }

  // All runs of at least two neighbouring words; a single word only when it stands alone.
  template <class Visit>
  void emit(const Visit& visit) {
    const std::string_view all = phrase_;
    if (ends_.size() == 1) {
      visit(all);
    }
    for (std::size_t first = 0; first + 1 < ends_.size(); ++first) {
      const std::size_t begin = first == 0 ? 0 : ends_[first - 1] + 1;
      for (std::size_t last = first + 1; last < ends_.size(); ++last) {
        visit(all.substr(begin, ends_[last] - begin));
      }
    }
    clear();
  }

  void clear() {
    phrase_.clear();
    ends_.clear();
  }

  std::string phrase_;
  std::vector<std::size_t> ends_;  // of each word in phrase_
  std::string lower_;
};

// Whether the words of one phrase follow each other in another.
bool is_part(std::string_view part, std::string_view whole) {
  for (std::size_t at = whole.find(part); at != std::string_view::npos;
       at = whole.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || whole[at - 1] == ' ') && (end == whole.size() || whole[end] == ' ')) {
      return true;
    }
  }
  return false;
}

class PhrasesState final : public FrequentItemsState {
 public:
  explicit PhrasesState(std::size_t most) : FrequentItemsState(kPhraseCounters, 0), most_(most) {}

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const std::string_view* data = args[0].values().data<std::string_view>();
    PollCounter poll;
    visit_counted(args[0], groups, rows,
                  [&](std::size_t group, std::size_t slot, std::size_t count) {
                    poll.add(1 + data[slot].size() / kPollTextBytes);
                    cutter_.cut(data[slot], [&](std::string_view phrase) {
                      poll.add();
                      add_item(group, phrase, count);
                    });
                  });
  }

 private:
  // Looked at per phrase asked for, since parts of longer phrases are left out.
  static constexpr std::size_t kCandidatesPerPhrase = 16;

  void append_answer(const FrequentItems& items, DynamicBuilder* list) const override {
    for (const std::string& phrase : ranked(items)) {
      list->add_string(phrase);
    }
  }

  // By frequency, longer phrases first among equals; a part of another phrase says nothing new when
  // it is not more frequent, as far as counts can tell.
  std::vector<std::string> ranked(const FrequentItems& items) const {
    std::vector<FrequentItems::Item> candidates = items.top(most_ * kCandidatesPerPhrase);
    std::ranges::stable_sort(candidates, [](const auto& a, const auto& b) {
      return a.count != b.count ? a.count > b.count : a.bytes.size() > b.bytes.size();
    });
    std::vector<FrequentItems::Item> kept;
    PollCounter poll;
    for (const FrequentItems::Item& item : candidates) {
      poll.add(1 + kept.size());
      const auto repeats = [&](std::string_view part, std::string_view whole, std::uint64_t count) {
        return count <= item.count + items.error() && is_part(part, whole);
      };
      if (std::ranges::any_of(kept, [&](const FrequentItems::Item& other) {
            return repeats(item.bytes, other.bytes, other.count);
          })) {
        continue;
      }
      std::erase_if(kept, [&](const FrequentItems::Item& other) {
        return repeats(other.bytes, item.bytes, other.count);
      });
      if (kept.size() < most_) {
        kept.push_back(item);
      }
    }
    std::vector<std::string> phrases;
    phrases.reserve(kept.size());
    for (const FrequentItems::Item& item : kept) {
      phrases.emplace_back(item.bytes);
    }
    return phrases;
  }

  std::size_t most_;
  PhraseCutter cutter_;
};

AggregateBindResult bind_phrases(const AggregateBindRequest& request) {
  const Type type = request.arguments[0].type;
  if (type != Type::kString && type != Type::kDynamic && type != Type::kNull) {
    return BindFailure{0, "phrases() needs text, but this is a " + std::string(type_name(type)),
                       ""};
  }
  const auto most =
      constant_whole_number(request, 1, {"the number of phrases", 1, kPhrasesMax, 10});
  if (const auto* failure = std::get_if<BindFailure>(&most)) {
    return *failure;
  }
  return one_result(
      request, Type::kDynamic, Type::kString,
      make_aggregate<PhrasesState>(static_cast<std::size_t>(std::get<std::int64_t>(most))));
}

constexpr AggregateFunction kPhrasesRows[] = {
    {.name = "phrases",
     .summary = "Estimates the most frequent phrases in texts: runs of two to five words between "
                "stop words and punctuation, and words that stand alone there.",
     .params = {{{"text", "A string."},
                 {"max", "A constant from 1 to 1,000: how many phrases to return."}}},
     .returns = "dynamic: an array of strings in lower case, most frequent first. Counts are exact "
                "up to 65,536 different phrases. Beyond, fewer than 1 in 1,000 is off by more than "
                "1 / 24,000 of all phrases; those of more than 1 / 10,000 of all are all "
                "considered, of rarer ones a sample, which is the same in every run.",
     .examples = {{{"datatable (s:string) [\"Disk full.\", \"the disk full, again\"] | summarize p "
                    "= phrases(s, 1)",
                    "[\"disk full\"]"}}},
     .bind = bind_phrases,
     .arguments_min = 2,
     .arguments_max = 2},
};

}  // namespace

std::span<const AggregateFunction> phrases_aggregates() {
  return kPhrasesRows;
}

}  // namespace evq
