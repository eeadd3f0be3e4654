#include "apl/plan/redaction.h"

#include <algorithm>
#include <optional>
#include <span>
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
      return diag::invalid_regex(span, compiled.error());
    }
    patterns.push_back(std::move(compiled).value());
    pattern_texts.emplace_back(pattern);
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

Status RedactionSyntax::check(Span span) const {
  if (hash && token.has_value()) {
    return diag::unsupported_feature(span, "redact with both replaceToken and replaceHash",
                                     "give one of them");
  }
  return Status::success();
}

namespace {

constexpr std::string_view kDefaultToken = "*";
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

class Redaction final : public BoundFunction {
 public:
  explicit Redaction(std::shared_ptr<const RedactionSyntax> syntax)
      : syntax_(std::move(syntax)),
        token_(syntax_->token.value_or(std::string(kDefaultToken))),
        per_character_(count_code_points(token_) == 1) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    const Vector& source = args[0];
    const Values& values = source.values();
    VectorBuilder builder(values.type());
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      const std::optional<std::string> text =
          values.is_null(slot) ? std::nullopt
          : values.type() == Type::kDynamic
              ? redact(DynamicView(values.data<std::string_view>()[slot]), context.control)
              : redact(values.data<std::string_view>()[slot], context.control);
      if (text.has_value()) {
        builder.append_text(*text);
      } else {
        builder.append_null();
      }
    }
    return source.with_values(builder.finish().shared_values());
  }

 private:
  // Nothing where a value would become longer than texts may be.
  std::optional<std::string> redact(DynamicView value, const QueryControl* control) const {
    DynamicBuilder out;
    if (!add_redacted(value, control, &out)) {
      return std::nullopt;
    }
    return out.take();
  }

  // Adds `value` with every text in it redacted, those of arrays and bags too; keys are names.
  // False where it becomes too long. Dynamic values are at most kDynamicDepthMax deep.
  bool add_redacted(DynamicView value, const QueryControl* control, DynamicBuilder* out) const {
    if (value.is_string()) {
      const std::optional<std::string> text = redact(value.as_string(), control);
      if (!text.has_value()) {
        return false;
      }
      out->add_string(*text);
    } else if (value.is_array() || value.is_bag()) {
      const bool bag = value.is_bag();
      bag ? out->begin_bag() : out->begin_array();
      DynamicView::Iterator entries(value);
      while (entries.next()) {
        if (bag) {
          out->key(entries.key());
        }
        if (!add_redacted(entries.value(), control, out)) {
          return false;
        }
      }
      bag ? out->end_bag() : out->end_array();
    } else {
      out->add_encoded(value);
    }
    return out->size() <= kStringValueBytesMax;
  }

  // Nothing where it would become longer than texts may be.
  std::optional<std::string> redact(std::string_view text, const QueryControl* control) const {
    std::string current(text);
    for (const auto& pattern : syntax_->patterns) {
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
      from = groups[0].empty() ? end + 1 : end;
      const std::span<std::string_view> parts =
          syntax_->groups_only ? std::span(groups).subspan(1) : std::span(groups).first(1);
      // A later group lies before an earlier one where both are in a repetition.
      std::ranges::stable_sort(parts, {}, &std::string_view::data);
      for (const std::string_view part : parts) {
        // A group inside one that is replaced already, or without text, is passed over.
        if (part.empty() || place(part) < done) {
          continue;
        }
        out.append(text.substr(done, place(part) - done));
        replace(part, &out);
        done = place(part) + part.size();
      }
    }
    out.append(text.substr(done));
    return out;
  }

  void replace(std::string_view part, std::string* out) const {
    if (syntax_->hash) {
      out->append(short_hash(part));
      return;
    }
    const std::size_t times = per_character_ ? count_code_points(part) : 1;
    for (std::size_t i = 0; i < times; ++i) {
      out->append(token_);
    }
  }

  const std::shared_ptr<const RedactionSyntax> syntax_;
  const std::string token_;
  const bool per_character_;
};

// The name tells the optimiser what it costs.
constexpr ScalarFunction kRedact = {
    .name = "redact_regex",
    .category = "operator",
    .summary = "Replaces what patterns match in a text.",
    .flags = FunctionFlags::kInternal,
};

}  // namespace

ExprPtr redacted(ExprPtr text, const std::shared_ptr<const RedactionSyntax>& syntax) {
  auto call = std::make_unique<Expr>();
  call->kind = ExprKind::kCall;
  call->type = text->type;
  call->span = text->span;
  call->function = &kRedact;
  call->call.result = text->type;
  call->call.function = std::make_shared<Redaction>(syntax);
  call->args.push_back(std::move(text));
  call->args.push_back(make_constant(
      syntax->hash ? Value::boolean(true)
                   : Value::string(syntax->token.value_or(std::string(kDefaultToken)))));
  call->args.push_back(make_constant(Value::boolean(syntax->groups_only)));
  for (const std::string& pattern : syntax->pattern_texts) {
    call->args.push_back(make_constant(Value::string(pattern)));
  }
  for (const ExprPtr& arg : call->args) {
    call->call.arguments.push_back(arg->type);
  }
  return call;
}

}  // namespace evq::plan
