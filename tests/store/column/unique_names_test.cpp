#include "store/column/unique_names.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("a name that is taken gets the first number that makes it another") {
  UniqueNames names(Schema({{"a", Type::kLong}, {"a2", Type::kLong}}));
  CHECK(names.take("b") == "b");
  CHECK(names.take("a") == "a1");
  CHECK(names.take("a") == "a3");
  CHECK(names.take("b") == "b1");
  CHECK(UniqueNames(std::vector<Field>{{"c", Type::kLong}}).take("c") == "c1");
}

TEST_CASE("a number may begin elsewhere, behind something, and where the name is free") {
  UniqueNames names;
  names.note("a 3");
  CHECK(names.take_numbered("a", " ", 2) == "a 2");
  CHECK(names.take_numbered("a", " ", 2) == "a 4");
  CHECK(names.take("a") == "a");
}

TEST_CASE("each of very many that share a name costs the same") {
  constexpr std::size_t kNames = 300'000;  // looked for from the start they would take hours
  UniqueNames names;
  std::string last;
  for (std::size_t i = 0; i < kNames; ++i) {
    last = names.take("n");
  }
  CHECK(last == "n" + std::to_string(kNames - 1));
}

}  // namespace
}  // namespace evq
