#include "http/message.h"

#include <doctest/doctest.h>

#include "http/framing.h"
#include "store/base/time.h"

namespace evq {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("targets are split into a path and decoded parameters") {
  std::string path;
  Pairs parameters;
  REQUIRE(split_target("/v1/query/_apl?format=tabular&cursor=a%2Bb+c&nocache", &path, &parameters));
  CHECK(path == "/v1/query/_apl");
  CHECK(parameters == Pairs{{"format", "tabular"}, {"cursor", "a+b c"}, {"nocache", ""}});
}

TEST_CASE("malformed escapes and NUL are refused") {
  for (const char* target : {"/x?a=%", "/x?a=%2", "/x?a=%zz", "/x?a=%00"}) {
    std::string path;
    Pairs parameters;
    CAPTURE(target);
    CHECK_FALSE(split_target(target, &path, &parameters));
  }
}

TEST_CASE("an answer's date is as RFC 9110 has it") {
  CHECK(http_date(784111777 * kSecondNs) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(http_date(1709251199 * kSecondNs + 999) == "Thu, 29 Feb 2024 23:59:59 GMT");
  CHECK(http_date(-1) == "Wed, 31 Dec 1969 23:59:59 GMT");
}

TEST_CASE("a plus is a blank in parameters only") {
  CHECK(decode_url_text("a+b%20c", PlusSign::kBlank) == "a b c");
  CHECK(decode_url_text("a+b%20c", PlusSign::kItself) == "a+b c");
  CHECK(decode_url_text("%41", PlusSign::kItself) == "A");
}

TEST_CASE("an error object has its status and message, escaped") {
  const HttpResponse response = error_response(404, "dataset \"x\" not found");
  CHECK(response.status == 404);
  CHECK(response.body == R"({"code":404,"message":"dataset \"x\" not found"})");
  CHECK(error_response(400, "no (yes)", {}, "yes").body ==
        R"j({"code":400,"message":"no (yes)","hint":"yes"})j");
}

}  // namespace
}  // namespace evq
