#include "apl/plan/redaction.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq::plan {

Status RedactionSyntax::set(std::string_view option, const Value& value, Span span) {
  if (option == "replaceToken") {
    if (value.is_null() || value.type() != Type::kString) {
      return diag::invalid_constant(span, option, "be a text");
    }
    token = std::string(value.as_text());
    return Status::success();
  }
  if (value.is_null() || value.type() != Type::kBool) {
    return diag::invalid_constant(span, option, "be true or false");
  }
  (option == "replaceHash" ? hash : groups_only) = value.as_bool();
  return Status::success();
}

Status RedactionSyntax::add_pattern(const Value& value, Span span) {
  const auto add = [&](std::string_view pattern) -> Status {
    auto compiled = Regex::compile(pattern);
    if (!compiled.ok()) {
      return diag::invalid_regex(span, compiled.error().message);
    }
    patterns.push_back(std::move(compiled).value());
    return Status::success();
  };
  if (!value.is_null() && value.type() == Type::kString) {
    return add(value.as_text());
  }
  if (value.is_null() || value.type() != Type::kDynamic) {
    return diag::invalid_constant(span, "a pattern of redact",
                                  "be a text, or an array or bag of texts");
  }
  DynamicView::Iterator items{DynamicView(value.as_text())};
  while (items.next()) {
    if (!items.value().is_string()) {
      return diag::invalid_constant(span, "a pattern of redact", "hold texts only");
    }
    EVQ_TRY(add(items.value().as_string()));
  }
  return Status::success();
}

namespace {

constexpr std::uint64_t kHashSeed = 0x726564616374ULL;
constexpr std::size_t kHashCharacters = 8;

std::string short_hash(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uint64_t bits = checksum64(text, kHashSeed);
  std::string hash;
  for (std::size_t i = 0; i < kHashCharacters; ++i) {
    hash.push_back(kAlphabet[bits & 63U]);
    bits >>= 6U;
  }
  return hash;
}

class Redaction final : public Extractor {
 public:
  explicit Redaction(RedactionSyntax syntax) : syntax_(std::move(syntax)) {
    token_ = syntax_.token.value_or("*");
    per_character_ = count_code_points(token_) == 1;
  }

  std::vector<Vector> extract(const EvalContext& context, const Vector& source,
                              std::vector<std::uint8_t>* matched) const override {
    std::ranges::fill(*matched, std::uint8_t{1});
    const Values& values = source.values();
    VectorBuilder builder(Type::kString);
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      const std::optional<std::string> text =
          values.is_null(slot) ? std::nullopt
                               : redact(values.data<std::string_view>()[slot], context.control);
      if (text.has_value()) {
        builder.append_text(*text);
      } else {
        builder.append_null();
      }
    }
    std::vector<Vector> columns;
    columns.push_back(source.with_values(builder.finish().shared_values()));
    return columns;
  }

  std::string describe() const override {
    return "redact " + std::to_string(syntax_.patterns.size()) + " patterns";
  }

 private:
  // Nothing where it would become longer than texts may be.
  std::optional<std::string> redact(std::string_view text, const QueryControl* control) const {
    std::string current(text);
    for (const auto& pattern : syntax_.patterns) {
      current = redact_one(*pattern, current, control);
      if (current.size() > kStringValueBytesMax) {
        return std::nullopt;
      }
    }
    return current;
  }

  // Each match may look at all that is left of the text: a query that ends does not wait for more.
  std::string redact_one(const Regex& regex, std::string_view text,
                         const QueryControl* control) const {
    std::string out;
    std::vector<std::string_view> groups(regex.group_count() + 1);
    std::size_t done = 0;
    std::size_t from = 0;
    while (from <= text.size() && out.size() <= kStringValueBytesMax &&
           !(control != nullptr && control->should_stop()) && regex.match(text, from, groups)) {
      const auto place = [&](std::string_view part) {
        return static_cast<std::size_t>(part.data() - text.data());
      };
      const std::size_t end = place(groups[0]) + groups[0].size();
      const std::size_t first = syntax_.groups_only ? 1 : 0;
      const std::size_t last = syntax_.groups_only ? groups.size() : 1;
      for (std::size_t i = first; i < last; ++i) {
        // A group inside one that is replaced already, or without text, is passed over.
        if (groups[i].empty() || place(groups[i]) < done) {
          continue;
        }
        out.append(text.substr(done, place(groups[i]) - done));
        replace(groups[i], &out);
        done = place(groups[i]) + groups[i].size();
      }
      from = groups[0].empty() ? end + 1 : end;
    }
    out.append(text.substr(done));
    return out;
  }

  void replace(std::string_view part, std::string* out) const {
    if (syntax_.hash) {
      out->append(short_hash(part));
      return;
    }
    const std::size_t times = per_character_ ? count_code_points(part) : 1;
    for (std::size_t i = 0; i < times; ++i) {
      out->append(token_);
    }
  }

  RedactionSyntax syntax_;
  std::string token_;
  bool per_character_ = true;
};

}  // namespace

Result<std::shared_ptr<const Extractor>> make_redaction(RedactionSyntax syntax, Span span) {
  if (syntax.hash && syntax.token.has_value()) {
    return diag::unsupported_feature(span, "redact with both replaceToken and replaceHash",
                                     "give one of them");
  }
  return std::shared_ptr<const Extractor>(std::make_shared<Redaction>(std::move(syntax)));
}

}  // namespace evq::plan
