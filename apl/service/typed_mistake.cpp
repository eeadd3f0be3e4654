#include "apl/service/typed_mistake.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apl/plan/bind.h"
#include "apl/service/completion_place.h"
#include "apl/syntax/expectations.h"
#include "apl/syntax/parser.h"
#include "apl/syntax/unfinished.h"

namespace evq {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// The part of the text before the operator that it ends in, where that can be parsed.
std::optional<ast::Query> finished_part(std::string_view text) {
  const std::string_view before = text.substr(0, partial_at(text).begin);
  const syntax::Expectations found = syntax::expectations_at_end(before);
  const PipelinesBeforeEnd pipelines(text, found);
  for (std::size_t i = 0; i < std::min(pipelines.size(), kPipelinesTriedMax); ++i) {
    const std::string part = pipelines.text(i);
    // The end of a block inside of another is put together from both.
    if (!text.starts_with(part)) {
      continue;
    }
    if (auto query = syntax::parse(part, 0); query.ok()) {
      return std::move(query).value();
    }
  }
  return std::nullopt;
}

// What only rows can tell is nobody's mistake.
class NoRows final : public plan::SubqueryRunner {
 public:
  Result<Table> run(const plan::Node& /*node*/) override {
    return make_error(ErrorCode::kUnsupported, "no rows are read");
  }
};

// What was bound in haste may lack a constant that an error then asks for.
std::optional<Error> bind_error(const ast::Query& query, plan::TableSource& tables,
                                const QueryControl& control) {
  NoRows rows;
  plan::BindOptions options;
  options.context.control = &control;
  options.subqueries = &rows;
  const auto plan = plan::bind_query(query, tables, options);
  return plan.ok() || control.should_stop() ? std::nullopt : std::optional(plan.error());
}

// Of the text, and where it is not finished of the part that is.
std::optional<Error> first_error(std::string_view text, plan::TableSource& tables,
                                 const QueryControl& control) {
  const auto query = syntax::parse(text, 0);
  if (query.ok()) {
    return bind_error(*query, tables, control);
  }
  const Error& error = query.error();
  if (error.span.has_value() && error.span->end < text.size() && !syntax::is_unfinished(text)) {
    return error;
  }
  const std::optional<ast::Query> part = finished_part(text);
  return part.has_value() ? bind_error(*part, tables, control) : std::nullopt;
}

// Whether more follows than a word that is being typed: of `matches regex`, or of `mv-expand`.
bool is_settled(std::string_view text, std::size_t end) {
  const std::string_view rest = text.substr(end);
  const std::string_view next = rest.substr(std::min(rest.find_first_not_of(kBlank), rest.size()));
  return !std::ranges::all_of(next, [](char c) { return is_name_byte(c) || c == '-'; });
}

}  // namespace

std::optional<Error> typed_mistake(std::string_view text, plan::TableSource& tables,
                                   const QueryControl& control) {
  if (text.size() > kMistakeTextBytesMax) {
    return std::nullopt;
  }
  text = text.substr(0, text.find_last_not_of(kBlank) + 1);
  std::optional<Error> error = first_error(text, tables, control);
  const bool is_mistake = error.has_value() && error->code == ErrorCode::kCompile &&
                          error->span.has_value() && error->span->begin < error->span->end &&
                          is_settled(text, error->span->end);
  return is_mistake ? std::move(error) : std::nullopt;
}

}  // namespace evq
