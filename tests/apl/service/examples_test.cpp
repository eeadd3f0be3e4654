// Every example of the reference is run: through the whole engine, with and without the optimiser,
// and by the slow twin. What the row states is the answer. A function's or aggregate's example
// states the cells, two blanks apart, one line a row; an operator's also the header.

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "apl/service/coverage.h"
#include "apl/service/language.h"
#include "apl/service/service.h"
#include "apl/syntax/operators.h"
#include "tests/support/answer_text.h"
#include "tests/support/reference.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::int64_t kNow = 1'714'558'830'000'000'000;  // 2024-05-01T10:20:30Z

class Examples {
 public:
  Examples() {
    ServiceOptions options;
    options.store_directory = directory_.path() + "/store";
    options.workers = 2;
    auto opened = Service::open(options);
    REQUIRE(opened.ok());
    service_ = std::move(opened).value();
  }

  // `stated` is what the row says, without a header unless `with_header`.
  void check(std::string_view name, std::string_view query, std::string_view stated,
             bool with_header) {
    INFO(name << ": " << query);
    const std::string wanted = normalized_answer(std::string(stated), false);
    for (const bool optimize : {true, false}) {
      QueryRequest request;
      request.apl = query;
      request.now_ns = kNow;
      request.optimize = optimize;
      AnswerText answer;
      const Status done = service_->query(request, answer);
      CHECK_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
      CHECK(shown(answer.text(false), with_header) == wanted);
    }
    const auto twin = reference_answer(service_->store(), std::string(query), kNow);
    if (twin.ok()) {
      CHECK(shown(reference_text(twin.value(), false), with_header) == wanted);
    } else {
      CHECK_MESSAGE(twin.error().code == ErrorCode::kUnsupported, twin.error().message);
    }
  }

 private:
  static std::string shown(const std::string& text, bool with_header) {
    const std::size_t end = text.find('\n');
    return normalized_answer(with_header                ? text
                             : end == std::string::npos ? std::string()
                                                        : text.substr(end + 1),
                             false);
  }

  TempDirectory directory_;
  std::unique_ptr<Service> service_;
};

TEST_CASE("every function's examples give what its row states") {
  Examples examples;
  for (const ScalarFunction* row : all_functions()) {
    INFO(row->name);
    CHECK(!row->examples[0].query.empty());
    for (const Example& example : row->examples) {
      if (!example.query.empty()) {
        examples.check(row->name, example.query, example.result, false);
      }
    }
  }
}

TEST_CASE("every aggregate's examples give what its row states") {
  Examples examples;
  for (const AggregateFunction* row : all_aggregates()) {
    INFO(row->name);
    CHECK(!row->examples[0].query.empty());
    for (const Example& example : row->examples) {
      if (!example.query.empty()) {
        examples.check(row->name, example.query, example.result, false);
      }
    }
  }
}

TEST_CASE("every other example of the reference gives what stands below it") {
  Examples examples;
  for (const ExpressionOperator& row : expression_operators()) {
    examples.check(row.spelling, row.example.query, row.example.result, false);
  }
  for (const LanguageTopic& topic : language_topics()) {
    for (const Example& example : topic.examples) {
      if (!example.query.empty()) {
        examples.check(topic.name, example.query, example.result, false);
      }
    }
  }
}

TEST_CASE("every operator's examples give what its row states") {
  Examples examples;
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    for (const syntax::OperatorExample& example : row.examples) {
      if (!example.answer.empty()) {
        examples.check(row.name, example.query, example.answer, true);
      }
    }
  }
}

// What externaldata's example reads is not there: tests/cli/external_test.py reads real files.
TEST_CASE("all of the inventory works") {
  TempDirectory directory;
  ServiceOptions options;
  options.store_directory = directory.path() + "/store";
  options.external.any = true;
  auto service = Service::open(options);
  REQUIRE(service.ok());
  const Result<Coverage> measured = measure_coverage(*service.value(), directory.path());
  REQUIRE(measured.ok());
  const Coverage& coverage = measured.value();
  INFO(coverage.text());
  CHECK(coverage.working() == coverage.total());
  for (const Coverage::Row& row : coverage.rows) {
    for (const Coverage::Missing& missing : row.missing) {
      INFO(missing.entry << ": " << missing.reason);
      CHECK(missing.entry == "externaldata");
    }
  }
}

}  // namespace
}  // namespace evq
