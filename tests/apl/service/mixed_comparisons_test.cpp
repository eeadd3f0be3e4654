// A field that has held several types is dynamic. Beside constants each of its rows gives what a
// field of that row's type alone gives: every pair of value and literal, under every operator, as
// values of a query and as stored events, whose filters may leave blocks unread.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/answer_text.h"
#include "tests/support/temp_service.h"

namespace evq {
namespace {

struct Kind {
  std::string type;
  std::vector<std::string> values;  // as literals of the language
  std::vector<std::string> json;    // the same, of types that events have
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds = {
      {"bool", {"true", "false"}, {"true", "false"}},
      {"long",
       {"200", "0", "1", "1800000000000", "9007199254740993"},
       {"200", "0", "1", "1800000000000", "9007199254740993"}},
      {"real", {"200.5", "0.25", "1e300"}, {"200.5", "0.25", "1e300"}},
      {"string",
       {"'200'", "'404.0'", "'timeout'", "'2026-01-01T00:00:00Z'", "'30m'", "'true'", "''",
        "'9007199254740993'"},
       {R"("200")", R"("404.0")", R"("timeout")", R"("2026-01-01T00:00:00Z")", R"("30m")",
        R"("true")", R"("")", R"("9007199254740993")"}},
      {"datetime", {"datetime(2026-01-01)", "datetime(2020-05-05)"}, {}},
      {"timespan", {"30m", "1s"}, {}},
  };
  return kKinds;
}

constexpr std::array<std::string_view, 15> kLiterals = {"'200'",
                                                        "'404'",
                                                        "'timeout'",
                                                        "'true'",
                                                        "'30m'",
                                                        "'2026-01-01'",
                                                        "'9007199254740993'",
                                                        "''",
                                                        "200",
                                                        "404.0",
                                                        "1",
                                                        "9007199254740993",
                                                        "true",
                                                        "datetime(2026-01-01)",
                                                        "30m"};

std::vector<std::string> conditions(std::string_view literal) {
  const std::string l(literal);
  std::vector<std::string> all;
  for (const std::string_view op : {"==", "!=", "<", "<=", ">", ">="}) {
    all.push_back("f " + std::string(op) + " " + l);
  }
  all.push_back(l + " == f");
  all.push_back(l + " < f");
  all.insert(all.end(), {"f in (" + l + ")", "f !in (" + l + ")", "f in~ (" + l + ", " + l + ")",
                         "f between (" + l + " .. " + l + ")", "f between (" + l + " .. '500')",
                         "f !between (" + l + " .. 500)", "f between (" + l + " .. 1h)"});
  return all;
}

// The rows, or nothing where the query does not compile.
std::optional<std::vector<std::string>> answer(const TempService& service, const std::string& apl) {
  QueryRequest request;
  request.apl = apl;
  AnswerText text;
  if (!service->query(request, text).ok()) {
    return std::nullopt;
  }
  return text.rows();
}

// What `condition` gives for each of the values.
std::string over_values(const std::string& type, const std::vector<std::string>& values,
                        const std::string& condition) {
  std::string apl = "datatable(i:long, f:" + type + ")[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    apl += (i == 0 ? "" : ", ") + std::to_string(i) + ", " +
           (type == "dynamic" ? "dynamic(" + values[i] + ")" : values[i]);
  }
  return apl + "] | extend r = " + condition + " | sort by i asc | project r";
}

TEST_CASE("a dynamic beside a constant is compared as a field of what the row holds") {
  const TempService service;
  for (const std::string_view literal : kLiterals) {
    for (const std::string& condition : conditions(literal)) {
      for (const Kind& kind : kinds()) {
        CAPTURE(condition);
        CAPTURE(kind.type);
        const auto alone = answer(service, over_values(kind.type, kind.values, condition));
        const auto mixed = answer(service, over_values("dynamic", kind.values, condition));
        REQUIRE(mixed.has_value());
        if (alone.has_value()) {
          CHECK(*mixed == *alone);
        }
      }
    }
  }
}

TEST_CASE("lists of constants are taken as literals are, whatever they stand beside") {
  const TempService service;
  for (const std::string_view literal : kLiterals) {
    const std::string l(literal);
    for (const std::string op : {"in", "!in", "in~", "!in~"}) {
      for (const Kind& kind : kinds()) {
        const std::string condition = "f " + op + " (dynamic([[" + l + "]]))";
        CAPTURE(condition);
        CAPTURE(kind.type);
        const auto literals =
            answer(service, over_values(kind.type, kind.values, "f " + op + " (" + l + ")"));
        const auto list = answer(service, over_values(kind.type, kind.values, condition));
        const auto mixed = answer(service, over_values("dynamic", kind.values, condition));
        REQUIRE(list.has_value());
        REQUIRE(mixed.has_value());
        CHECK(*mixed == *list);
        if (literals.has_value()) {
          CHECK(*list == *literals);
        }
      }
    }
  }
}

TEST_CASE("one stray event does not change what a filter finds among the others") {
  ServiceOptions options;
  options.block_rows = 3;
  const TempService service(options);
  std::size_t id = 0;
  for (const Kind& kind : kinds()) {
    for (const std::string& value : kind.json) {
      const std::string event = R"({"id":)" + std::to_string(id++) + R"(,"t":")" + kind.type +
                                R"(","f":)" + value + "}\n";
      service.ingest("mixed", event);
      service.ingest("only_" + kind.type, event);
    }
  }
  for (const std::string_view literal : kLiterals) {
    for (const std::string& condition : conditions(literal)) {
      for (const Kind& kind : kinds()) {
        CAPTURE(condition);
        CAPTURE(kind.type);
        const std::string rest = " | sort by id asc | project id";
        const auto alone =
            kind.json.empty()
                ? std::nullopt
                : answer(service, "only_" + kind.type + " | where " + condition + rest);
        if (!alone.has_value()) {
          continue;
        }
        const std::string among = "mixed | where t == '" + kind.type + "' and " + condition + rest;
        CHECK(answer(service, among) == alone);
      }
    }
  }
}

}  // namespace
}  // namespace evq
