// The functions around regular expressions. Patterns that are constants are compiled once for the
// query; others are kept in a small cache while a chunk is evaluated.

#include <algorithm>
#include <array>
#include <utility>

#include "apl/functions/lift.h"
#include "apl/functions/regex.h"
#include "apl/functions/registry.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

using Groups = std::vector<std::string_view>;

// Where a call finds its pattern and text, and its other arguments in one row.
struct RegexRow {
  const Regex& regex;
  std::string_view text;
  std::span<const Vector> args;
  std::size_t row;

  bool has(std::size_t argument) const {
    return argument < args.size() && !args[argument].is_null(row);
  }
  std::string_view text_of(std::size_t argument) const {
    return args[argument].at<std::string_view>(row);
  }
  std::int64_t long_of(std::size_t argument, std::int64_t otherwise) const {
    return has(argument) ? args[argument].at<std::int64_t>(row) : otherwise;
  }
};

// One function: where its pattern and text stand, and the types of its arguments and result.
struct RegexForm {
  std::size_t pattern;
  std::size_t text;
  std::array<Type, 5> types;
  Type result;
  std::string (*anchored)(std::string_view pattern) = nullptr;  // what is matched instead
};

// Strings and dynamics of a result, kept until the vector is done.
class Sink {
 public:
  Sink(Type type, std::size_t rows) : values_(Values::make(type, rows)) {}

  void put_text(std::size_t i, std::string_view bytes) {
    values_->mutable_data<std::string_view>()[i] = arena_->copy(bytes);
  }
  void put_long(std::size_t i, std::int64_t number) {
    values_->mutable_data<std::int64_t>()[i] = number;
  }
  void put_null(std::size_t i) { values_->set_null(i); }
  Vector finish() {
    values_->add_owner(arena_);
    return Vector::flat(values_);
  }

 private:
  std::shared_ptr<Values> values_;
  std::shared_ptr<StringArena> arena_ = std::make_shared<StringArena>();
};

// Puts row i; false for null.
using RegexPut = bool (*)(const RegexRow& row, std::size_t i, Sink* sink);

class RegexCall final : public BoundFunction {
 public:
  RegexCall(const RegexForm& form, RegexPut put, std::shared_ptr<const Regex> constant)
      : form_(form), put_(put), constant_(std::move(constant)) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    Sink sink(form_.result, rows);
    RegexCache cache;
    const Vector& texts = args[form_.text];
    const Vector& patterns = args[form_.pattern];
    PollCounter poll;
    for (std::size_t i = 0; i < rows; ++i) {
      const Regex* regex = constant_.get();
      if (regex == nullptr && !patterns.is_null(i)) {
        regex = cache.get(patterns.at<std::string_view>(i));
        if (regex != nullptr && form_.anchored != nullptr) {
          regex = cache.get(form_.anchored(patterns.at<std::string_view>(i)));
        }
      }
      // A group of an empty text must differ from one that took no part, whose data is null.
      std::string_view text = texts.is_null(i) ? "" : texts.at<std::string_view>(i);
      text = text.empty() ? "" : text;
      poll.add(1 + text.size() / kPollTextBytes);
      if (regex == nullptr || texts.is_null(i) || !put_({*regex, text, args, i}, i, &sink)) {
        sink.put_null(i);
      }
    }
    return sink.finish();
  }

 private:
  RegexForm form_;
  RegexPut put_;
  std::shared_ptr<const Regex> constant_;  // when the pattern is a constant
};

using Compiled = std::variant<std::shared_ptr<const Regex>, BindFailure>;

// The pattern of a call when it is a constant; null when it is not.
Compiled compile_constant(const BindRequest& request, const RegexForm& form) {
  const Value* constant = request.arguments[form.pattern].constant;
  if (constant == nullptr || constant->is_null() || constant->type() != Type::kString) {
    return nullptr;
  }
  Result<std::shared_ptr<const Regex>> regex = Regex::compile(constant->as_text());
  if (regex.ok() && form.anchored != nullptr) {
    regex = Regex::compile(form.anchored(constant->as_text()));
  }
  if (!regex.ok()) {
    return BindFailure{static_cast<int>(form.pattern), regex.error().message, regex.error().hint};
  }
  return std::move(regex).value();
}

BindResult bind_form(const BindRequest& request, const RegexForm& form, RegexPut put) {
  BoundCall call;
  call.result = form.result;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Type from = request.arguments[i].type;
    if (!implicit_cast_cost(from, form.types[i]).has_value()) {
      return BindFailure{static_cast<int>(i),
                         "this must be a " + std::string(type_name(form.types[i])) + ", not a " +
                             std::string(type_name(from)),
                         "convert it with to" + std::string(type_name(form.types[i])) + "()"};
    }
    call.arguments.push_back(form.types[i]);
  }
  Compiled compiled = compile_constant(request, form);
  if (auto* failure = std::get_if<BindFailure>(&compiled)) {
    return std::move(*failure);
  }
  call.function = std::make_shared<RegexCall>(
      form, put, std::get<std::shared_ptr<const Regex>>(std::move(compiled)));
  return call;
}

// ---- countof_regex

bool put_count(const RegexRow& row, std::size_t i, Sink* sink) {
  std::array<std::string_view, 1> match;
  std::int64_t count = 0;
  RegexMatches matches(row.regex, row.text);
  while (matches.next(match)) {
    ++count;
  }
  sink->put_long(i, count);
  return true;
}

BindResult bind_countof_regex(const BindRequest& request) {
  return bind_form(request, {0, 1, {Type::kString, Type::kString}, Type::kLong}, put_count);
}

// ---- extract

bool put_group(const RegexRow& row, std::size_t i, Sink* sink) {
  const std::int64_t group = row.long_of(1, -1);
  if (group < 0 || group > static_cast<std::int64_t>(row.regex.group_count())) {
    return false;
  }
  Groups groups(static_cast<std::size_t>(group) + 1);
  if (!row.regex.match(row.text, 0, groups) || groups.back().data() == nullptr) {
    return false;
  }
  sink->put_text(i, groups.back());
  return true;
}

// extract() with a type converts by the conversion function of that type.
class ConvertedCall final : public BoundFunction {
 public:
  ConvertedCall(std::shared_ptr<const BoundFunction> first, BoundCall second)
      : first_(std::move(first)), second_(std::move(second)) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector text = first_->evaluate(context, args, rows);
    const std::array<Vector, 1> converted{implicit_cast(text, second_.arguments[0])};
    return second_.function->evaluate(context, converted, rows);
  }

 private:
  std::shared_ptr<const BoundFunction> first_;
  BoundCall second_;
};

std::string_view conversion_to(Type type) {
  switch (type) {
    case Type::kBool:
      return "tobool";
    case Type::kLong:
      return "toint";
    case Type::kReal:
      return "toreal";
    case Type::kDatetime:
      return "todatetime";
    case Type::kTimespan:
      return "totimespan";
    case Type::kDynamic:
      return "todynamic";
    case Type::kString:
    case Type::kNull:
      break;
  }
  return {};
}

// The type that the fourth argument of extract() asks for: typeof(…) is a typed null.
std::optional<Type> wanted_type(const Argument& argument) {
  if (argument.constant == nullptr) {
    return std::nullopt;
  }
  return argument.constant->is_null() ? argument.type
                                      : type_from_name(argument.constant->as_text());
}

BindResult bind_extract(const BindRequest& request) {
  RegexForm form{0, 2, {Type::kString, Type::kLong, Type::kString}, Type::kString};
  std::optional<Type> type = Type::kString;
  if (request.arguments.size() > 3) {
    form.types[3] = request.arguments[3].type;
    type = wanted_type(request.arguments[3]);
    if (!type.has_value()) {
      return BindFailure{3, "extract() takes a type as its fourth argument",
                         "write it as typeof(long)"};
    }
  }
  BindResult bound = bind_form(request, form, put_group);
  auto* call = std::get_if<BoundCall>(&bound);
  const std::string_view conversion = conversion_to(*type);
  if (call == nullptr || conversion.empty()) {
    return bound;
  }
  const std::array<Argument, 1> text{Argument{Type::kString, nullptr}};
  BindResult second = bind_function(*find_function(conversion), {text, request.context});
  auto* converted = std::get_if<BoundCall>(&second);
  if (converted == nullptr) {
    return second;
  }
  call->result = converted->result;
  call->function = std::make_shared<ConvertedCall>(call->function, std::move(*converted));
  return bound;
}

// ---- extract_all

// The groups to give: those of the array argument, by number or name, or all of them.
std::vector<std::size_t> wanted_groups(const RegexRow& row) {
  std::vector<std::size_t> wanted;
  const std::size_t count = row.regex.group_count();
  if (row.args.size() < 3) {
    for (std::size_t i = count == 0 ? 0 : 1; i <= count; ++i) {
      wanted.push_back(i);
    }
    return wanted;
  }
  const std::map<int, std::string> names = row.regex.group_names();
  DynamicView::Iterator elements(DynamicView(row.text_of(1)));
  while (elements.next()) {
    const DynamicView element = elements.value();
    if (element.tag() == DynamicTag::kLong && element.as_integer() >= 0 &&
        element.as_integer() <= static_cast<std::int64_t>(count)) {
      wanted.push_back(static_cast<std::size_t>(element.as_integer()));
    } else if (element.is_string()) {
      for (const auto& [number, name] : names) {
        if (name == element.as_string()) {
          wanted.push_back(static_cast<std::size_t>(number));
        }
      }
    }
  }
  return wanted;
}

bool put_all(const RegexRow& row, std::size_t i, Sink* sink) {
  if (row.args.size() == 3 && row.args[1].is_null(row.row)) {
    return false;
  }
  const std::vector<std::size_t> wanted = wanted_groups(row);
  Groups groups(row.regex.group_count() + 1);
  DynamicBuilder builder;
  builder.begin_array();
  std::size_t count = 0;
  RegexMatches matches(row.regex, row.text);
  while (!wanted.empty() && count < kListItemsMax && matches.next(groups)) {
    ++count;
    if (wanted.size() > 1) {
      builder.begin_array();
    }
    for (const std::size_t group : wanted) {
      builder.add_string(groups[group]);
    }
    if (wanted.size() > 1) {
      builder.end_array();
    }
  }
  builder.end_array();
  if (count == 0 || builder.size() > kStringValueBytesMax) {
    return false;
  }
  sink->put_text(i, builder.bytes());
  return true;
}

BindResult bind_extract_all(const BindRequest& request) {
  if (request.arguments.size() == 2) {
    return bind_form(request, {0, 1, {Type::kString, Type::kString}, Type::kDynamic}, put_all);
  }
  return bind_form(request, {0, 2, {Type::kString, Type::kDynamic, Type::kString}, Type::kDynamic},
                   put_all);
}

// ---- indexof_regex(text, pattern[, start[, occurrence[, length]]])

bool put_index(const RegexRow& row, std::size_t i, Sink* sink) {
  const std::int64_t start = row.long_of(2, 0);
  std::int64_t occurrence = row.long_of(3, 1);
  const std::int64_t length = row.long_of(4, -1);
  if (start < 0 || occurrence < 1 || length < -1) {
    return false;
  }
  const std::size_t from = code_point_offset(row.text, static_cast<std::size_t>(start));
  std::string_view text = row.text;
  if (length >= 0) {
    text = text.substr(
        0, from + code_point_offset(text.substr(from), static_cast<std::size_t>(length)));
  }
  std::array<std::string_view, 1> match;
  RegexMatches matches(row.regex, text, from);
  while (matches.next(match)) {
    if (--occurrence == 0) {
      const auto at = static_cast<std::size_t>(match[0].data() - text.data());
      sink->put_long(i, static_cast<std::int64_t>(count_code_points(text.substr(0, at))));
      return true;
    }
  }
  sink->put_long(i, -1);
  return true;
}

BindResult bind_indexof_regex(const BindRequest& request) {
  return bind_form(
      request,
      {1, 0, {Type::kString, Type::kString, Type::kLong, Type::kLong, Type::kLong}, Type::kLong},
      put_index);
}

// ---- replace_regex(pattern, rewrite, text)

bool put_replaced(const RegexRow& row, std::size_t i, Sink* sink) {
  std::string out;
  if (!row.has(1) || !replace_matches(row.regex, row.text, row.text_of(1), &out)) {
    return false;
  }
  sink->put_text(i, out);
  return true;
}

BindResult bind_replace(const BindRequest& request) {
  return bind_form(request, {0, 2, {Type::kString, Type::kString, Type::kString}, Type::kString},
                   put_replaced);
}

// ---- trim_regex and its halves: one match of the repeated pattern at an end of the text

bool put_without_start(const RegexRow& row, std::size_t i, Sink* sink) {
  std::array<std::string_view, 1> match;
  const bool found = row.regex.match(row.text, 0, match);
  sink->put_text(i, row.text.substr(found ? match[0].size() : 0));
  return true;
}

bool put_without_end(const RegexRow& row, std::size_t i, Sink* sink) {
  std::array<std::string_view, 1> match;
  const bool found = row.regex.match(row.text, 0, match);
  sink->put_text(i, row.text.substr(0, row.text.size() - (found ? match[0].size() : 0)));
  return true;
}

BindResult bind_trim_start(const BindRequest& request) {
  const auto anchored = [](std::string_view pattern) {
    return "\\A(?:" + std::string(pattern) + ")+";
  };
  return bind_form(request, {0, 1, {Type::kString, Type::kString}, Type::kString, anchored},
                   put_without_start);
}

BindResult bind_trim_end(const BindRequest& request) {
  const auto anchored = [](std::string_view pattern) {
    return "(?:" + std::string(pattern) + ")+\\z";
  };
  return bind_form(request, {0, 1, {Type::kString, Type::kString}, Type::kString, anchored},
                   put_without_end);
}

class TrimBothCall final : public BoundFunction {
 public:
  TrimBothCall(std::shared_ptr<const BoundFunction> start, std::shared_ptr<const BoundFunction> end)
      : start_(std::move(start)), end_(std::move(end)) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    const std::array<Vector, 2> rest{args[0], start_->evaluate(context, args, rows)};
    return end_->evaluate(context, rest, rows);
  }

 private:
  std::shared_ptr<const BoundFunction> start_;
  std::shared_ptr<const BoundFunction> end_;
};

BindResult bind_trim(const BindRequest& request) {
  BindResult bound = bind_trim_start(request);
  BindResult end = bind_trim_end(request);
  auto* call = std::get_if<BoundCall>(&bound);
  if (call == nullptr || !std::holds_alternative<BoundCall>(end)) {
    return call == nullptr ? bound : end;
  }
  call->function =
      std::make_shared<TrimBothCall>(call->function, std::get<BoundCall>(end).function);
  return bound;
}

// ---- regex_quote

std::string regex_quote(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) {
      out.push_back('\\');
    }
    out.push_back(c);
  }
  return out;
}

constexpr ParameterDoc kPattern{"pattern", "A regular expression in RE2's syntax."};
constexpr ParameterDoc kSearchedText{"text", "The text to look at."};

constexpr std::array<ScalarFunction, 9> kRegexFunctions = {{
    {.name = "countof_regex",
     .category = "string",
     .summary = "Counts the matches of a regular expression, which do not overlap.",
     .params = {{kPattern, kSearchedText}},
     .returns = "long.",
     .examples = {{{"print countof_regex('c.t', 'cat, cot, dog')", "2"}}},
     .bind = bind_countof_regex,
     .arguments_min = 2,
     .arguments_max = 2,
     .cost = CallCost::kPattern},
    {.name = "extract",
     .category = "string",
     .summary = "Takes a group of the first match of a regular expression.",
     .params = {{kPattern,
                 {"group", "The group's number; 0 is the whole match."},
                 kSearchedText,
                 {"[type]", "typeof(…): what to convert the group to.", true}}},
     .returns = "string, or the type asked for; null when nothing matches.",
     .examples = {{{"print extract('x=([0-9.]+)', 1, 'hello x=45.6|wo')", "45.6"},
                   {"print extract('x=([0-9]+)', 1, 'x=45', typeof(long)) + 1", "46"}}},
     .bind = bind_extract,
     .arguments_min = 3,
     .arguments_max = 4,
     .cost = CallCost::kPattern},
    {.name = "extract_all",
     .aliases = {"extractall"},
     .category = "string",
     .summary = "Takes groups of all matches of a regular expression.",
     .params = {{kPattern,
                 {"[groups]", "An array of group numbers or names; all groups when left out."},
                 kSearchedText}},
     .returns =
         "dynamic: an array, of arrays when there are several groups; null without match. At "
         "most the first 1,048,576 matches.",
     .examples = {{{"print extract_all('(\\\\d+)', 'a1 b22')", R"(["1","22"])"},
                   {"print extract_all('(\\\\w)(\\\\d)', dynamic([1, 2]), 'a1 b2')",
                    R"([["a","1"],["b","2"]])"}}},
     .bind = bind_extract_all,
     .arguments_min = 2,
     .arguments_max = 3,
     .cost = CallCost::kPattern},
    {.name = "indexof_regex",
     .category = "string",
     .summary = "Finds where a regular expression matches in a text.",
     .params = {{kSearchedText,
                 kPattern,
                 {"[start]", "Where to begin, 0-based."},
                 {"[occurrence]", "Which match, 1 for the first."},
                 {"[length]", "How many characters to look at; -1 for all."}}},
     .returns = "long: the position in characters, -1 when there is none; null for bad numbers.",
     .examples = {{{"print indexof_regex('abcabc', 'b.')", "1"},
                   {"print indexof_regex('abcabc', 'b.', 0, 2)", "4"}}},
     .bind = bind_indexof_regex,
     .arguments_min = 2,
     .arguments_max = 5,
     .cost = CallCost::kPattern},
    {.name = "regex_quote",
     .category = "string",
     .summary = "Escapes the characters of a text that mean something in a regular expression.",
     .params = {{kSearchedText}},
     .returns = "string.",
     .examples = {{{"print 'a.b' matches regex regex_quote('a.b')", "true"},
                   {"print 'axb' matches regex regex_quote('a.b')", "false"}}},
     .overloads = {lift<regex_quote>()},
     .cost = CallCost::kPattern},
    {.name = "replace_regex",
     .aliases = {"replace"},
     .category = "string",
     .summary = "Replaces all matches of a regular expression. Kusto's order, text, pattern, "
                "rewrite, is taken, with a note, where the first is not the same in every row and "
                "the last is.",
     .params = {{kPattern,
                 {"rewrite",
                  "The replacement; $0 is the match, $1 or ${1} its first group, ${name} a named "
                  "one."},
                 kSearchedText}},
     .returns = "string.",
     .examples = {{{"print replace_regex('([a-z])([0-9])', '$2$1', 'a1 b2')", "1a 2b"}}},
     .bind = bind_replace,
     .arguments_min = 3,
     .arguments_max = 3,
     .cost = CallCost::kPattern,
     .kusto_text_first = true},
    {.name = "trim_end_regex",
     .category = "string",
     .summary = "Removes matches of a regular expression from the end of a text.",
     .params = {{kPattern, kSearchedText}},
     .returns = "string.",
     .examples = {{{"print trim_end_regex('[0-9]', 'ab12')", "ab"}}},
     .bind = bind_trim_end,
     .arguments_min = 2,
     .arguments_max = 2,
     .cost = CallCost::kPattern},
    {.name = "trim_regex",
     .category = "string",
     .summary = "Removes matches of a regular expression from both ends of a text.",
     .params = {{kPattern, kSearchedText}},
     .returns = "string.",
     .examples = {{{"print trim_regex('[^a-z]+', '--ab12')", "ab"}}},
     .bind = bind_trim,
     .arguments_min = 2,
     .arguments_max = 2,
     .cost = CallCost::kPattern},
    {.name = "trim_start_regex",
     .category = "string",
     .summary = "Removes matches of a regular expression from the start of a text.",
     .params = {{kPattern, kSearchedText}},
     .returns = "string.",
     .examples = {{{"print trim_start_regex('[0-9]', '12ab')", "ab"}}},
     .bind = bind_trim_start,
     .arguments_min = 2,
     .arguments_max = 2,
     .cost = CallCost::kPattern},
}};

}  // namespace

std::span<const ScalarFunction> regex_functions() {
  return kRegexFunctions;
}

}  // namespace evq
