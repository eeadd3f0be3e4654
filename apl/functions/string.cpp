// String functions that build a text out of others: case, joining, cutting, trimming, replacing.
// Lengths and positions count code points.

#include <algorithm>
#include <array>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "store/base/allocation_meter.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/short_copy.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// ---- case, length, order

std::string lower(std::string_view text) {
  return to_lower(text);
}
std::string upper(std::string_view text) {
  return to_upper(text);
}
// The first character in title case, the rest as it is.
std::string title(std::string_view text) {
  const std::size_t first = code_point_offset(text, 1);
  return to_title(text.substr(0, first)).append(text.substr(first));
}

// A column of texts in another case. Those of ASCII alone, where a letter between kFirst and kLast
// changes by one bit, go where they stay without a text in between.
template <std::string (*kMap)(std::string_view), char kFirst, char kLast>
Vector case_kernel(const KernelCall& call) {
  constexpr char kCaseBit = 0x20;
  const Vector& input = call.args[0];
  if (!input.is_flat()) {
    return lifting::kernel<kMap>(call);
  }
  const Values& from = input.values();
  std::shared_ptr<Values> values = Values::make(Type::kString, call.rows);
  auto arena = std::make_shared<StringArena>();
  const auto* texts = from.data<std::string_view>();
  auto* out = values->mutable_data<std::string_view>();
  for (std::size_t i = 0; i < call.rows; ++i) {
    const std::string_view text = from.is_null(i) ? std::string_view() : texts[i];
    if (is_ascii(text)) {
      char* to = arena->allocate(text.size());
      std::ranges::transform(text, to, [](char c) {
        return static_cast<char>(c ^ (c >= kFirst && c <= kLast ? kCaseBit : 0));
      });
      out[i] = {to, text.size()};
    } else if (const std::string mapped = kMap(text); mapped.size() <= kStringValueBytesMax) {
      out[i] = arena->copy(mapped);
    } else {
      values->set_null(i);
    }
    if (from.is_null(i)) {
      values->set_null(i);
    }
  }
  values->add_owner(std::move(arena));
  return Vector::flat(std::move(values));
}

template <std::string (*kMap)(std::string_view), char kFirst, char kLast>
constexpr Overload lift_case() {
  Overload overload = lift<kMap>();
  overload.kernel = &case_kernel<kMap, kFirst, kLast>;
  return overload;
}

std::int64_t size_in_bytes(std::string_view text) {
  return static_cast<std::int64_t>(text.size());
}
std::int64_t length(std::string_view text) {
  return static_cast<std::int64_t>(count_code_points(text));
}

std::int64_t compare(std::string_view a, std::string_view b) {
  const int order = a.compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool has_only_ascii(std::string_view text) {
  return is_ascii(text);
}

std::string reversed(std::string_view text) {
  if (is_ascii(text)) {
    return {text.rbegin(), text.rend()};
  }
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = text.size(); at > 0;) {
    const std::size_t end = at;
    previous_code_point(text, at);
    out.append(text.substr(at, end - at));
  }
  return out;
}

// ---- parts

std::string_view substring(std::string_view text, std::int64_t start, MaybeLong count) {
  if (start < 0) {
    start = std::max<std::int64_t>(0, start + length(text));
  }
  if (count.has_value() && *count <= 0) {
    return {};
  }
  const std::size_t begin = code_point_offset(text, static_cast<std::size_t>(start));
  const std::string_view rest = text.substr(begin);
  return count.has_value()
             ? rest.substr(0, code_point_offset(rest, static_cast<std::size_t>(*count)))
             : rest;
}

bool holds(std::string_view set, char32_t wanted, PollCounter* poll) {
  poll->add(1 + set.size() / kPollTextBytes);
  for (std::size_t at = 0; at < set.size();) {
    if (next_code_point(set, at) == wanted) {
      return true;
    }
  }
  return false;
}

template <class Drop>
std::string_view trim_left_where(std::string_view text, const Drop& drop) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t next = begin;
    if (!drop(next_code_point(text, next))) {
      break;
    }
    begin = next;
  }
  return text.substr(begin);
}

template <class Drop>
std::string_view trim_right_where(std::string_view text, const Drop& drop) {
  std::size_t end = text.size();
  while (end > 0) {
    std::size_t before = end;
    if (!drop(previous_code_point(text, before))) {
      break;
    }
    end = before;
  }
  return text.substr(0, end);
}

std::string_view trim_start(std::string_view set, std::string_view text) {
  PollCounter poll;
  return trim_left_where(text, [&](char32_t c) { return holds(set, c, &poll); });
}
std::string_view trim_end(std::string_view set, std::string_view text) {
  PollCounter poll;
  return trim_right_where(text, [&](char32_t c) { return holds(set, c, &poll); });
}
std::string_view trim(std::string_view set, std::string_view text) {
  return trim_end(set, trim_start(set, text));
}
std::string_view trim_space(std::string_view text) {
  return trim_right_where(trim_left_where(text, is_space), is_space);
}

// ---- joining

// strcat and strcat_delim: texts of any values in a row, nulls as empty texts.
class JoinCall final : public BoundFunction {
 public:
  explicit JoinCall(bool delimited) : delimited_(delimited) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    std::vector<Vector> texts;
    texts.reserve(args.size());
    for (const Vector& arg : args) {
      texts.push_back(text_forms(arg));
    }
    auto out = Values::make(Type::kString, rows);
    auto arena = std::make_shared<StringArena>();
    auto* to = out->mutable_data<std::string_view>();
    std::vector<std::string_view> parts;  // of a row
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t size = list_parts(texts, i, &parts);
      if (size > kStringValueBytesMax) {
        out->set_null(i);
        continue;
      }
      char* joined = arena->allocate(size);
      to[i] = {joined, size};
      for (const std::string_view part : parts) {
        copy_short(part.data(), part.size(), joined);
        joined += part.size();
      }
    }
    out->add_owner(std::move(arena));
    return Vector::flat(std::move(out));
  }

 private:
  // Returns the bytes of all of them.
  std::size_t list_parts(const std::vector<Vector>& texts, std::size_t row,
                         std::vector<std::string_view>* parts) const {
    std::size_t size = 0;
    const auto add = [&](const Vector& text) {
      if (!text.is_null(row)) {
        parts->push_back(text.at<std::string_view>(row));
        size += parts->back().size();
      }
    };
    parts->clear();
    const std::size_t first = delimited_ ? 1 : 0;
    for (std::size_t i = first; i < texts.size(); ++i) {
      if (delimited_ && i > first) {
        add(texts[0]);
      }
      add(texts[i]);
    }
    return size;
  }

  bool delimited_;
};

template <bool kDelimited>
BindResult bind_join(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kString;
  for (const Argument& argument : request.arguments) {
    call.arguments.push_back(argument.type);
  }
  call.function = std::make_shared<JoinCall>(kDelimited);
  return call;
}

MaybeText repeat(std::string_view text, std::int64_t times,
                 std::optional<std::string_view> separator) {
  times = std::clamp<std::int64_t>(times, 0, kStringRepeatMax);
  std::string out;
  if (times == 0) {
    return out;
  }
  const std::string_view between = separator.value_or("");
  const auto count = static_cast<std::size_t>(times);
  if (text.size() * count + between.size() * (count - 1) > kStringValueBytesMax) {
    return std::nullopt;
  }
  for (std::int64_t i = 0; i < times; ++i) {
    out.append(i == 0 ? "" : between).append(text);
  }
  return out;
}

// ---- replacing

std::string replace_string(std::string_view lookup, std::string_view rewrite,
                           std::string_view text) {
  std::string out;
  std::size_t begin = 0;
  PollCounter poll;
  while (!lookup.empty() && out.size() <= kStringValueBytesMax) {
    const std::size_t at = find_text(text, lookup, begin);
    if (at == std::string_view::npos) {
      break;
    }
    poll.add(1 + (at - begin) / kPollTextBytes);
    out.append(text.substr(begin, at - begin)).append(rewrite);
    begin = at + lookup.size();
  }
  out.append(text.substr(begin));
  return out;
}

std::vector<char32_t> code_points_of(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) {
    out.push_back(next_code_point(text, at));
  }
  return out;
}

std::string translate(std::string_view search, std::string_view replacement,
                      std::string_view text) {
  const std::vector<char32_t> from = code_points_of(search);
  const std::vector<char32_t> to = code_points_of(replacement);
  std::string out;
  PollCounter poll;
  for (std::size_t at = 0; at < text.size() && out.size() <= kStringValueBytesMax;) {
    poll.add(1 + from.size() / kPollTextBytes);
    const char32_t c = next_code_point(text, at);
    const auto found = std::ranges::find(from, c);
    if (found == from.end()) {
      append_code_point(out, c);
    } else if (!to.empty()) {
      const auto index = static_cast<std::size_t>(found - from.begin());
      append_code_point(out, to[std::min(index, to.size() - 1)]);
    }
  }
  return out;
}

// ---- quoting

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (out.size() > kStringValueBytesMax) {
      break;
    }
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\t':
        out.append("\\t");
        break;
      case '\r':
        out.append("\\r");
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out.append("\\u00").push_back(kHexDigits[static_cast<unsigned char>(c) >> 4U]);
          out.push_back(kHexDigits[static_cast<unsigned char>(c) & 15U]);
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
  return out;
}

constexpr char kEscape = '\x1B';

// The end of the escape sequence that starts at `at`: control sequences end with a letter or the
// like, strings for the system (titles, links) with BEL or ESC \, others after one character.
std::size_t escape_end(std::string_view text, std::size_t at) {
  const std::size_t kind = at + 1;
  if (kind >= text.size()) {
    return text.size();
  }
  if (text[kind] == '[') {
    for (std::size_t i = kind + 1; i < text.size(); ++i) {
      if (text[i] >= '@' && text[i] <= '~') {
        return i + 1;
      }
    }
    return text.size();
  }
  if (std::string_view("]P_^X").find(text[kind]) != std::string_view::npos) {
    for (std::size_t i = kind + 1; i < text.size(); ++i) {
      if (text[i] == '\a') {
        return i + 1;
      }
      if (text[i] == kEscape && i + 1 < text.size() && text[i + 1] == '\\') {
        return i + 2;
      }
    }
    return text.size();
  }
  std::size_t end = kind;
  while (end < text.size() && text[end] >= ' ' && text[end] <= '/') {
    ++end;
  }
  return std::min(end + 1, text.size());
}

std::string strip_ansi_escapes(std::string_view text) {
  std::string out;
  std::size_t begin = 0;
  while (true) {
    const std::size_t at = text.find(kEscape, begin);
    if (at == std::string_view::npos) {
      return out.append(text.substr(begin));
    }
    out.append(text.substr(begin, at - begin));
    begin = escape_end(text, at);
  }
}

constexpr ParameterDoc kStringText{"text", "The text."};
constexpr ParameterDoc kCutset{"cutset", "The characters to remove, in any order."};

constexpr std::array kStringFunctions = {
    ScalarFunction{
        .name = "isascii",
        .category = "string",
        .summary = "Tells whether a text has ASCII characters only.",
        .params = {{kStringText}},
        .returns = "bool; true for the empty text.",
        .examples = {{{"print isascii('abc')", "true"}, {"print isascii('caf\xC3\xA9')", "false"}}},
        .overloads = {lift<has_only_ascii>()}},
    ScalarFunction{.name = "quote",
                   .category = "string",
                   .summary = "Puts a text into double quotes, with escapes where needed.",
                   .params = {{kStringText}},
                   .returns = "string.",
                   .examples = {{{"print strlen(quote('a\"b'))", "6"}}},
                   .overloads = {lift<quote>()}},
    ScalarFunction{
        .name = "replace_string",
        .category = "string",
        .summary = "Replaces every occurrence of a text in another. Kusto's order, text, lookup, "
                   "rewrite, is taken, with a note, where the first is not the same in every row "
                   "and the last is.",
        .params = {{{"lookup", "The text to look for; an empty one is never found."},
                    {"rewrite", "The text to put in its place."},
                    kStringText}},
        .returns = "string.",
        .examples = {{{"print replace_string('a', 'o', 'banana')", "bonono"}}},
        .overloads = {lift<replace_string>()},
        .kusto_text_first = true},
    ScalarFunction{.name = "reverse",
                   .category = "string",
                   .summary = "Turns the order of a text's characters round.",
                   .params = {{kStringText}},
                   .returns = "string.",
                   .examples = {{{"print reverse('abc')", "cba"}}},
                   .overloads = {lift<reversed>()},
                   .texts_first = 1},
    ScalarFunction{.name = "strcat",
                   .category = "string",
                   .summary = "Joins texts, or the text forms of other values.",
                   .params = {{{"values...", "What to join; null is an empty text."}}},
                   .returns = "string, never null.",
                   .examples = {{{"print strcat('a', 1, true)", "a1true"}}},
                   .bind = bind_join<false>,
                   .arguments_min = 1,
                   .arguments_max = 64,
                   .meant_aggregation = "strcat_array(make_list(x), '')"},
    ScalarFunction{.name = "strcat_delim",
                   .category = "string",
                   .summary = "Joins texts with a delimiter between them.",
                   .params = {{{"delimiter", "The text between two values."},
                               {"values...", "What to join; null is an empty text."}}},
                   .returns = "string, never null.",
                   .examples = {{{"print strcat_delim('-', 'a', 1, 'b')", "a-1-b"}}},
                   .bind = bind_join<true>,
                   .arguments_min = 2,
                   .arguments_max = 65,
                   .meant_aggregation = "strcat_array(make_list(x), ',')"},
    ScalarFunction{
        .name = "strcmp",
        .category = "string",
        .summary = "Compares two texts by code points.",
        .params = {{{"a", "One text."}, {"b", "The other text."}}},
        .returns = "long: -1, 0 or 1.",
        .examples = {{{"print strcmp('a', 'b')", "-1"}, {"print strcmp('a', 'a')", "0"}}},
        .overloads = {lift<compare>()}},
    ScalarFunction{.name = "string_size",
                   .category = "string",
                   .summary = "Gives the size of a text in bytes of UTF-8.",
                   .params = {{kStringText}},
                   .returns = "long.",
                   .examples = {{{"print string_size('caf\xC3\xA9')", "5"}}},
                   .overloads = {lift<size_in_bytes>()}},
    ScalarFunction{.name = "strip_ansi_escapes",
                   .category = "string",
                   .summary = "Removes terminal escape sequences from a text.",
                   .params = {{kStringText}},
                   .returns = "string.",
                   .examples = {{{"print strip_ansi_escapes('\\u001b[31mred\\u001b[0m')", "red"}}},
                   .overloads = {lift<strip_ansi_escapes>()}},
    ScalarFunction{.name = "strlen",
                   .category = "string",
                   .summary = "Counts the characters of a text.",
                   .params = {{kStringText}},
                   .returns = "long.",
                   .examples = {{{"print strlen('caf\xC3\xA9')", "4"}}},
                   .overloads = {lift<length>()}},
    ScalarFunction{.name = "strrep",
                   .category = "string",
                   .summary = "Repeats a text.",
                   .params = {{kStringText,
                               {"times", "How often; more than 1,024 is 1,024, less than 0 is 0."},
                               {"[delimiter]", "A text between the repetitions."}}},
                   .returns = "string.",
                   .examples = {{{"print strrep('ab', 3)", "ababab"},
                                 {"print strrep('ab', 2, '-')", "ab-ab"}}},
                   .overloads = {lift<repeat>()},
                   .texts_first = 1},
    ScalarFunction{.name = "substring",
                   .category = "string",
                   .summary = "Takes a part out of a text.",
                   .params = {{kStringText,
                               {"start",
                                "The first character, 0-based; negative counts from the "
                                "end."},
                               {"[length]", "How many characters; all the rest when left out."}}},
                   .returns = "string; empty when the part lies beyond the end.",
                   .examples = {{{"print substring('abcdef', 2, 3)", "cde"},
                                 {"print substring('abcdef', -2)", "ef"}}},
                   .overloads = {lift<substring>()}},
    ScalarFunction{.name = "tolower",
                   .category = "string",
                   .summary = "Writes a text in lower case.",
                   .params = {{kStringText}},
                   .returns = "string.",
                   .examples = {{{"print tolower('ABC')", "abc"}}},
                   .overloads = {lift_case<lower, 'A', 'Z'>()}},
    ScalarFunction{.name = "totitle",
                   .category = "string",
                   .summary = "Writes the first character in upper case.",
                   .params = {{kStringText}},
                   .returns = "string; the other characters stay as they are.",
                   .examples = {{{"print totitle('hello world')", "Hello world"},
                                 {"print totitle(tolower('GET'))", "Get"}}},
                   .overloads = {lift<title>()}},
    ScalarFunction{.name = "toupper",
                   .category = "string",
                   .summary = "Writes a text in upper case.",
                   .params = {{kStringText}},
                   .returns = "string.",
                   .examples = {{{"print toupper('abc')", "ABC"}}},
                   .overloads = {lift_case<upper, 'a', 'z'>()}},
    ScalarFunction{.name = "translate",
                   .category = "string",
                   .summary = "Replaces characters by other characters.",
                   .params = {{{"search", "The characters to replace."},
                               {"replacement",
                                "Their replacements in the same order; the last one "
                                "serves for the rest, none deletes."},
                               kStringText}},
                   .returns = "string.",
                   .examples = {{{"print translate('abc', 'xyz', 'aabbcc')", "xxyyzz"},
                                 {"print translate('krasp', 'otsku', 'spark')", "kusto"}}},
                   .overloads = {lift<translate>()}},
    ScalarFunction{.name = "trim",
                   .category = "string",
                   .summary = "Removes the characters of a set from both ends of a text.",
                   .params = {{kCutset, kStringText}},
                   .returns = "string.",
                   .examples = {{{"print trim('-.', '-.a.b.-')", "a.b"}}},
                   .overloads = {lift<trim>()},
                   .takes_character_set = true},
    ScalarFunction{.name = "trim_end",
                   .category = "string",
                   .summary = "Removes the characters of a set from the end of a text.",
                   .params = {{kCutset, kStringText}},
                   .returns = "string.",
                   .examples = {{{"print trim_end('.', 'a..')", "a"}}},
                   .overloads = {lift<trim_end>()},
                   .takes_character_set = true},
    ScalarFunction{.name = "trim_space",
                   .category = "string",
                   .summary = "Removes white space from both ends of a text.",
                   .params = {{kStringText}},
                   .returns = "string.",
                   .examples = {{{"print trim_space('  a b ')", "a b"}}},
                   .overloads = {lift<trim_space>()}},
    ScalarFunction{.name = "trim_start",
                   .category = "string",
                   .summary = "Removes the characters of a set from the start of a text.",
                   .params = {{kCutset, kStringText}},
                   .returns = "string.",
                   .examples = {{{"print trim_start('.', '..a')", "a"}}},
                   .overloads = {lift<trim_start>()},
                   .takes_character_set = true},
};

}  // namespace

std::span<const ScalarFunction> string_functions() {
  return kStringFunctions;
}

}  // namespace evq
