// Every name from a request goes into the text as ['name'] and every value as a literal, both
// escaped, so a request can mean nothing but what its structure says. Virtual fields alone carry
// APL, each one expression and nothing behind it.

#include "http/legacy_query.h"

#include <algorithm>
#include <array>

#include "apl/service/expression_text.h"
#include "apl/syntax/words.h"
#include "store/base/number.h"

namespace evq {
namespace {

std::string literal(const Value& value) {
  if (value.is_null()) {
    return "dynamic(null)";
  }
  switch (value.type()) {
    case Type::kBool:
      return value.as_bool() ? "true" : "false";
    case Type::kLong:
      return "long(" + std::to_string(value.as_integer()) + ")";
    case Type::kReal: {
      std::string text;
      append_real_json(text, value.as_real());
      return "real(" + text + ")";
    }
    case Type::kString: {
      std::string text = "\"";
      for (const char c : value.as_text()) {
        switch (c) {
          case '"':
          case '\\':
            text.push_back('\\');
            text.push_back(c);
            break;
          case '\n':
            text.append("\\n");
            break;
          case '\r':
            text.append("\\r");
            break;
          case '\t':
            text.append("\\t");
            break;
          default:
            text.push_back(c);
        }
      }
      return text + "\"";
    }
    case Type::kNull:
    case Type::kDatetime:
    case Type::kTimespan:
    case Type::kDynamic:
      break;
  }
  return "dynamic(null)";
}

struct FilterOperator {
  std::string_view names;   // between blanks
  std::string_view exact;   // the APL operator
  std::string_view folded;  // of a text, when case does not matter
  bool exact_unless_told = false;
};

constexpr std::array kFilterOperators = {
    FilterOperator{" == = eq ", "==", "=~", true},
    FilterOperator{" != ne ", "!=", "!~", true},
    FilterOperator{" > gt ", ">", ">"},
    FilterOperator{" >= gte ", ">=", ">="},
    FilterOperator{" < lt ", "<", "<"},
    FilterOperator{" <= lte ", "<=", "<="},
    FilterOperator{" starts-with ", "startswith_cs", "startswith"},
    FilterOperator{" not-starts-with ", "!startswith_cs", "!startswith"},
    FilterOperator{" ends-with ", "endswith_cs", "endswith"},
    FilterOperator{" not-ends-with ", "!endswith_cs", "!endswith"},
    FilterOperator{" contains ", "contains_cs", "contains"},
    FilterOperator{" not-contains ", "!contains_cs", "!contains"},
};

Result<std::string> filter_text(const LegacyFilter& filter);

Result<std::string> joined_children(const LegacyFilter& filter) {
  std::string text;
  for (const LegacyFilter& child : filter.children) {
    EVQ_TRY_ASSIGN(const std::string part, filter_text(child));
    text.append(text.empty() ? "" : " " + filter.op + " ").append("(" + part + ")");
  }
  return text.empty() ? std::string("true") : text;
}

// Depth is bounded by the body's nesting limit.
Result<std::string> filter_text(const LegacyFilter& filter) {
  if (filter.op == "and" || filter.op == "or") {
    return joined_children(filter);
  }
  if (filter.op == "not") {
    if (filter.children.size() != 1) {
      return make_error(ErrorCode::kUsage, "the filter 'not' takes one child");
    }
    EVQ_TRY_ASSIGN(const std::string inner, filter_text(filter.children[0]));
    return "not(" + inner + ")";
  }
  if (filter.field.empty()) {
    return make_error(ErrorCode::kUsage, "the filter '" + filter.op + "' needs a field");
  }
  if (filter.op == "exists" || filter.op == "not-exists") {
    return std::string(filter.op == "exists" ? "isnotnull" : "isnull") + "(column_ifexists(" +
           literal(Value::string(filter.field)) + ", dynamic(null)))";
  }
  const std::string field = syntax::bracket_name(filter.field);
  if (filter.op == "regexp" || filter.op == "not-regexp") {
    if (filter.value.type() != Type::kString) {
      return make_error(ErrorCode::kUsage, "the filter '" + filter.op + "' needs a pattern");
    }
    const std::string match = field + " matches regex " + literal(filter.value);
    return filter.op == "regexp" ? match : "not(" + match + ")";
  }
  const auto found = std::ranges::find_if(kFilterOperators, [&](const FilterOperator& known) {
    return known.names.find(" " + filter.op + " ") != std::string_view::npos;
  });
  if (found == kFilterOperators.end()) {
    return make_error(ErrorCode::kUsage, "'" + filter.op + "' is not a filter operator");
  }
  if (filter.value.is_null() && (found->exact == "==" || found->exact == "!=")) {
    return (found->exact == "==" ? "isnull(" : "isnotnull(") + field + ")";
  }
  const bool exact = filter.value.type() != Type::kString ||
                     filter.case_sensitive.value_or(found->exact_unless_told);
  return field + " " + std::string(exact ? found->exact : found->folded) + " " +
         literal(filter.value);
}

struct AggregateName {
  std::string_view legacy;
  std::string_view apl;
  bool needs_field = true;
};

constexpr std::array kAggregateNames = {
    AggregateName{"count", "count", false},
    AggregateName{"distinct", "dcount"},
    AggregateName{"sum", "sum"},
    AggregateName{"avg", "avg"},
    AggregateName{"min", "min"},
    AggregateName{"max", "max"},
    AggregateName{"topk", "topk"},
    AggregateName{"percentiles", "percentiles_array"},
    AggregateName{"histogram", "histogram"},
    AggregateName{"stdev", "stdev"},
    AggregateName{"variance", "variance"},
    AggregateName{"argmin", "arg_min"},
    AggregateName{"argmax", "arg_max"},
    AggregateName{"makeset", "make_set"},
    AggregateName{"makelist", "make_list"},
    AggregateName{"rate", "rate"},
};

// The alias, or the operator in capitals.
std::string aggregation_name(const LegacyAggregation& aggregation) {
  std::string name = aggregation.alias;
  if (name.empty()) {
    std::ranges::transform(aggregation.op, std::back_inserter(name), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  }
  return name;
}

// What an order's field is called in the answer: a group or an aggregation by its name, else the
// first aggregation of that field, or with that operator.
std::string name_of_ordered(const LegacyQuery& query, const std::string& field) {
  const std::vector<LegacyAggregation>& all = query.aggregations;
  if (std::ranges::find(query.group_by, field) == query.group_by.end() &&
      std::ranges::find(all, field, aggregation_name) == all.end()) {
    for (const auto part : {&LegacyAggregation::field, &LegacyAggregation::op}) {
      if (const auto found = std::ranges::find(all, field, part); found != all.end()) {
        return aggregation_name(*found);
      }
    }
  }
  return field;
}

Result<std::string> aggregation_text(const LegacyAggregation& aggregation) {
  const auto found = std::ranges::find(kAggregateNames, aggregation.op, &AggregateName::legacy);
  if (found == kAggregateNames.end()) {
    return make_error(ErrorCode::kUsage, "'" + aggregation.op + "' is not an aggregation");
  }
  const bool with_field = !aggregation.field.empty() && aggregation.field != "*";
  if (found->needs_field && !with_field) {
    return make_error(ErrorCode::kUsage, "the aggregation '" + aggregation.op + "' needs a field");
  }
  std::string text =
      syntax::bracket_name(aggregation_name(aggregation)) + " = " + std::string(found->apl) + "(";
  if (found->needs_field) {
    text += syntax::bracket_name(aggregation.field);
    for (const Value& argument : aggregation.arguments) {
      text += ", " + (argument.type() == Type::kString ? syntax::bracket_name(argument.as_text())
                                                       : literal(argument));
    }
  }
  return text + ")";
}

}  // namespace

Result<std::string> legacy_apl(std::string_view dataset, const LegacyQuery& query) {
  std::string text = syntax::bracket_name(dataset);
  for (const auto& [alias, expression] : query.virtual_fields) {
    EVQ_TRY(check_expression(alias, expression));
    text += " | extend " + syntax::bracket_name(alias) + " = (" + expression + "\n)";
  }
  if (query.filter.has_value()) {
    EVQ_TRY_ASSIGN(const std::string filter, filter_text(*query.filter));
    text += " | where " + filter;
  }
  if (!query.aggregations.empty() || !query.group_by.empty()) {
    std::string list;
    for (const LegacyAggregation& aggregation : query.aggregations) {
      EVQ_TRY_ASSIGN(const std::string one, aggregation_text(aggregation));
      list += (list.empty() ? "" : ", ") + one;
    }
    std::string groups;
    if (query.resolution.has_value() && !query.aggregations.empty()) {
      groups = " by " + (*query.resolution == 0
                             ? std::string("bin_auto(_time)")
                             : "bin(_time, " + std::to_string(*query.resolution) + "ns)");
    }
    for (const std::string& field : query.group_by) {
      groups += (groups.empty() ? " by " : ", ") + syntax::bracket_name(field);
    }
    text += " | summarize " + list + groups;
  } else if (!query.project.empty()) {
    std::string list = "_time, _sysTime";
    for (const auto& [field, alias] : query.project) {
      if (field != "_time" && field != "_sysTime") {
        list += ", " + syntax::bracket_name(alias.empty() ? field : alias) + " = " +
                syntax::bracket_name(field);
      }
    }
    text += " | project " + list;
  }
  std::string order;
  for (const OrderItem& item : query.order) {
    order += (order.empty() ? " | sort by " : ", ") +
             syntax::bracket_name(name_of_ordered(query, item.field)) +
             (item.descending ? " desc" : " asc");
  }
  return text + order;
}

}  // namespace evq
