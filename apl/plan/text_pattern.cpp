// Simple patterns cover the whole text. A literal between captures is taken at its first place,
// one at the end of the pattern must end the text; a capture takes what lies between, a numeric one
// without a literal after it the longest prefix that is a number.

#include "apl/plan/text_pattern.h"

#include <algorithm>
#include <utility>

#include "apl/functions/regex.h"
#include "apl/functions/text_form.h"
#include "apl/functions/text_search.h"
#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"
#include "store/column/dynamic_json.h"
#include "store/column/vector_builder.h"

namespace evq::plan {

Value convert_capture(std::string_view text, Type type) {
  switch (type) {
    case Type::kString:
      return Value::string(std::string(text));
    case Type::kLong: {
      const auto number = long_of_text(text);
      return number.has_value() ? Value::integer(*number) : Value::null(type);
    }
    case Type::kReal: {
      const auto number = real_of_text(text);
      return number.has_value() ? Value::real(*number) : Value::null(type);
    }
    case Type::kBool: {
      const auto found = bool_of_text(text);
      return found.has_value() ? Value::boolean(*found) : Value::null(type);
    }
    case Type::kDatetime: {
      const auto time = datetime_of_text(text);
      return time.has_value() ? Value::datetime(*time) : Value::null(type);
    }
    case Type::kTimespan: {
      const auto span = timespan_of_text(text);
      return span.has_value() ? Value::timespan(*span) : Value::null(type);
    }
    case Type::kDynamic: {
      auto bytes = dynamic_from_json(text);
      return bytes.has_value() ? Value::dynamic(std::move(*bytes)) : Value::null(type);
    }
    case Type::kNull:
      break;
  }
  return Value::null(type);
}

namespace {

// One step of a simple pattern: a literal, a capture or a star.
struct Step {
  enum class Kind : std::uint8_t { kLiteral, kCapture, kStar };
  Kind kind = Kind::kLiteral;
  std::string text;
  std::size_t capture = 0;
};

// Size of the longest prefix that is a number of `type`; 0 when none is.
std::size_t numeric_prefix(std::string_view text, Type type) {
  const auto sign_end = [text](std::size_t at) {
    return at < text.size() && (text[at] == '-' || text[at] == '+') ? at + 1 : at;
  };
  const auto digits_end = [text](std::size_t at) {
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
    return at;
  };
  const std::size_t begin = sign_end(0);
  std::size_t end = digits_end(begin);
  bool has_digits = end > begin;
  if (type != Type::kReal) {
    return has_digits ? end : 0;
  }
  if (text.substr(end).starts_with('.')) {
    const std::size_t fraction_end = digits_end(end + 1);
    if (fraction_end > end + 1) {
      end = fraction_end;
      has_digits = true;
    }
  }
  if (!has_digits) {
    return 0;
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t exponent = sign_end(end + 1);
    const std::size_t exponent_end = digits_end(exponent);
    end = exponent_end > exponent ? exponent_end : end;
  }
  return end;
}

// Matches one text; found[i] is what capture i took.
class SimpleMatcher {
 public:
  SimpleMatcher(std::vector<Step> steps, std::vector<PatternCapture> captures)
      : steps_(std::move(steps)), captures_(std::move(captures)) {}

  bool match(std::string_view text, std::span<std::string_view> found) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const bool last = i + 1 == steps_.size();
      if (step.kind == Step::Kind::kLiteral) {
        if (text.compare(at, step.text.size(), step.text) != 0) {
          return false;
        }
        at += step.text.size();
        if (last && at != text.size()) {
          return false;
        }
        continue;
      }
      std::size_t end = at;
      if (last) {
        end = text.size();
      } else if (steps_[i + 1].kind == Step::Kind::kLiteral) {
        end = literal_place(text, at, steps_[i + 1].text, i + 2 == steps_.size());
        if (end == std::string_view::npos) {
          return false;
        }
      } else if (step.kind == Step::Kind::kCapture) {
        const Type type = captures_[step.capture].type;
        end = at + (is_numeric(type) ? numeric_prefix(text.substr(at), type) : 0);
      }
      if (step.kind == Step::Kind::kCapture) {
        found[step.capture] = text.substr(at, end - at);
      }
      at = end;
    }
    return at == text.size();
  }

 private:
  static std::size_t literal_place(std::string_view text, std::size_t from,
                                   std::string_view literal, bool ends_text) {
    if (!ends_text) {
      return find_text(text, literal, from);
    }
    return text.size() >= from + literal.size() && text.ends_with(literal)
               ? text.size() - literal.size()
               : std::string_view::npos;
  }

  std::vector<Step> steps_;
  std::vector<PatternCapture> captures_;
};

// Applies a matcher to every slot of a text vector and converts what it captured.
template <class Matcher>
class PatternExtractor final : public Extractor {
 public:
  PatternExtractor(Matcher matcher, std::vector<PatternCapture> captures, bool relaxed,
                   std::string description)
      : matcher_(std::move(matcher)),
        captures_(std::move(captures)),
        relaxed_(relaxed),
        description_(std::move(description)) {}

  std::vector<Vector> extract(const EvalContext& /*context*/, const Vector& source,
                              std::vector<std::uint8_t>* matched) const override {
    const Values& values = source.values();
    std::vector<std::uint8_t> slot_matched(values.size(), 0);
    std::vector<VectorBuilder> builders;
    for (const PatternCapture& capture : captures_) {
      builders.emplace_back(capture.type);
      builders.back().keep_alive(values);
    }
    std::vector<std::string_view> found(captures_.size());
    std::vector<Value> converted(captures_.size());
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      slot_matched[slot] = static_cast<std::uint8_t>(
          !values.is_null(slot) && take(values.data<std::string_view>()[slot], &found, &converted));
      append(slot_matched[slot] != 0, found, converted, &builders);
    }
    for (std::size_t row = 0; row < source.size(); ++row) {
      (*matched)[row] = slot_matched[source.slot(row)];
    }
    std::vector<Vector> columns;
    columns.reserve(builders.size());
    for (VectorBuilder& builder : builders) {
      columns.push_back(source.with_values(builder.finish().shared_values()));
    }
    return columns;
  }

  std::string describe() const override { return description_; }

 private:
  bool take(std::string_view text, std::vector<std::string_view>* found,
            std::vector<Value>* converted) const {
    std::ranges::fill(*found, std::string_view());
    if (!matcher_.match(text, *found)) {
      return false;
    }
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      if (captures_[i].type == Type::kString) {
        continue;
      }
      (*converted)[i] = convert_capture((*found)[i], captures_[i].type);
      if ((*converted)[i].is_null() && !relaxed_) {
        return false;
      }
    }
    return true;
  }

  void append(bool matched, const std::vector<std::string_view>& found,
              const std::vector<Value>& converted, std::vector<VectorBuilder>* builders) const {
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      VectorBuilder& builder = (*builders)[i];
      if (!matched) {
        builder.append_null();
      } else if (captures_[i].type == Type::kString) {
        builder.append_view(found[i]);
      } else {
        builder.append(converted[i]);
      }
    }
  }

  Matcher matcher_;
  std::vector<PatternCapture> captures_;
  bool relaxed_;
  std::string description_;
};

// Captures are the groups of one regular expression, literals' own groups left out.
class RegexMatcher {
 public:
  RegexMatcher(std::shared_ptr<const Regex> regex, std::vector<std::size_t> groups)
      : regex_(std::move(regex)), groups_(std::move(groups)) {}

  bool match(std::string_view text, std::span<std::string_view> found) const {
    std::vector<std::string_view> all(regex_->group_count() + 1);
    if (!regex_->match_whole(text, all)) {
      return false;
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      found[i] = all[groups_[i]];
    }
    return true;
  }

 private:
  std::shared_ptr<const Regex> regex_;
  std::vector<std::size_t> groups_;
};

std::string describe_pattern(const ast::Parse& parse) {
  std::string text = "pattern";
  for (const ast::ParseItem& item : parse.pattern) {
    if (const auto* literal = std::get_if<ast::ParseText>(&item)) {
      text += " '" + literal->text + "'";
    } else if (const auto* capture = std::get_if<ast::ColumnSpec>(&item)) {
      text += " " + capture->name.text;
    } else {
      text += " *";
    }
  }
  return text;
}

TextPattern simple_pattern(const ast::Parse& parse) {
  std::vector<Step> steps;
  TextPattern pattern;
  for (const ast::ParseItem& item : parse.pattern) {
    if (const auto* literal = std::get_if<ast::ParseText>(&item)) {
      // Neighbouring literals are one, or the first place of the first would hide a later place of
      // both.
      if (!steps.empty() && steps.back().kind == Step::Kind::kLiteral) {
        steps.back().text += literal->text;
        continue;
      }
      steps.push_back({Step::Kind::kLiteral, literal->text, 0});
    } else if (const auto* capture = std::get_if<ast::ColumnSpec>(&item)) {
      steps.push_back({Step::Kind::kCapture, {}, pattern.captures.size()});
      pattern.captures.push_back({capture->name.text, capture->type});
    } else {
      steps.push_back({Step::Kind::kStar, {}, 0});
    }
  }
  pattern.extractor = std::make_shared<PatternExtractor<SimpleMatcher>>(
      SimpleMatcher(std::move(steps), pattern.captures), pattern.captures,
      parse.kind == ast::ParseKind::kRelaxed, describe_pattern(parse));
  return pattern;
}

std::string_view capture_expression(Type type) {
  switch (type) {
    case Type::kLong:
      return "([-+]?\\d+)";
    case Type::kReal:
      return "([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?)";
    case Type::kNull:
    case Type::kBool:
    case Type::kString:
    case Type::kDatetime:
    case Type::kTimespan:
    case Type::kDynamic:
      break;
  }
  return "(.*)";
}

Result<TextPattern> regex_pattern(const ast::Parse& parse, Span span) {
  std::string text;
  TextPattern pattern;
  std::vector<std::size_t> groups;
  std::size_t next_group = 1;
  for (const ast::ParseItem& item : parse.pattern) {
    if (const auto* literal = std::get_if<ast::ParseText>(&item)) {
      auto part = Regex::compile(literal->text);
      if (!part.ok()) {
        return diag::invalid_regex(literal->span, part.error());
      }
      next_group += part.value()->group_count();
      text += "(?:" + literal->text + ")";
    } else if (const auto* capture = std::get_if<ast::ColumnSpec>(&item)) {
      text += capture_expression(capture->type);
      groups.push_back(next_group++);
      pattern.captures.push_back({capture->name.text, capture->type});
    } else {
      text += ".*";
    }
  }
  RegexOptions options;
  options.ungreedy = parse.flags.find('U') != std::string::npos;
  options.multi_line = parse.flags.find('m') != std::string::npos;
  options.dot_all = parse.flags.find('s') != std::string::npos;
  options.ignore_case = parse.flags.find('i') != std::string::npos;
  auto regex = Regex::compile(text, options);
  if (!regex.ok()) {
    return diag::invalid_regex(span, regex.error());
  }
  pattern.extractor = std::make_shared<PatternExtractor<RegexMatcher>>(
      RegexMatcher(std::move(regex).value(), std::move(groups)), pattern.captures, false,
      describe_pattern(parse));
  return pattern;
}

}  // namespace

Result<TextPattern> make_text_pattern(const ast::Parse& parse, Span span) {
  return parse.kind == ast::ParseKind::kRegex ? regex_pattern(parse, span)
                                              : Result<TextPattern>(simple_pattern(parse));
}

}  // namespace evq::plan
