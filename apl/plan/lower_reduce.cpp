// reduce: groups texts that are alike and gives each group's pattern, in which `*` stands for what
// differs. The method is the first half of R. Vaarandi, "A Data Clustering Algorithm for Mining
// Patterns From Event Logs" (2003): a term that a large part of the texts has at the same place is
// constant there, every other term is a variable; texts with the same constants at the same places
// are a group, unless there are too few of them. Before terms are counted their hashes are, as
// there: the many that are rare take no room then.

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "apl/plan/table_function.h"
#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/byte_set.h"
#include "store/base/checksum.h"
#include "store/column/vector_builder.h"

namespace evq::plan {
namespace {

// The part of all rows that a term, and a group, must have.
constexpr double kThresholdDefault = 0.1;
// Texts are told apart by this many terms; what comes after them is a variable.
constexpr std::size_t kTermsMax = 256;

// Terms are runs of letters, digits and bytes of multi-byte characters; everything between them
// separates, and so do the characters given.
class Terms {
 public:
  Terms(std::string_view text, const ByteSet& letters) : text_(text), letters_(letters) {}

  // The separator before the next term, and the term; false after the last.
  bool next(std::string_view* separator, std::string_view* term) {
    const std::size_t begin = at_;
    const std::size_t first = letters_.find(text_, begin);
    at_ = letters_.find_other(text_, first);
    *separator = text_.substr(begin, first - begin);
    *term = text_.substr(first, at_ - first);
    return !term->empty();
  }

 private:
  std::string_view text_;
  const ByteSet& letters_;
  std::size_t at_ = 0;
};

std::string letters_without(std::string_view separators) {
  std::string letters;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if ((is_letter_or_digit(c) || byte >= 0x80) && separators.find(c) == std::string_view::npos) {
      letters.push_back(c);
    }
  }
  return letters;
}

struct PlacedTermHash {
  std::size_t operator()(const std::pair<std::size_t, std::string_view>& term) const {
    return hash64(term.second, seed + term.first);
  }
  std::uint64_t seed = random_seed();
};

// The terms that stand at a place as often as is asked. All of them are shown to it twice, first to
// be sketched, then to be counted.
class ConstantTerms {
 public:
  explicit ConstantTerms(std::size_t least) : least_(least), sketch_(kSketchSlots) {}

  void sketch(std::size_t place, std::string_view term) { ++sketch_[slot_of(place, term)]; }
  void count(std::size_t place, std::string_view term) {
    if (sketch_[slot_of(place, term)] < least_) {
      return;
    }
    const auto [at, is_new] = counts_.try_emplace({place, term}, 0);
    if (is_new) {
      AllocationMeter::charge(kCountBytes);
    }
    ++at->second;
  }
  bool contain(std::size_t place, std::string_view term) const {
    if (sketch_[slot_of(place, term)] < least_) {
      return false;
    }
    const auto found = counts_.find({place, term});
    return found != counts_.end() && found->second >= least_;
  }

 private:
  static constexpr std::size_t kSketchSlots = std::size_t{1} << 16U;
  static constexpr std::size_t kCountBytes = 80;  // of one term, with its place in the table

  std::size_t slot_of(std::size_t place, std::string_view term) const {
    return hash_({place, term}) % kSketchSlots;
  }

  const std::size_t least_;
  const PlacedTermHash hash_;
  std::vector<std::uint32_t> sketch_;
  std::unordered_map<std::pair<std::size_t, std::string_view>, std::size_t, PlacedTermHash> counts_;
};

// What texts that belong to no group are counted as.
constexpr std::string_view kOthers = "others";

class Reduce final : public TableFunction {
 public:
  // `keeps_rows`: the text is the last column, and its pattern takes its place.
  Reduce(double threshold, std::string characters, bool keeps_rows)
      : threshold_(threshold),
        characters_(std::move(characters)),
        letters_(letters_without(characters_)),
        keeps_rows_(keeps_rows) {}

  Result<Table> run(const EvalContext& context, Table input) const override {
    const Vector texts = input.columns.back();
    Groups groups;
    EVQ_TRY_ASSIGN(const std::vector<Groups::iterator> group_of_row,
                   group_rows(context, texts, &groups));
    const std::size_t least = rows_min(texts.size());
    const auto is_shown = [least](const Groups::value_type& group) {
      return group.second.count >= least && group.first != kAnything;
    };
    if (!keeps_rows_) {
      return summary(groups, texts, is_shown);
    }
    VectorBuilder patterns(Type::kString);
    for (const Groups::iterator group : group_of_row) {
      patterns.append_text(is_shown(*group) ? std::string_view(group->first) : kOthers);
    }
    input.columns.back() = patterns.finish();
    return input;
  }
  std::string_view name() const override { return "reduce"; }
  std::string describe() const override { return "reduce"; }

 private:
  static constexpr std::string_view kAnything = "*";
  static constexpr std::size_t kRowsBetweenChecks = 1024;
  static constexpr std::size_t kGroupBytes = 112;  // of one, its pattern's text aside

  struct Group {
    std::size_t count = 0;
    std::size_t first_row = 0;
  };
  using Groups = std::map<std::string, Group>;  // by pattern

  static std::string_view text_of(const Vector& texts, std::size_t row) {
    return texts.is_null(row) ? std::string_view() : texts.at<std::string_view>(row);
  }
  // More than the threshold's part, but not more than there are.
  std::size_t rows_min(std::size_t rows) const {
    const auto part = static_cast<std::size_t>(threshold_ * static_cast<double>(rows));
    return std::clamp<std::size_t>(part + 1, 1, std::max<std::size_t>(rows, 1));
  }

  static Status check_now_and_then(const EvalContext& context, std::size_t row) {
    return row % kRowsBetweenChecks == 0 && context.control != nullptr ? context.control->check()
                                                                       : Status();
  }

  // The terms by which texts are told apart.
  template <class Use>
  Status for_each_term(const EvalContext& context, const Vector& texts, const Use& use) const {
    for (std::size_t row = 0; row < texts.size(); ++row) {
      EVQ_TRY(check_now_and_then(context, row));
      Terms terms(text_of(texts, row), letters_);
      std::string_view separator;
      std::string_view term;
      for (std::size_t place = 0; place < kTermsMax && terms.next(&separator, &term); ++place) {
        use(place, term);
      }
    }
    return {};
  }

  // Gives the texts of one pattern, whether there are enough of them or not, a group.
  Result<std::vector<Groups::iterator>> group_rows(const EvalContext& context, const Vector& texts,
                                                   Groups* groups) const {
    ConstantTerms constants(rows_min(texts.size()));
    EVQ_TRY(for_each_term(context, texts, [&](std::size_t place, std::string_view term) {
      constants.sketch(place, term);
    }));
    EVQ_TRY(for_each_term(context, texts, [&](std::size_t place, std::string_view term) {
      constants.count(place, term);
    }));
    std::vector<Groups::iterator> group_of_row;
    AllocationMeter::charge(texts.size() * sizeof(Groups::iterator));
    group_of_row.reserve(texts.size());
    std::string made;
    for (std::size_t row = 0; row < texts.size(); ++row) {
      EVQ_TRY(check_now_and_then(context, row));
      write_pattern(text_of(texts, row), constants, &made);
      const auto [at, is_new] = groups->try_emplace(made, Group{0, row});
      if (is_new) {
        AllocationMeter::charge(kGroupBytes + made.size());
      }
      ++at->second.count;
      group_of_row.push_back(at);
    }
    return group_of_row;
  }

  template <class IsShown>
  static Table summary(const Groups& groups, const Vector& texts, const IsShown& is_shown) {
    VectorBuilder patterns(Type::kString);
    VectorBuilder rows(Type::kLong);
    VectorBuilder examples(Type::kString);
    const auto add = [&](std::string_view pattern, std::size_t count, std::string_view example) {
      patterns.append_text(pattern);
      rows.append_integer(static_cast<std::int64_t>(count));
      examples.append_text(example);
    };
    std::size_t others = 0;
    Table output;
    for (const Groups::value_type& entry : groups) {
      const auto& [pattern, group] = entry;
      if (is_shown(entry)) {
        add(pattern, group.count, text_of(texts, group.first_row));
        ++output.rows;
      } else {
        others += group.count;
      }
    }
    if (others > 0) {
      add(kOthers, others, "");
      ++output.rows;
    }
    output.columns = {patterns.finish(), rows.finish(), examples.finish()};
    return output;
  }

  // One star for variables that only punctuation separates: 10.0.0.1 is one thing to a reader.
  void write_pattern(std::string_view text, const ConstantTerms& constants,
                     std::string* pattern) const {
    pattern->clear();
    Terms terms(text, letters_);
    std::string_view separator;
    std::string_view term;
    bool variable = false;
    std::size_t place = 0;
    for (; terms.next(&separator, &term); ++place) {
      if (place < kTermsMax && constants.contain(place, term)) {
        pattern->append(separator).append(term);
        variable = false;
        continue;
      }
      if (!variable || separator.find_first_of(" \t\r\n") != std::string_view::npos) {
        // The characters given cut words; what a star stands for has them in front.
        const bool cut = separator.find_first_not_of(characters_) == std::string_view::npos;
        pattern->append(cut ? "" : separator).append(kAnything);
      }
      variable = true;
    }
    pattern->append(separator);
  }

  double threshold_;
  std::string characters_;
  ByteSet letters_;
  bool keeps_rows_;
};

}  // namespace

Result<Relation> Binder::lower(const ast::Reduce& op, Span /*span*/, Relation input) {
  double threshold = kThresholdDefault;
  std::string characters;
  for (const ast::Option& option : op.options) {
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*option.value, option.name.text));
    if (option.name.text == "characters") {
      if (value.type() != Type::kString) {
        return diag::invalid_constant(option.value->span, "characters", "be a text");
      }
      characters = value.is_null() ? "" : value.as_text();
      continue;
    }
    threshold = value.is_null() || !is_numeric(value.type()) ? -1
                : value.type() == Type::kLong ? static_cast<double>(value.as_integer())
                                              : value.as_real();
    if (!(threshold >= 0 && threshold <= 1)) {
      return diag::invalid_constant(option.value->span, "the threshold", "be a number from 0 to 1");
    }
  }
  EVQ_TRY_ASSIGN(ExprPtr text, bind_text(*op.by, input));
  input = order_naturally(std::move(input), options_.event_order);
  Relation output;
  output.aggregated = true;
  output.ordered = true;
  output.serialized = true;
  std::vector<NamedColumn> columns;
  if (op.keeps_rows) {
    columns = pass_through(input);
    std::erase_if(columns, [](const NamedColumn& column) { return column.name == "Pattern"; });
  }
  columns.push_back({"Pattern", std::move(text)});
  input = choose(std::move(input), std::move(columns));
  if (op.keeps_rows) {
    follow_paths(input, input.schema(), pass_through(input), &output);
  }
  const Schema schema = op.keeps_rows ? input.schema()
                                      : Schema({{"Pattern", Type::kString},
                                                {"Count", Type::kLong},
                                                {"Representative", Type::kString}});
  output.node = stack(
      std::move(input.node),
      Transform{std::make_shared<Reduce>(threshold, std::move(characters), op.keeps_rows)}, schema);
  if (!op.keeps_rows) {
    output.node =
        stack(std::move(output.node), Sort{{{1, {true, false}}, {0, {false, true}}}}, schema);
  }
  return output;
}

}  // namespace evq::plan
