#include "http/wire_answer.h"

#include <doctest/doctest.h>

#include "store/column/value.h"

namespace evq {
namespace {

// What came, a text a row.
class KeptAnswer final : public ResultSink {
 public:
  Status begin(const ResultHeader& header) override {
    header_ = header;
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      std::string text;
      for (std::size_t i = 0; i < header_.schema.size(); ++i) {
        const Value value = rows.column(i).value(row);
        text += (i == 0 ? "" : ",") + (value.is_null() ? "null" : value.to_text());
      }
      rows_.push_back(std::move(text));
    }
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    status_ = status;
    return Status::success();
  }
  const ResultHeader& header() const { return header_; }
  const std::vector<std::string>& rows() const { return rows_; }
  const QueryStatus& status() const { return status_; }

 private:
  ResultHeader header_;
  std::vector<std::string> rows_;
  QueryStatus status_;
};

TEST_CASE("an answer that is not as the API says is the server's error, before any row") {
  const std::string deep = R"({"tables":[{"fields":[{"name":"a","type":"array"}],"columns":[[)" +
                           std::string(2'000'000, '[') + std::string(2'000'000, ']') + "]]}]}";
  for (const std::string& text :
       {std::string(), std::string("<html>"), std::string("[]"), std::string("{}"),
        std::string(R"({"tables":{}})"), std::string(R"({"tables":[]})"),
        std::string(R"({"tables":[7]})"), std::string(R"({"tables":[{}]})"),
        std::string(R"({"tables":[{"fields":[7]}]})"),
        std::string(R"({"tables":[{"fields":[{"name":"a"}],"columns":[[1],[2]]}]})"),
        std::string(R"({"tables":[{"fields":[{"name":"a"}],"columns":[7]}]})"),
        std::string(R"({"tables":[{"fields":[{"name":"a"},{"name":"b"}],"columns":[[1],[1,2]]}]})"),
        deep}) {
    const std::string_view shown = std::string_view(text).substr(0, 100);
    CAPTURE(shown);
    KeptAnswer answer;
    const Status status = read_tabular_answer(text, 100, answer);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::kServer);
    CHECK(status.error().message.find("the server's answer is not as expected: ") == 0);
    CHECK(answer.rows().empty());
  }
}

TEST_CASE("a cell that is not of its column's type is null, and none becomes another number") {
  KeptAnswer answer;
  const Status status = read_tabular_answer(
      R"({"tables":[{"fields":[{"name":"b","type":"bool"},{"name":"l","type":"integer"},)"
      R"({"name":"r","type":"float"},{"name":"s","type":"string"},{"name":"t","type":"datetime"},)"
      R"({"name":"d","type":"timespan"},{"name":"m","type":"integer|float"},{"name":"u"}],)"
      R"("columns":[[true,1],[7,18446744073709551615],[1.5,"x"],["a",1],)"
      R"(["2024-05-01T00:00:00Z","soon"],["1m0s",1],[2,null],[[1],null]]}],)"
      R"("datasetNames":["d",7],"status":{"elapsedTime":-5,"rowsMatched":18446744073709551615,)"
      R"("isPartial":"yes","messages":[7,{"msg":"careful"}]}})",
      100, answer);
  REQUIRE(status.ok());
  REQUIRE(answer.rows().size() == 2);
  CHECK(answer.rows()[0] == "true,7,1.5,a,2024-05-01T00:00:00Z,1m0s,2,[1]");
  CHECK(answer.rows()[1] == "null,null,null,null,null,null,null,null");
  CHECK(answer.header().datasets == std::vector<std::string>{"d", ""});
  CHECK(answer.header().warnings == std::vector<std::string>{"careful"});
  CHECK(answer.status().rows == 2);
  CHECK(answer.status().elapsed_us == 0);
  CHECK(answer.status().rows_matched == 0);
  CHECK_FALSE(answer.status().is_partial);
}

TEST_CASE("numbers of both kinds stay what they are, and a zero keeps its sign") {
  KeptAnswer answer;
  const Status status = read_tabular_answer(
      R"({"tables":[{"fields":[{"name":"m","type":"integer|float"},{"name":"r","type":"float"},)"
      R"({"name":"d","type":"array"},{"name":"s","type":"string"}],)"
      R"("columns":[[9007199254740993,1.5,-0],[-0,0,-0.5],[[-0],{"a":-0},"-0"],)"
      R"(["[-0,\"",",-0,","-0"]]}]})",
      100, answer);
  REQUIRE(status.ok());
  REQUIRE(answer.rows().size() == 3);
  CHECK(answer.rows()[0] == R"(9007199254740993,-0,[-0],[-0,")");
  CHECK(answer.rows()[1] == R"(1.5,0,{"a":-0},,-0,)");
  CHECK(answer.rows()[2] == R"(-0,-0.5,"-0",-0)");
}

TEST_CASE("the width of bins is a positive number of nanoseconds or none") {
  const auto width = [](const std::string& size) {
    KeptAnswer answer;
    const Status status = read_tabular_answer(
        R"({"tables":[{"fields":[{"name":"a","type":"integer"}],"columns":[[1]],)"
        R"("buckets":{"field":"_time","size":)" +
            size + "}}]}",
        100, answer);
    REQUIRE(status.ok());
    return answer.header().bin_ns;
  };
  CHECK(width("1000") == 1000);
  CHECK(width("9223372036854775807") == INT64_MAX);
  for (const char* none :
       {"0", "-1", "9223372036854775808", "18446744073709551615", "1e3", "\"1\"", "null", "{}"}) {
    CAPTURE(none);
    CHECK_FALSE(width(none).has_value());
  }
}

TEST_CASE("columns keep what they were made by") {
  KeptAnswer answer;
  const Status status = read_tabular_answer(
      R"({"tables":[{"fields":[{"name":"n","type":"integer","agg":{"name":"count","fields":[]}},)"
      R"({"name":"a","type":"integer"},{"name":"b","type":"integer","agg":7}],)"
      R"("columns":[[1],[2],[3]]}]})",
      100, answer);
  REQUIRE(status.ok());
  REQUIRE(answer.header().origins.size() == 3);
  CHECK(answer.header().origins[0].aggregate == "count");
  CHECK(answer.header().origins[0].is_aggregate);
  CHECK_FALSE(answer.header().origins[1].is_aggregate);
  CHECK_FALSE(answer.header().origins[2].is_aggregate);
}

TEST_CASE("as many rows as the server gives at most are perhaps not all") {
  constexpr std::string_view kTwo =
      R"({"tables":[{"fields":[{"name":"a","type":"integer"}],"columns":[[1,2]]}]})";
  KeptAnswer answer;
  CHECK(read_tabular_answer(kTwo, 3, answer).ok());
  CHECK(answer.rows().size() == 2);
  CHECK(read_tabular_answer(kTwo, 2, answer).error().code == ErrorCode::kLimit);
  CHECK(answer.rows().size() == 2);
  constexpr std::string_view kPartial =
      R"({"tables":[{"fields":[{"name":"a","type":"integer"}],"columns":[[1,2]]}],)"
      R"("status":{"isPartial":true}})";
  CHECK(read_tabular_answer(kPartial, UINT64_MAX, answer).error().code == ErrorCode::kLimit);
  CHECK(answer.rows().size() == 2);
}

TEST_CASE("silence is neither success nor soundness") {
  CHECK(read_ingest_answer(R"({"ingested":2,"failed":1,"failures":[7,{"error":"no"}]})")
            ->counts.failures.size() == 1);
  for (const char* text : {"", "[]", "{}", R"({"status":"ok"})", R"({"ingested":null})"}) {
    CAPTURE(text);
    CHECK(read_ingest_answer(text).error().code == ErrorCode::kServer);
  }
  CHECK(read_check_answer(R"({"problems":[]})").ok());
  for (const char* text : {"[]", "{}", R"({"problems":{}})", R"({"problems":["x"]})"}) {
    CAPTURE(text);
    CHECK(read_check_answer(text).error().code == ErrorCode::kServer);
  }
}

TEST_CASE("lists, completions and fields hold what they should") {
  CHECK(read_text_list(R"(["a"])").value() == std::vector<std::string>{"a"});
  CHECK(read_text_list("[1]").error().code == ErrorCode::kServer);
  CHECK(read_json_list("{}").error().code == ErrorCode::kServer);
  CHECK(read_text_member("[]", "a").error().code == ErrorCode::kServer);
  CHECK(read_dataset_answer("7").error().code == ErrorCode::kServer);
  CHECK(read_field_answers("[7]").error().code == ErrorCode::kServer);
  CHECK(read_delete_answer("[]").error().code == ErrorCode::kServer);
  for (const char* text :
       {"[]", "{}", R"({"candidates":[7]})", R"({"begin":2,"end":1,"candidates":[]})"}) {
    CAPTURE(text);
    CHECK(read_completion_answer(text).error().code == ErrorCode::kServer);
  }
}

TEST_CASE("a refusal keeps its kind and its words, whatever its body is") {
  for (const auto& refusal :
       {std::pair(400, ErrorCode::kUsage), std::pair(401, ErrorCode::kForbidden),
        std::pair(403, ErrorCode::kForbidden), std::pair(404, ErrorCode::kNotFound),
        std::pair(409, ErrorCode::kConflict), std::pair(413, ErrorCode::kTooLarge),
        std::pair(415, ErrorCode::kUsage), std::pair(422, ErrorCode::kLimit),
        std::pair(500, ErrorCode::kServer), std::pair(503, ErrorCode::kServer)}) {
    const int status = refusal.first;
    CAPTURE(status);
    for (const char* body : {"", "<html>", "[]", R"({"message":7})", R"({"message":""})"}) {
      const Error error = read_error_answer(status, body, "");
      CHECK(error.code == refusal.second);
      CHECK(error.message == "the server answered with status " + std::to_string(status));
    }
    CHECK(read_error_answer(status, R"({"message":"no","detail":7})", "").message == "no");
  }
  CHECK(read_error_answer(422, "", "", "timeout").code == ErrorCode::kTimeout);
  CHECK(read_error_answer(503, "", "", "disk-full").code == ErrorCode::kDiskFull);
  // What the server cancelled, nobody has cancelled here.
  CHECK(read_error_answer(503, "", "", "cancelled").code == ErrorCode::kServer);
}

TEST_CASE("a place that the query does not have is none") {
  const auto span_of = [](const char* line, const char* column) {
    const std::string body =
        std::string(R"({"message":"m","detail":{"line":)") + line + R"(,"column":)" + column + "}}";
    return read_error_answer(400, body, "first\nsecond").span;
  };
  CHECK(span_of("2", "1")->begin == 6);
  CHECK(span_of("2", "1")->end == 12);
  for (const auto& place :
       {std::pair("3", "1"), std::pair("2", "8"), std::pair("1", "0"), std::pair("1", "99"),
        std::pair("-1", "-1"), std::pair("\"x\"", "null")}) {
    CAPTURE(place.first);
    CAPTURE(place.second);
    CHECK_FALSE(span_of(place.first, place.second).has_value());
  }
}

}  // namespace
}  // namespace evq
