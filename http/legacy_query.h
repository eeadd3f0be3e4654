#pragma once
// The older query endpoint's body as a struct and as APL text, so that one engine answers both.
// Reading is in wire_legacy.cpp.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/request.h"
#include "store/column/value.h"

namespace evq {

struct LegacyFilter {
  std::string op;  // empty: not given, as a client's zero value
  std::string field;
  Value value;
  // Of starts-with, ends-with, contains and their opposites; equality always tells letters apart.
  bool case_sensitive = false;
  std::optional<std::vector<LegacyFilter>> children;  // of and, or, not
};

struct LegacyAggregation {
  std::string alias;
  std::string op;
  std::string field;
  std::vector<Value> arguments;
};

// Names of fields that are empty are not given, in `order`, `group_by` and `project` alike.

struct LegacyQuery {
  std::optional<std::string> start_time;
  std::optional<std::string> end_time;
  std::optional<std::uint64_t> limit;
  std::vector<OrderItem> order;
  std::optional<std::string> cursor;
  bool include_cursor = false;
  std::optional<LegacyFilter> filter;
  std::vector<LegacyAggregation> aggregations;
  std::vector<std::string> group_by;
  // Width of the intervals of an aggregation's series, ns; 0: as the range suggests ("auto").
  std::optional<std::int64_t> resolution;
  std::vector<std::pair<std::string, std::string>> virtual_fields;  // alias, expression
  std::vector<std::pair<std::string, std::string>> project;         // field, alias
  // Not of the body: the map fields of the dataset, and its fields, in order.
  std::vector<std::string> maps;
  std::vector<std::string> fields;
};

// kUsage for unknown operators and wrong types; zero values mean "not given".
Result<LegacyQuery> read_legacy_body(std::string_view text);

struct LegacyApl {
  // What a member of the request says; "field" within "order[0]".
  struct Part {
    Span span;
    std::string member;
    std::optional<std::size_t> within;  // the part around, which comes before
  };
  std::string text;
  std::vector<Part> parts;
  // What an answer calls aggregations whose columns are called otherwise, since a name of theirs is
  // taken: the names by those of the columns.
  std::map<std::string, std::string, std::less<>> aggregations;
};

// The query as APL over `dataset`. An alias of `project` stands for its field wherever the request
// names one. kUsage for an unknown operator or aggregation; its message names the member.
Result<LegacyApl> legacy_apl(std::string_view dataset, const LegacyQuery& query);
// An error of that text for who sent the request: its place is a member, named in the message, and
// no span.
Error legacy_error(const LegacyApl& apl, Error error);

}  // namespace evq
