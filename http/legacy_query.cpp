// Every name from a request goes into the text as ['name'] and every value as a literal, both
// escaped, so a request can mean nothing but what its structure says. Virtual fields alone carry
// APL, each one expression and nothing behind it.

#include "http/legacy_query.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apl/service/expression_text.h"
#include "apl/syntax/words.h"
#include "http/legacy_names.h"
#include "store/base/limits.h"
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
  std::string_view folded;  // of a text, unless case matters
};

constexpr std::array kFilterOperators = {
    FilterOperator{" == = eq ", "==", "=="},
    FilterOperator{" != ne ", "!=", "!="},
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

std::string item_of(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// "filter.children[1].field"
std::string path_of(const LegacyApl& apl, std::optional<std::size_t> part) {
  std::string path;
  for (; part.has_value(); part = apl.parts[*part].within) {
    path = apl.parts[*part].member + (path.empty() ? "" : "." + path);
  }
  return path;
}

// Writes a query's text and notes which member of the request a part of it comes from.
class Writer {
 public:
  // `names` must outlive it.
  explicit Writer(const LegacyNames& names) : names_(names) {}

  // What is written while it lives says that member of the one around.
  class Member {
   public:
    Member(Writer* out, std::string name) : out_(*out), around_(out->open_) {
      out_.open_ = out_.apl_.parts.size();
      out_.apl_.parts.push_back({Span{out_.size(), out_.size()}, std::move(name), around_});
    }
    ~Member() {
      out_.apl_.parts[*out_.open_].span.end = out_.size();
      out_.open_ = around_;
    }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    Writer& out_;
    const std::optional<std::size_t> around_;
  };

  // A text that is longer than a query may be ends there.
  void add(std::string_view piece) {
    if (!is_full()) {
      apl_.text.append(piece);
    }
  }
  bool is_full() const { return size() > kQueryTextBytesMax; }
  void add(std::string_view piece, std::string member) {
    const Member part(this, std::move(member));
    add(piece);
  }
  // A field, or the alias of one.
  void add_field(std::string_view name, std::string member) {
    add(is_full() ? std::string() : names_.path_to(names_.field_of(name)), std::move(member));
  }
  const LegacyNames& names() const { return names_; }
  // About a member of the one that is being written.
  Error wrong(std::string_view member, std::string_view message) const {
    const std::string around = path_of(apl_, open_);
    return make_error(ErrorCode::kUsage,
                      around + "." + std::string(member) + ": " + std::string(message));
  }
  LegacyApl take() {
    apl_.aggregations = names_.renamed_columns();
    return std::move(apl_);
  }

 private:
  std::size_t size() const { return apl_.text.size(); }

  const LegacyNames& names_;
  LegacyApl apl_;
  std::optional<std::size_t> open_;
};

bool is_tree(const LegacyFilter& filter) {
  return filter.op == "and" || filter.op == "or";
}

// Whether a filter asks for anything. A list of children that is empty does, of alternatives for
// none; one that is absent, or holds nothing but zero values, does not.
bool is_given(const LegacyFilter& filter) {
  if (!is_tree(filter)) {
    return !filter.op.empty();
  }
  return filter.children.has_value() &&
         (filter.children->empty() || std::ranges::any_of(*filter.children, is_given));
}

Status write_filter(const LegacyFilter& filter, std::string member, Writer* out);

Status write_children(const LegacyFilter& filter, Writer* out) {
  bool first = true;
  for (std::size_t i = 0; i < filter.children->size(); ++i) {
    const LegacyFilter& child = (*filter.children)[i];
    if (is_given(child)) {
      out->add(std::exchange(first, false) ? "(" : " " + filter.op + " (");
      EVQ_TRY(write_filter(child, item_of("children", i), out));
      out->add(")");
    }
  }
  if (first) {
    out->add(filter.op == "and" ? "true" : "false");
  }
  return Status::success();
}

// Of one field, but for existence.
Status write_comparison(const LegacyFilter& filter, Writer* out) {
  if (filter.op == "regexp" || filter.op == "not-regexp") {
    if (filter.value.type() != Type::kString) {
      return out->wrong("value", "the filter '" + filter.op + "' needs a pattern");
    }
    const bool negated = filter.op == "not-regexp";
    out->add(negated ? "not(" : "");
    out->add_field(filter.field, "field");
    out->add(" matches regex ");
    out->add(literal(filter.value), "value");
    out->add(negated ? ")" : "");
    return Status::success();
  }
  const auto found = std::ranges::find_if(kFilterOperators, [&](const FilterOperator& known) {
    return filter.op.find(' ') == std::string::npos &&
           known.names.find(" " + filter.op + " ") != std::string_view::npos;
  });
  if (found == kFilterOperators.end()) {
    return out->wrong("op", "'" + filter.op + "' is not a filter operator");
  }
  if (filter.value.is_null() && (found->exact == "==" || found->exact == "!=")) {
    out->add(found->exact == "==" ? "isnull(" : "isnotnull(");
    out->add_field(filter.field, "field");
    out->add(")");
    return Status::success();
  }
  const bool exact = filter.value.type() != Type::kString || filter.case_sensitive;
  out->add_field(filter.field, "field");
  out->add(" " + std::string(exact ? found->exact : found->folded) + " ");
  out->add(literal(filter.value), "value");
  return Status::success();
}

// What is below a map may be asked for whether events have it or not. An object is there where one
// of the fields is that its members became.
void write_existence(const LegacyFilter& filter, Writer* out) {
  const bool exists = filter.op == "exists";
  const std::string_view field = out->names().field_of(filter.field);
  const std::string name = literal(Value::string(std::string(field)));
  const auto add_test = [&](const std::string& value) {
    out->add((exists ? "isnotnull(" : "isnull(") + value + ")");
  };
  if (out->names().map_above(field) != nullptr) {
    add_test(out->names().path_to(field));
    return;
  }
  if (out->names().is_object(field)) {
    out->add((exists ? "object_exists(" : "not(object_exists(") + name + (exists ? ")" : "))"));
  } else {
    add_test("column_ifexists(" + name + ", dynamic(null))");
  }
}

// Depth is bounded by the body's nesting limit.
Status write_filter(const LegacyFilter& filter, std::string member, Writer* out) {
  if (out->is_full()) {
    return Status::success();
  }
  const Writer::Member part(out, std::move(member));
  if (is_tree(filter)) {
    return write_children(filter, out);
  }
  if (filter.op == "not") {
    if (!filter.children.has_value() || filter.children->size() != 1 ||
        !is_given(filter.children->front())) {
      return out->wrong("children", "the filter 'not' takes one child");
    }
    out->add("not(");
    EVQ_TRY(write_filter(filter.children->front(), "children[0]", out));
    out->add(")");
    return Status::success();
  }
  if (filter.field.empty()) {
    return out->wrong("field", "the filter '" + filter.op + "' needs a field");
  }
  if (filter.op == "exists" || filter.op == "not-exists") {
    write_existence(filter, out);
    return Status::success();
  }
  return write_comparison(filter, out);
}

struct AggregateName {
  // What `argument` has: numbers, or names of fields, and numbers where the function takes some.
  enum class Takes : std::uint8_t { kNothing, kNumber, kNumbers, kNumberIfAny, kFieldsIfAny };

  std::string_view legacy;
  std::string_view apl;
  bool needs_field = true;
  Takes takes = Takes::kNothing;
};

using Takes = AggregateName::Takes;

constexpr std::array kAggregateNames = {
    AggregateName{"count", "count", false},
    AggregateName{"distinct", "dcount"},
    AggregateName{"sum", "sum"},
    AggregateName{"avg", "avg"},
    AggregateName{"min", "min"},
    AggregateName{"max", "max"},
    AggregateName{"topk", "topk", true, Takes::kNumber},
    AggregateName{"percentiles", "percentiles_array", true, Takes::kNumbers},
    AggregateName{"histogram", "histogram", true, Takes::kNumber},
    AggregateName{"stdev", "stdev"},
    AggregateName{"variance", "variance"},
    AggregateName{"argmin", "arg_min", true, Takes::kFieldsIfAny},
    AggregateName{"argmax", "arg_max", true, Takes::kFieldsIfAny},
    AggregateName{"makeset", "make_set", true, Takes::kNumberIfAny},
    AggregateName{"makelist", "make_list", true, Takes::kNumberIfAny},
    AggregateName{"rate", "rate"},
};

Status check_arguments(const LegacyAggregation& aggregation, Takes takes, const Writer& out) {
  const std::vector<Value>& given = aggregation.arguments;
  if (takes == Takes::kFieldsIfAny) {
    return Status::success();
  }
  if (takes == Takes::kNothing) {
    return given.empty() ? Status::success()
                         : Status(out.wrong("argument", aggregation.op + " takes none"));
  }
  const std::string wanted = takes == Takes::kNumbers
                                 ? "a number or a list of numbers, such as [50, 99]"
                                 : "a number, such as 5";
  if (given.empty() && takes != Takes::kNumberIfAny) {
    return out.wrong("argument", aggregation.op + " needs " + wanted);
  }
  const auto is_number = [](const Value& each) {
    return each.type() == Type::kLong || each.type() == Type::kReal;
  };
  if (!std::ranges::all_of(given, is_number) || (takes != Takes::kNumbers && given.size() > 1)) {
    return out.wrong("argument", aggregation.op + " takes " + wanted + ", and nothing else");
  }
  return Status::success();
}

Status write_aggregation(const LegacyQuery& query, std::size_t index, Writer* out) {
  const Writer::Member part(out, item_of("aggregations", index));
  const LegacyAggregation& aggregation = query.aggregations[index];
  const auto found = std::ranges::find(kAggregateNames, aggregation.op, &AggregateName::legacy);
  if (found == kAggregateNames.end()) {
    return out->wrong("op", "'" + aggregation.op + "' is not an aggregation");
  }
  const bool with_field = !aggregation.field.empty() && aggregation.field != "*";
  if (found->needs_field && !with_field) {
    return out->wrong("field", "the aggregation '" + aggregation.op + "' needs a field");
  }
  EVQ_TRY(check_arguments(aggregation, found->takes, *out));
  out->add(syntax::bracket_name(out->names().column_of(index)) + " = " + std::string(found->apl) +
           "(");
  if (found->needs_field) {
    out->add_field(aggregation.field, "field");
    for (const Value& argument : aggregation.arguments) {
      out->add(", ");
      if (argument.type() == Type::kString) {
        out->add_field(std::string(argument.as_text()), "argument");
      } else {
        out->add(literal(argument), "argument");
      }
    }
  }
  out->add(")");
  return Status::success();
}

Status write_summary(const LegacyQuery& query, Writer* out) {
  out->add(" | summarize ");
  for (std::size_t i = 0; i < query.aggregations.size() && !out->is_full(); ++i) {
    out->add(i == 0 ? "" : ", ");
    EVQ_TRY(write_aggregation(query, i, out));
  }
  std::string_view before = " by ";
  if (query.resolution.has_value() && !query.aggregations.empty()) {
    out->add(before);
    out->add(*query.resolution == 0 ? std::string("bin_auto(_time)")
                                    : "bin(_time, " + std::to_string(*query.resolution) + "ns)",
             "resolution");
    before = ", ";
  }
  for (std::size_t i = 0; i < query.group_by.size() && !out->is_full(); ++i) {
    const std::string& name = query.group_by[i];
    if (name.empty()) {
      continue;
    }
    out->add(before);
    const std::string column = syntax::bracket_name(name);
    if (out->names().path_to(out->names().field_of(name)) != column) {
      out->add(column + " = ");
    }
    out->add_field(name, item_of("groupBy", i));
    before = ", ";
  }
  return Status::success();
}

// Orders come before what `project` leaves out is gone, and behind what a summary makes.
void write_order(const LegacyQuery& query, bool summarized, Writer* out) {
  std::string_view before = " | sort by ";
  for (std::size_t i = 0; i < query.order.size() && !out->is_full(); ++i) {
    const OrderItem& item = query.order[i];
    if (item.field.empty()) {
      continue;
    }
    out->add(std::exchange(before, ", "));
    const Writer::Member part(out, item_of("order", i));
    if (summarized) {
      out->add(syntax::bracket_name(out->names().name_of_ordered(item.field)), "field");
    } else {
      out->add_field(item.field, "field");
    }
    out->add(item.descending ? " desc" : " asc");
  }
}

void write_project(const LegacyQuery& query, Writer* out) {
  out->add(" | project _time, _sysTime");
  for (std::size_t i = 0; i < query.project.size() && !out->is_full(); ++i) {
    const auto& [field, alias] = query.project[i];
    const std::string& name = alias.empty() ? field : alias;
    if (field.empty() || (name == field && (field == "_time" || field == "_sysTime"))) {
      continue;
    }
    out->add(", ");
    const Writer::Member part(out, item_of("project", i));
    out->add(syntax::bracket_name(name) + " = ");
    out->add(out->names().path_to(field), "field");
  }
}

}  // namespace

Result<LegacyApl> legacy_apl(std::string_view dataset, const LegacyQuery& query) {
  const LegacyNames names(query);
  Writer out(names);
  out.add(syntax::bracket_name(dataset));
  for (std::size_t i = 0; i < query.virtual_fields.size(); ++i) {
    const auto& [alias, expression] = query.virtual_fields[i];
    const Writer::Member part(&out, item_of("virtualFields", i));
    if (const Status checked = check_expression(alias, expression); !checked.ok()) {
      Error error = out.wrong("expr", checked.error().message);
      error.hint = checked.error().hint;
      return error;
    }
    out.add(" | extend " + syntax::bracket_name(alias) + " = ");
    out.add("(" + expression + "\n)", "expr");
  }
  if (query.filter.has_value() && is_given(*query.filter)) {
    out.add(" | where ");
    EVQ_TRY(write_filter(*query.filter, "filter", &out));
  }
  const auto is_named = [](const auto& name) { return !name.empty(); };
  const bool summarized =
      !query.aggregations.empty() || std::ranges::any_of(query.group_by, is_named);
  if (summarized) {
    EVQ_TRY(write_summary(query, &out));
  }
  write_order(query, summarized, &out);
  const bool projected =
      std::ranges::any_of(query.project, is_named, &std::pair<std::string, std::string>::first);
  if (!summarized && projected) {
    write_project(query, &out);
  }
  return out.take();
}

Error legacy_error(const LegacyApl& apl, Error error) {
  if (!error.span.has_value()) {
    return error;
  }
  for (std::size_t i = apl.parts.size(); i > 0; --i) {  // those inside of others come behind them
    const Span& span = apl.parts[i - 1].span;
    if (span.begin <= error.span->begin && error.span->end <= span.end) {
      error.message = path_of(apl, i - 1) + ": " + error.message;
      break;
    }
  }
  error.span.reset();
  return error;
}

}  // namespace evq
