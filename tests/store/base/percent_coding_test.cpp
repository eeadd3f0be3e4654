#include "store/base/percent_coding.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("all but letters, digits and four marks are escaped byte by byte") {
  CHECK(percent_encode("aZ09-._~") == "aZ09-._~");
  CHECK(percent_encode(" /?&=%+\xc3\xbc") == "%20%2F%3F%26%3D%25%2B%C3%BC");
  CHECK(percent_encode("").empty());
}

TEST_CASE("what passes its limit ends there and is longer than it") {
  CHECK(percent_encode("aaaa", 4) == "aaaa");
  CHECK(percent_encode("aaaaaaaa", 4) == "aaaaa");
  CHECK(percent_encode("    ", 4) == "%20%20");
}

TEST_CASE("what two digits do not follow stays a percent sign") {
  CHECK(percent_decode("a%20b+c%", PlusSign::kItself) == "a b+c%");
  CHECK(percent_decode("a%20b+c%2", PlusSign::kBlank) == "a b c%2");
  CHECK(percent_decode("%zz%C3%BC%ff", PlusSign::kItself) == "%zz\xc3\xbc\xef\xbf\xbd");
}

}  // namespace
}  // namespace evq
