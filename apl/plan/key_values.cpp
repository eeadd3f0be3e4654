#include "apl/plan/key_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"
#include "store/base/utf8.h"
#include "store/column/vector_builder.h"

namespace evq::plan {

Status KeyValueSyntax::set(std::string_view option, const Value& value, Span span) {
  if (option == "greedy") {
    if (value.is_null() || value.type() != Type::kBool) {
      return diag::invalid_constant(span, "greedy", "be true or false");
    }
    greedy = value.as_bool();
    return Status::success();
  }
  if (value.is_null() || value.type() != Type::kString || value.as_text().empty()) {
    return diag::invalid_constant(span, option, "be a text that is not empty");
  }
  const std::string text(value.as_text());
  if (option == "pair_delimiter") {
    pair_delimiter = text;
  } else if (option == "kv_delimiter") {
    kv_delimiter = text;
  } else if (option == "escape") {
    escape = text;
  } else if (option == "quote") {
    if (count_code_points(text) > 2) {
      return diag::invalid_constant(span, "quote", "be one character, or an opening and a closing");
    }
    const std::size_t second = code_point_offset(text, 1);
    quotes.emplace_back(text.substr(0, second), second < text.size() ? text.substr(second) : text);
  } else {
    auto compiled = Regex::compile(text);
    if (!compiled.ok()) {
      return diag::invalid_regex(span, compiled.error());
    }
    regex = std::move(compiled).value();
    if (regex->group_count() != 2) {
      return diag::invalid_constant(span, "regex", "have two groups, the key and the value");
    }
  }
  return Status::success();
}

namespace {

bool word_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || c == '_' || is_letter_or_digit(c);
}

// Walks the pairs of one text. There are no more once `control`, which may be null, says to stop:
// a match, or a quoted text that turns out to be none, may look at all that is left.
class PairReader {
 public:
  PairReader(const KeyValueSyntax& syntax, std::string_view text, const QueryControl* control)
      : syntax_(syntax),
        text_(text),
        control_(control),
        unclosed_from_(syntax.quotes.size(), std::string_view::npos),
        closed_(syntax.quotes.size()) {}

  bool next(std::string* key, std::string* value) {
    if (syntax_.regex != nullptr) {
      return next_match(key, value);
    }
    return syntax_.kv_delimiter.empty() ? next_words(key, value) : next_pair(key, value);
  }

 private:
  // A quoted text, from the opening sign to behind the closing one, and its kind of quotes.
  struct Quoted {
    std::size_t kind = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  bool next_match(std::string* key, std::string* value) {
    std::array<std::string_view, 3> groups;
    if (at_ > text_.size() || stopped() || !syntax_.regex->match(text_, at_, groups)) {
      return false;
    }
    const auto end = static_cast<std::size_t>(groups[0].data() - text_.data()) + groups[0].size();
    at_ = groups[0].empty() ? end + 1 : end;
    *key = trimmed(groups[1]);
    *value = trimmed(groups[2]);
    return true;
  }

  // Every word may be a key; its value is the word after it. A quoted text is one word.
  bool next_words(std::string* key, std::string* value) {
    if (!read_word(key)) {
      return false;
    }
    const std::size_t after = at_;
    if (!read_word(value)) {
      value->clear();
    }
    at_ = after;
    return true;
  }

  bool read_word(std::string* word) {
    while (at_ < text_.size() && !word_character(text_[at_])) {
      if (read_quoted(word)) {
        return true;
      }
      ++at_;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && word_character(text_[at_])) {
      ++at_;
    }
    *word = text_.substr(begin, at_ - begin);
    return !word->empty();
  }

  bool next_pair(std::string* key, std::string* value) {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      if (!read_key(key)) {
        skip_segment(begin);
        continue;
      }
      read_value(value);
      return true;
    }
    return false;
  }

  bool read_key(std::string* key) {
    skip_blanks();
    if (const std::optional<Quoted> quoted = find_quoted()) {
      return quoted->end != keyless_end_ && read_quoted_key(*quoted, key);
    }
    const std::size_t delimiter = next_kv_delimiter();
    if (delimiter == std::string_view::npos ||
        (!syntax_.greedy && !syntax_.pair_delimiter.empty() &&
         text_.find(syntax_.pair_delimiter, at_) < delimiter)) {
      return false;
    }
    *key = trimmed(text_.substr(at_, delimiter - at_));
    at_ = delimiter + syntax_.kv_delimiter.size();
    return true;
  }

  // Many quoted texts may end where no delimiter follows: the place is looked at once.
  bool read_quoted_key(const Quoted& quoted, std::string* key) {
    at_ = quoted.end;
    skip_blanks();
    if (!accept(syntax_.kv_delimiter)) {
      keyless_end_ = quoted.end;
      return false;
    }
    *key = inside(quoted);
    return true;
  }

  void read_value(std::string* value) {
    const std::size_t begin = at_;
    skip_blanks();
    if (read_quoted(value)) {
      skip_segment(at_);
      return;
    }
    at_ = begin;
    const std::size_t end = value_end();
    *value = trimmed(text_.substr(begin, end - begin));
    at_ = end == text_.size() ? end : end + syntax_.pair_delimiter.size();
  }

  std::size_t value_end() {
    if (syntax_.pair_delimiter.empty()) {
      return text_.size();
    }
    if (!syntax_.greedy) {
      return std::min(text_.find(syntax_.pair_delimiter, at_), text_.size());
    }
    // The value reaches to the last pair delimiter before the next key's own delimiter.
    const std::size_t next_key = next_kv_delimiter();
    if (next_key == std::string_view::npos) {
      return text_.size();
    }
    const std::size_t end = text_.substr(0, next_key).rfind(syntax_.pair_delimiter);
    return end == std::string_view::npos || end < at_ ? text_.size() : end;
  }

  // The first key's delimiter from here on, which is the same until it is passed.
  std::size_t next_kv_delimiter() {
    if (!kv_delimiter_.has_value() || *kv_delimiter_ < at_) {
      kv_delimiter_ = text_.find(syntax_.kv_delimiter, at_);
    }
    return *kv_delimiter_;
  }

  bool stopped() const { return control_ != nullptr && control_->should_stop(); }

  // The one that begins here.
  std::optional<Quoted> find_quoted() {
    for (std::size_t kind = 0; kind < syntax_.quotes.size(); ++kind) {
      const auto& [open, close] = syntax_.quotes[kind];
      if (at_ >= unclosed_from_[kind] || !stands_at(at_, open)) {
        continue;
      }
      Quoted& known = closed_[kind];
      if (known.begin <= at_ && at_ + close.size() < known.end) {
        return Quoted{kind, at_, known.end};
      }
      if (stopped()) {
        at_ = text_.size();
        return std::nullopt;
      }
      const std::size_t end = quote_end(kind);
      // What opens later is closed, or not, at the same place: an escape of one sign hides the same
      // closing signs from there.
      const bool same_later = syntax_.escape.size() <= 1 && syntax_.escape != open;
      if (end != std::string_view::npos) {
        const Quoted quoted{kind, at_, end};
        known = same_later ? quoted : Quoted{};
        return quoted;
      }
      unclosed_from_[kind] = same_later ? at_ : unclosed_from_[kind];
    }
    return std::nullopt;
  }

  // The place behind the sign that closes what opens here, npos when none does.
  std::size_t quote_end(std::size_t kind) const {
    const auto& [open, close] = syntax_.quotes[kind];
    for (std::size_t at = at_ + open.size(); at < text_.size();) {
      if (!syntax_.escape.empty() && stands_at(at, syntax_.escape)) {
        at += syntax_.escape.size() + 1;
      } else if (stands_at(at, close)) {
        return at + close.size();
      } else {
        ++at;
      }
    }
    return std::string_view::npos;
  }

  // Without its quotes and escapes.
  std::string inside(const Quoted& quoted) const {
    const auto& [open, close] = syntax_.quotes[quoted.kind];
    const std::size_t end = quoted.end - close.size();
    std::string out;
    for (std::size_t at = quoted.begin + open.size(); at < end; ++at) {
      if (!syntax_.escape.empty() && stands_at(at, syntax_.escape)) {
        at += syntax_.escape.size();
      }
      out.push_back(text_[at]);
    }
    return out;
  }

  bool read_quoted(std::string* to) {
    const std::optional<Quoted> quoted = find_quoted();
    if (quoted.has_value()) {
      *to = inside(*quoted);
      at_ = quoted->end;
    }
    return quoted.has_value();
  }

  // To the place after the next pair delimiter.
  void skip_segment(std::size_t from) {
    const std::size_t delimiter = syntax_.pair_delimiter.empty()
                                      ? std::string_view::npos
                                      : text_.find(syntax_.pair_delimiter, from);
    at_ = delimiter == std::string_view::npos ? text_.size()
                                              : delimiter + syntax_.pair_delimiter.size();
  }
  // A blank that delimits is not skipped.
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0 &&
           !at_delimiter()) {
      ++at_;
    }
  }
  bool at_delimiter() const {
    return (!syntax_.pair_delimiter.empty() && stands_at(at_, syntax_.pair_delimiter)) ||
           stands_at(at_, syntax_.kv_delimiter);
  }
  bool stands_at(std::size_t at, std::string_view sign) const {
    return text_.substr(at).starts_with(sign);
  }
  bool accept(std::string_view sign) {
    if (!stands_at(at_, sign)) {
      return false;
    }
    at_ += sign.size();
    return true;
  }

  const KeyValueSyntax& syntax_;
  std::string_view text_;
  const QueryControl* control_;
  // By kind of quotes: from where on none is closed, npos where that is not known of any place; and
  // the last one that is closed, with its closing sign.
  std::vector<std::size_t> unclosed_from_;
  std::vector<Quoted> closed_;
  std::size_t keyless_end_ = 0;  // of quoted texts that are no keys
  std::size_t at_ = 0;
  std::optional<std::size_t> kv_delimiter_;
};

class KeyValueExtractor final : public Extractor {
 public:
  KeyValueExtractor(KeyValueSyntax syntax, std::vector<PatternCapture> captures)
      : syntax_(std::move(syntax)), captures_(std::move(captures)) {}

  std::vector<Vector> extract(const EvalContext& context, const Vector& source,
                              std::vector<std::uint8_t>* matched) const override {
    std::ranges::fill(*matched, std::uint8_t{1});
    const Values& values = source.values();
    std::vector<VectorBuilder> builders;
    for (const PatternCapture& capture : captures_) {
      builders.emplace_back(capture.type);
    }
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      take(values.is_null(slot) ? std::string_view() : values.data<std::string_view>()[slot],
           context.control, &builders);
    }
    std::vector<Vector> columns;
    columns.reserve(builders.size());
    for (VectorBuilder& builder : builders) {
      columns.push_back(source.with_values(builder.finish().shared_values()));
    }
    return columns;
  }

  std::string describe() const override {
    std::string text = "key-values";
    for (const PatternCapture& capture : captures_) {
      text.append(" ").append(capture.name);
    }
    return text;
  }

 private:
  void take(std::string_view text, const QueryControl* control,
            std::vector<VectorBuilder>* builders) const {
    std::vector<Value> found(captures_.size());
    std::vector<bool> seen(captures_.size(), false);
    PairReader pairs(syntax_, text, control);
    std::string key;
    std::string value;
    while (pairs.next(&key, &value)) {
      const auto at = std::ranges::find(captures_, key, &PatternCapture::name);
      const auto column = static_cast<std::size_t>(at - captures_.begin());
      if (at != captures_.end() && !seen[column]) {
        seen[column] = true;
        found[column] = convert_capture(value, at->type);
      }
    }
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      (*builders)[i].append(found[i]);
    }
  }

  KeyValueSyntax syntax_;
  std::vector<PatternCapture> captures_;
};

}  // namespace

std::shared_ptr<const Extractor> make_key_values(KeyValueSyntax syntax,
                                                 std::vector<PatternCapture> captures) {
  return std::make_shared<KeyValueExtractor>(std::move(syntax), std::move(captures));
}

}  // namespace evq::plan
