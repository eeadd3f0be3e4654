// evq-apl(7) and evq help say what the tables say.

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "apl/service/language.h"
#include "apl/service/reference.h"
#include "apl/syntax/operators.h"
#include "store/base/file.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// EVQ_REWRITE=1 writes the page instead of comparing it.
TEST_CASE("man/evq-apl.7 is what the tables render") {
  const std::string path = EVQ_SOURCE_DIR "/man/evq-apl.7";
  if (std::getenv("EVQ_REWRITE") != nullptr) {
    REQUIRE(write_file_atomically(path, render_language_manual()).ok());
  }
  const Result<std::string> kept = read_whole_file(path, kSmallFileBytesMax);
  REQUIRE(kept.ok());
  CHECK((kept.value() == render_language_manual()));
}

TEST_CASE("every entry has help") {
  const auto explains = [](std::string_view name) {
    INFO(name);
    const Result<std::string> text = reference_topic(name);
    REQUIRE(text.ok());
    CHECK(!text.value().empty());
  };
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    explains(row.name);
  }
  for (const AggregateFunction* row : all_aggregates()) {
    explains(row->name);
  }
  for (const ScalarFunction* row : all_functions()) {
    explains(row->name);
  }
  for (const ExpressionOperator& row : expression_operators()) {
    explains(row.spelling);
  }
  for (const LanguageTopic& topic : language_topics()) {
    explains(topic.name);
  }
  explains("differences");
  CHECK(!reference_topic("nothing of the kind").ok());
}

}  // namespace
}  // namespace evq
