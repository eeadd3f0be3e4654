// The operators over several needles or several columns: has_any, has_all and search, and the rule
// of extend-valid that keeps an old value where a new one says nothing.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "apl/functions/regex.h"
#include "apl/functions/registry.h"
#include "apl/functions/repeated_items.h"
#include "apl/functions/string_operator.h"
#include "apl/functions/term_list.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "store/base/allocation_meter.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// The needles of one item: its text, or the texts of its elements when it is an array.
void add_needles(const Values& values, std::size_t slot, std::vector<std::string>* out) {
  if (values.is_null(slot)) {
    return;
  }
  std::string text;
  if (values.type() == Type::kDynamic) {
    const DynamicView item(values.data<std::string_view>()[slot]);
    if (item.is_array()) {
      DynamicView::Iterator elements(item);
      while (elements.next()) {
        text.clear();
        append_text_form(elements.value(), &text);
        out->push_back(text);
      }
      return;
    }
  }
  append_text_form(values, slot, &text);
  out->push_back(std::move(text));
}

// What has_any or has_all of a list look for: each needle by itself, or many at once.
class Needles {
 public:
  Needles(const std::vector<std::string>& texts, bool all, bool fold) : all_(all) {
    if (texts.size() >= kTermListNeedlesMin) {
      list_.emplace(texts, fold);
      return;
    }
    for (const std::string& text : texts) {
      matchers_.emplace_back(TextTest::kHas, text, fold);
    }
  }

  bool match(std::string_view text) const {
    if (list_.has_value()) {
      return all_ ? list_->has_all(text) : list_->has_any(text);
    }
    PollCounter poll;
    for (const TextMatcher& matcher : matchers_) {
      poll.add(1 + text.size() / kPollTextBytes);
      if (matcher.matches(text) != all_) {
        return !all_;
      }
    }
    return all_;
  }

  // to[slot] = 1 where the slot of string values matches, else 0; a null is the empty text.
  void match_slots(const Values& slots, std::uint8_t* to) const {
    if (list_.has_value()) {
      const auto* texts = slots.data<std::string_view>();
      for (std::size_t i = 0; i < slots.size(); ++i) {
        to[i] = match(slots.is_null(i) ? std::string_view() : texts[i]) ? 1 : 0;
      }
      return;
    }
    std::fill_n(to, slots.size(), static_cast<std::uint8_t>(all_));
    std::vector<std::uint8_t> found(slots.size());
    for (const TextMatcher& matcher : matchers_) {
      AllocationMeter::poll();
      matcher.match_slots(slots, found.data());
      for (std::size_t i = 0; i < slots.size(); ++i) {
        to[i] = all_ ? (to[i] & found[i]) : (to[i] | found[i]);
      }
    }
  }

 private:
  bool all_;
  std::vector<TextMatcher> matchers_;
  std::optional<TermList> list_;  // instead of them
};

class HasListCall final : public BoundFunction {
 public:
  HasListCall(bool all, bool fold, bool negated, std::optional<Needles> needles)
      : all_(all), fold_(fold), negated_(negated), needles_(std::move(needles)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector left = text_forms(args[0]);
    if (needles_.has_value()) {
      return match_all(left, *needles_);
    }
    bool constant = true;
    for (const Vector& item : args.subspan(1)) {
      constant = constant && item.is_constant();
    }
    if (constant && rows != 0) {
      return match_all(left, needles_of(args, 0));
    }
    auto out = Values::make(Type::kBool, rows);
    auto* to = out->mutable_data<std::uint8_t>();
    RepeatedItems<Needles> needles(args.subspan(1));
    PollCounter poll;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string_view text =
          left.is_null(i) ? std::string_view() : left.at<std::string_view>(i);
      poll.add(1 + text.size() / kPollTextBytes);
      const bool found =
          needles.of(i, [&](std::size_t row) { return needles_of(args, row); }).match(text);
      to[i] = static_cast<std::uint8_t>(found != negated_);
    }
    return Vector::flat(std::move(out));
  }

 private:
  Needles needles_of(std::span<const Vector> args, std::size_t row) const {
    std::vector<std::string> texts;
    for (const Vector& item : args.subspan(1)) {
      add_needles(item.values(), item.slot(row), &texts);
    }
    return {texts, all_, fold_};
  }

  Vector match_all(const Vector& left, const Needles& needles) const {
    const Values& slots = left.values();
    auto out = Values::make(Type::kBool, slots.size());
    auto* to = out->mutable_data<std::uint8_t>();
    needles.match_slots(slots, to);
    for (std::size_t i = 0; negated_ && i < slots.size(); ++i) {
      to[i] ^= 1;
    }
    return left.with_values(std::move(out));
  }

  bool all_;
  bool fold_;
  bool negated_;
  std::optional<Needles> needles_;  // when all items are constants
};

template <bool kAll, bool kFold, bool kNegated>
BindResult bind_has_list(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kBool;
  std::optional<std::vector<std::string>> texts{std::in_place};
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Argument& argument = request.arguments[i];
    call.arguments.push_back(argument.type);
    if (i == 0) {
      continue;
    }
    if (argument.constant == nullptr) {
      texts.reset();
    } else if (texts.has_value() && !argument.constant->is_null()) {
      add_needles(*Values::make_constant(*argument.constant), 0, &*texts);
    }
  }
  std::optional<Needles> needles;
  if (texts.has_value()) {
    needles.emplace(*texts, kAll, kFold);
  }
  call.function = std::make_shared<HasListCall>(kAll, kFold, kNegated, std::move(needles));
  return call;
}

// ---- search

// The characters that the text forms of a type are made of; empty when any may come.
std::string_view alphabet_of(Type type) {
  switch (type) {
    case Type::kBool:
      return "truefalse";
    case Type::kLong:
      return "0123456789-";
    case Type::kReal:
      return "0123456789-+.eNaInf";
    case Type::kDatetime:
      return "0123456789-+:.TZ";
    case Type::kTimespan:
      return "0123456789-.hmsn\xC2\xB5";
    case Type::kNull:
    case Type::kString:
    case Type::kDynamic:
      break;
  }
  return {};
}

class SearchCall final : public BoundFunction {
 public:
  explicit SearchCall(TextMatcher matcher) : matcher_(std::move(matcher)) {}
  explicit SearchCall(std::shared_ptr<const Regex> regex) : regex_(std::move(regex)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    auto out = Values::make(Type::kBool, rows);
    auto* to = out->mutable_data<std::uint8_t>();
    std::fill_n(to, rows, std::uint8_t{0});
    std::vector<std::uint8_t> found;
    for (const Vector& column : args.subspan(2)) {
      if (!could_match(column.type())) {
        continue;
      }
      const Vector text = text_forms(column);
      const Values& slots = text.values();
      found.resize(slots.size());
      if (matcher_.has_value()) {
        matcher_->match_slots(slots, found.data());
      } else {
        regex_->match_slots(slots, found.data());
      }
      add_found(text, found, to);
    }
    return Vector::flat(std::move(out));
  }

 private:
  // Marks the rows whose slot was found.
  static void add_found(const Vector& text, const std::vector<std::uint8_t>& found,
                        std::uint8_t* to) {
    if (std::ranges::find(found, 1) == found.end()) {
      return;
    }
    const std::size_t rows = text.size();
    if (text.is_flat()) {
      for (std::size_t i = 0; i < rows; ++i) {
        to[i] |= found[i];
      }
      return;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] |= found[text.slot(i)];
    }
  }

  bool could_match(Type type) const {
    const std::string_view alphabet = alphabet_of(type);
    return !matcher_.has_value() || alphabet.empty() || matcher_->could_match_alphabet(alphabet);
  }

  std::optional<TextMatcher> matcher_;
  std::shared_ptr<const Regex> regex_;  // when there is no matcher
};

std::optional<TextTest> test_of_kind(std::string_view kind) {
  static constexpr std::array<std::pair<std::string_view, TextTest>, 7> kKinds = {{
      {"has", TextTest::kHas},
      {"hasprefix", TextTest::kHasPrefix},
      {"hassuffix", TextTest::kHasSuffix},
      {"contains", TextTest::kContains},
      {"startswith", TextTest::kStartsWith},
      {"endswith", TextTest::kEndsWith},
      {"equal", TextTest::kEqual},
  }};
  for (const auto& [name, test] : kKinds) {
    if (name == kind) {
      return test;
    }
  }
  return std::nullopt;
}

BindResult bind_search(const BindRequest& request) {
  const Value* pattern = request.arguments[0].constant;
  const Value* kind_value = request.arguments[1].constant;
  if (pattern == nullptr || pattern->type() != Type::kString || kind_value == nullptr ||
      kind_value->type() != Type::kString) {
    return BindFailure{0, "search takes a constant text", ""};
  }
  BoundCall call;
  call.result = Type::kBool;
  for (const Argument& argument : request.arguments) {
    call.arguments.push_back(argument.type);
  }
  std::string_view kind = kind_value->as_text();
  const bool fold = !kind.ends_with("_cs");
  kind = kind.substr(0, kind.size() - (fold ? 0 : 3));
  if (kind == "regex") {
    Result<std::shared_ptr<const Regex>> regex =
        Regex::compile(pattern->as_text(), {.ignore_case = fold});
    if (!regex.ok()) {
      return BindFailure{0, regex.error().message, regex.error().hint};
    }
    call.function = std::make_shared<SearchCall>(*regex);
    return call;
  }
  const std::optional<TextTest> test = test_of_kind(kind);
  if (!test.has_value()) {
    return BindFailure{1, "search does not know the kind " + std::string(kind), ""};
  }
  call.function = std::make_shared<SearchCall>(TextMatcher(*test, pattern->as_text(), fold));
  return call;
}

// ---- extend-valid

bool is_valid_real(double value) {
  return value != 0 && std::isfinite(value);
}

bool is_valid_dynamic(DynamicView value) {
  switch (value.tag()) {
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
      return false;
    case DynamicTag::kTrue:
      return true;
    case DynamicTag::kLong:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return value.as_integer() != 0;
    case DynamicTag::kReal:
      return is_valid_real(value.as_real());
    case DynamicTag::kString:
      return !value.as_string().empty();
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      return value.size() != 0;
  }
  return false;
}

// Non-empty containers and texts, finite numbers other than 0, true, times other than 0.
bool is_valid(const Values& values, std::size_t slot) {
  if (values.is_null(slot)) {
    return false;
  }
  switch (values.type()) {
    case Type::kNull:
      return false;
    case Type::kBool:
      return values.data<std::uint8_t>()[slot] != 0;
    case Type::kLong:
    case Type::kDatetime:
    case Type::kTimespan:
      return values.data<std::int64_t>()[slot] != 0;
    case Type::kReal:
      return is_valid_real(values.data<double>()[slot]);
    case Type::kString:
      return !values.data<std::string_view>()[slot].empty();
    case Type::kDynamic:
      return is_valid_dynamic(DynamicView(values.data<std::string_view>()[slot]));
  }
  return false;
}

class ValidOrCall final : public BoundFunction {
 public:
  explicit ValidOrCall(Type type) : type_(type) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    VectorBuilder out(type_);
    out.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const bool valid = is_valid(args[0].values(), args[0].slot(i));
      out.append_row(valid ? args[0] : args[1], i);
    }
    return out.finish();
  }

 private:
  Type type_;
};

BindResult bind_valid_or(const BindRequest& request) {
  BoundCall call;
  call.result = common_type(request.arguments[0].type, request.arguments[1].type);
  call.arguments = {call.result, call.result};
  call.function = std::make_shared<ValidOrCall>(call.result);
  return call;
}

constexpr ScalarFunction list_row(std::string_view name, std::string_view summary,
                                  BindResult (*bind)(const BindRequest&)) {
  return operator_row(name, summary, bind, 2, 255, CallCost::kTextTest);
}

constexpr std::array kSearchOperators = {
    list_row("op_has_any", "a has_any (b, …)", bind_has_list<false, true, false>),
    list_row("op_not_has_any", "a !has_any (b, …)", bind_has_list<false, true, true>),
    list_row("op_has_any_cs", "a has_any_cs (b, …)", bind_has_list<false, false, false>),
    list_row("op_not_has_any_cs", "a !has_any_cs (b, …)", bind_has_list<false, false, true>),
    list_row("op_has_all", "a has_all (b, …)", bind_has_list<true, true, false>),
    list_row("op_not_has_all", "a !has_all (b, …)", bind_has_list<true, true, true>),
    list_row("op_has_all_cs", "a has_all_cs (b, …)", bind_has_list<true, false, false>),
    list_row("op_not_has_all_cs", "a !has_all_cs (b, …)", bind_has_list<true, false, true>),
    operator_row("op_search", "search \"text\"", bind_search, 2, 255, CallCost::kSearch),
    operator_row("op_valid_or", "the first value if it is valid", bind_valid_or),
};

}  // namespace

std::span<const ScalarFunction> search_operators() {
  return kSearchOperators;
}

}  // namespace evq
