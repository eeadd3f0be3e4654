// The string operators with one text on each side: contains, has, startswith, … with and without
// case and negated, matches regex, =~ and !~. A null text is an empty one, except for =~ and !~,
// which treat nulls as == and != do.

#include "apl/functions/string_operator.h"

#include <array>
#include <optional>
#include <utility>

#include "apl/functions/regex.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

std::string_view text_at(const Vector& vector, std::size_t row) {
  return vector.is_null(row) ? std::string_view() : vector.at<std::string_view>(row);
}

std::string constant_text(const Argument& argument) {
  if (argument.constant->is_null()) {
    return {};
  }
  std::string text;
  append_text_form(*Values::make_constant(*argument.constant), 0, &text);
  return text;
}

// A bool for each slot of the left side, in its shape.
template <class Match>
Vector match_slots(const Vector& left, bool negated, const Match& match) {
  const Values& slots = left.values();
  auto out = Values::make(Type::kBool, slots.size());
  auto* to = out->mutable_data<std::uint8_t>();
  match(slots, to);
  if (negated) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      to[i] ^= 1;
    }
  }
  return left.with_values(std::move(out));
}

class TextTestCall final : public BoundFunction {
 public:
  TextTestCall(TextTest test, bool fold, bool negated, std::optional<TextMatcher> matcher)
      : test_(test), fold_(fold), negated_(negated), matcher_(std::move(matcher)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector left = text_forms(args[0]);
    if (matcher_.has_value()) {
      return match_slots(left, negated_, [this](const Values& slots, std::uint8_t* to) {
        matcher_->match_slots(slots, to);
      });
    }
    const Vector right = text_forms(args[1]);
    auto out = Values::make(Type::kBool, rows);
    auto* to = out->mutable_data<std::uint8_t>();
    std::optional<TextMatcher> matcher;
    std::string_view needle;
    PollCounter poll;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string_view wanted = text_at(right, i);
      poll.add(1 + (text_at(left, i).size() + wanted.size()) / kPollTextBytes);
      if (!matcher.has_value() || wanted != needle) {
        matcher.emplace(test_, wanted, fold_);
        needle = wanted;
      }
      to[i] = static_cast<std::uint8_t>(matcher->matches(text_at(left, i)) != negated_);
    }
    return Vector::flat(std::move(out));
  }

 private:
  TextTest test_;
  bool fold_;
  bool negated_;
  std::optional<TextMatcher> matcher_;  // when the right side is a constant
};

class EqualFoldCall final : public BoundFunction {
 public:
  EqualFoldCall(bool negated, std::optional<TextMatcher> matcher)
      : negated_(negated), matcher_(std::move(matcher)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector left = text_forms(args[0]);
    if (matcher_.has_value()) {
      return match_slots(left, negated_, [this](const Values& slots, std::uint8_t* to) {
        matcher_->match_slots(slots, to);
        for (std::size_t i = 0; slots.has_nulls() && i < slots.size(); ++i) {
          to[i] = slots.is_null(i) ? 0 : to[i];
        }
      });
    }
    const Vector right = text_forms(args[1]);
    auto out = Values::make(Type::kBool, rows);
    auto* to = out->mutable_data<std::uint8_t>();
    PollCounter poll;
    for (std::size_t i = 0; i < rows; ++i) {
      poll.add(1 + text_at(right, i).size() / kPollTextBytes);
      if (left.is_null(i) && right.is_null(i)) {
        out->set_null(i);
        continue;
      }
      const bool equal = !left.is_null(i) && !right.is_null(i) &&
                         TextMatcher(TextTest::kEqual, text_at(right, i), true)
                             .matches(left.at<std::string_view>(i));
      to[i] = static_cast<std::uint8_t>(equal != negated_);
    }
    return Vector::flat(std::move(out));
  }

 private:
  bool negated_;
  std::optional<TextMatcher> matcher_;  // when the right side is a constant and not null
};

class RegexTestCall final : public BoundFunction {
 public:
  RegexTestCall(bool negated, std::shared_ptr<const Regex> regex)
      : negated_(negated), regex_(std::move(regex)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector left = text_forms(args[0]);
    if (regex_ != nullptr) {
      return match_slots(left, negated_, [this](const Values& slots, std::uint8_t* to) {
        regex_->match_slots(slots, to);
      });
    }
    const Vector right = text_forms(args[1]);
    auto out = Values::make(Type::kBool, rows);
    auto* to = out->mutable_data<std::uint8_t>();
    RegexCache cache;
    PollCounter poll;
    for (std::size_t i = 0; i < rows; ++i) {
      poll.add(1 + text_at(left, i).size() / kPollTextBytes);
      const Regex* regex = cache.get(text_at(right, i));
      const bool found = regex != nullptr && regex->search(text_at(left, i));
      to[i] = static_cast<std::uint8_t>(found != negated_);
    }
    return Vector::flat(std::move(out));
  }

 private:
  bool negated_;
  std::shared_ptr<const Regex> regex_;  // when the pattern is a constant
};

BoundCall bool_call(const BindRequest& request, std::shared_ptr<const BoundFunction> function) {
  BoundCall call;
  call.result = Type::kBool;
  for (const Argument& argument : request.arguments) {
    call.arguments.push_back(argument.type);
  }
  call.function = std::move(function);
  return call;
}

template <TextTest kTest, bool kFold, bool kNegated>
BindResult bind_text_test(const BindRequest& request) {
  const Argument& right = request.arguments[1];
  std::optional<TextMatcher> matcher;
  if (right.constant != nullptr) {
    matcher.emplace(kTest, constant_text(right), kFold);
  }
  return bool_call(request,
                   std::make_shared<TextTestCall>(kTest, kFold, kNegated, std::move(matcher)));
}

template <bool kNegated>
BindResult bind_equal_fold(const BindRequest& request) {
  const Argument& right = request.arguments[1];
  std::optional<TextMatcher> matcher;
  if (right.constant != nullptr && !right.constant->is_null()) {
    matcher.emplace(TextTest::kEqual, constant_text(right), true);
  }
  return bool_call(request, std::make_shared<EqualFoldCall>(kNegated, std::move(matcher)));
}

template <bool kNegated>
BindResult bind_regex_test(const BindRequest& request) {
  const Argument& right = request.arguments[1];
  std::shared_ptr<const Regex> regex;
  if (right.constant != nullptr) {
    Result<std::shared_ptr<const Regex>> compiled = Regex::compile(constant_text(right));
    if (!compiled.ok()) {
      return BindFailure{1, compiled.error().message, compiled.error().hint};
    }
    regex = *compiled;
  }
  return bool_call(request, std::make_shared<RegexTestCall>(kNegated, std::move(regex)));
}

// Which ends of the text that is sought may lie inside terms of a text that has it.
constexpr OpenEnds open_ends(TextTest test) {
  const bool whole = test == TextTest::kHas || test == TextTest::kEqual;
  return {.begin = !whole && test != TextTest::kHasPrefix,
          .end = !whole && test != TextTest::kHasSuffix};
}

template <TextTest kTest, bool kFold, bool kNegated>
constexpr ScalarFunction text_row(std::string_view name, std::string_view summary) {
  ScalarFunction row = operator_row(name, summary, bind_text_test<kTest, kFold, kNegated>, 2, 2,
                                    CallCost::kTextTest);
  if (!kNegated) {
    row.required_terms = open_ends(kTest);
  }
  return row;
}

template <bool kNegated>
constexpr ScalarFunction fold_row(std::string_view name, std::string_view summary,
                                  std::string_view symbol) {
  ScalarFunction row = operator_row(name, summary, bind_equal_fold<kNegated>);
  row.symbol = symbol;
  if (!kNegated) {
    row.required_terms = open_ends(TextTest::kEqual);
  }
  return row;
}

constexpr ScalarFunction pattern_row(std::string_view name, std::string_view summary,
                                     BindResult (*bind)(const BindRequest&)) {
  return operator_row(name, summary, bind, 2, 2, CallCost::kPattern);
}

constexpr std::array kTextOperators = {
    text_row<TextTest::kContains, true, false>("op_contains", "a contains b"),
    text_row<TextTest::kContains, true, true>("op_not_contains", "a !contains b"),
    text_row<TextTest::kContains, false, false>("op_contains_cs", "a contains_cs b"),
    text_row<TextTest::kContains, false, true>("op_not_contains_cs", "a !contains_cs b"),
    text_row<TextTest::kStartsWith, true, false>("op_startswith", "a startswith b"),
    text_row<TextTest::kStartsWith, true, true>("op_not_startswith", "a !startswith b"),
    text_row<TextTest::kStartsWith, false, false>("op_startswith_cs", "a startswith_cs b"),
    text_row<TextTest::kStartsWith, false, true>("op_not_startswith_cs", "a !startswith_cs b"),
    text_row<TextTest::kEndsWith, true, false>("op_endswith", "a endswith b"),
    text_row<TextTest::kEndsWith, true, true>("op_not_endswith", "a !endswith b"),
    text_row<TextTest::kEndsWith, false, false>("op_endswith_cs", "a endswith_cs b"),
    text_row<TextTest::kEndsWith, false, true>("op_not_endswith_cs", "a !endswith_cs b"),
    text_row<TextTest::kHas, true, false>("op_has", "a has b"),
    text_row<TextTest::kHas, true, true>("op_not_has", "a !has b"),
    text_row<TextTest::kHas, false, false>("op_has_cs", "a has_cs b"),
    text_row<TextTest::kHas, false, true>("op_not_has_cs", "a !has_cs b"),
    text_row<TextTest::kHasPrefix, true, false>("op_hasprefix", "a hasprefix b"),
    text_row<TextTest::kHasPrefix, true, true>("op_not_hasprefix", "a !hasprefix b"),
    text_row<TextTest::kHasPrefix, false, false>("op_hasprefix_cs", "a hasprefix_cs b"),
    text_row<TextTest::kHasPrefix, false, true>("op_not_hasprefix_cs", "a !hasprefix_cs b"),
    text_row<TextTest::kHasSuffix, true, false>("op_hassuffix", "a hassuffix b"),
    text_row<TextTest::kHasSuffix, true, true>("op_not_hassuffix", "a !hassuffix b"),
    text_row<TextTest::kHasSuffix, false, false>("op_hassuffix_cs", "a hassuffix_cs b"),
    text_row<TextTest::kHasSuffix, false, true>("op_not_hassuffix_cs", "a !hassuffix_cs b"),
    fold_row<false>("op_equal_fold", "a =~ b", "=~"),
    fold_row<true>("op_not_equal_fold", "a !~ b", "!~"),
    pattern_row("op_matches_regex", "a matches regex b", bind_regex_test<false>),
    pattern_row("op_not_matches_regex", "a !matches regex b", bind_regex_test<true>),
};

}  // namespace

std::span<const ScalarFunction> string_operator_functions() {
  static const std::vector<ScalarFunction> kRows =
      joined_tables({kTextOperators, membership_operators(), search_operators()});
  return kRows;
}

}  // namespace evq
