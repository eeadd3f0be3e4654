// externaldata: the rows are read while binding, as texts or dynamic values, and become a table of
// values below a projection that converts them.

#include <algorithm>
#include <array>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/external_mapping.h"
#include "apl/plan/stacking.h"
#include "store/base/ascii.h"

namespace evq::plan {
namespace {

constexpr std::array<std::string_view, 4> kOptions = {"format", "ignoreFirstRecord", "skipFirstRow",
                                                      "ingestionMapping"};

}  // namespace

Result<ExternalRequest> Binder::external_request(const ast::ExternalData& source) {
  ExternalRequest request;
  for (const ast::ColumnSpec& column : source.columns) {
    if (std::ranges::find(request.columns, column.name.text) != request.columns.end()) {
      return diag::duplicate_name(column.name.span, column.name.text, "externaldata");
    }
    request.columns.push_back(column.name.text);
  }
  for (const ast::ExprPtr& location : source.locations) {
    EVQ_TRY_ASSIGN(const Value text, bind_constant(*location, "a location"));
    if (text.type() != Type::kString || text.is_null()) {
      return diag::invalid_constant(location->span, "a location",
                                    "be a text: a file's path or an address");
    }
    request.locations.emplace_back(text.as_text());
  }
  for (const ast::Option& option : source.options) {
    const auto known = std::ranges::find_if(kOptions, [&](std::string_view name) {
      return ascii_lower(name) == ascii_lower(option.name.text);
    });
    if (known == kOptions.end()) {
      return diag::unknown_option(option.name.span, "externaldata", option.name.text, kOptions);
    }
    EVQ_TRY_ASSIGN(const Value value, bind_constant(*option.value, option.name.text));
    if (*known == "format") {
      request.format = value.type() == Type::kString ? ascii_lower(value.to_text()) : "?";
    } else if (*known == "ingestionMapping") {
      EVQ_TRY_ASSIGN(request.mapping,
                     read_external_mapping(value.to_text(), request.columns, option.value->span));
    } else if (const std::string word = ascii_lower(value.to_text());
               word == "true" || word == "false") {  // Kusto's users write True as well
      request.ignore_first_record = word == "true";
    } else {
      return diag::invalid_constant(option.value->span, option.name.text, "be true or false");
    }
  }
  return request;
}

Result<Relation> Binder::lower(const ast::ExternalData& source, Span span) {
  if (options_.external == nullptr) {
    return diag::unsupported_feature(
        span, "externaldata here",
        "use it with evq query, or start evq serve with --allow-external PREFIX");
  }
  EVQ_TRY_ASSIGN(const ExternalRequest request, external_request(source));
  auto read = options_.external->read(request);
  if (!read.ok()) {
    Error error = std::move(read).take_error();
    error.span = source.locations.empty() ? span : source.locations[0]->span;
    return error;
  }
  auto rows = std::make_shared<Table>(std::move(read).value());
  Relation relation;
  relation.ordered = true;
  relation.serialized = true;
  relation.aggregated = true;  // computed rows: no default limit
  Schema schema = rows->schema;
  relation.node = make_node(ValuesNode{std::move(rows)}, {}, schema);
  std::vector<NamedColumn> columns;
  for (std::size_t i = 0; i < source.columns.size(); ++i) {
    const ast::ColumnSpec& column = source.columns[i];
    ExprPtr value = make_column(i, schema[i].type, column.name.span);
    if (column.type == Type::kDynamic && schema[i].type == Type::kString) {
      std::vector<ExprPtr> args;
      args.push_back(std::move(value));
      EVQ_TRY_ASSIGN(value, call("parse_json", std::move(args), column.name.span));
    } else if (column.type != schema[i].type) {
      EVQ_TRY_ASSIGN(value, convert(std::move(value), column.type, column.name.span));
    }
    columns.push_back({column.name.text, std::move(value)});
  }
  return made_by_query(choose(std::move(relation), std::move(columns)));
}

}  // namespace evq::plan
