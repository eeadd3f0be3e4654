#include "store/base/error.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "store/base/result.h"

namespace evq {
namespace {

TEST_CASE("every error code has one row with sane statuses") {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const ErrorCodeInfo& info = error_code_info(code);
    CHECK(info.code == code);
    CHECK(names.insert(info.name).second);
    CHECK(info.exit_status > 0);
    CHECK(info.http_status >= 400);
    CHECK(info.http_status < 600);
  }
}

TEST_CASE("statuses that scripts and clients depend on") {
  struct Row {
    ErrorCode code;
    int exit_status;
    int http_status;
  };
  for (const Row& row : {Row{ErrorCode::kUsage, 2, 400}, Row{ErrorCode::kCompile, 3, 400},
                         Row{ErrorCode::kData, 4, 400}, Row{ErrorCode::kIo, 5, 500},
                         Row{ErrorCode::kDiskFull, 5, 503}, Row{ErrorCode::kReadOnly, 5, 503},
                         Row{ErrorCode::kNotFound, 1, 404}, Row{ErrorCode::kForbidden, 6, 403},
                         Row{ErrorCode::kTooLarge, 4, 413}, Row{ErrorCode::kTimeout, 124, 422},
                         Row{ErrorCode::kCancelled, 130, 503}, Row{ErrorCode::kUnavailable, 6, 503},
                         Row{ErrorCode::kServer, 6, 502}}) {
    CHECK(error_code_info(row.code).exit_status == row.exit_status);
    CHECK(error_code_info(row.code).http_status == row.http_status);
  }
}

Result<int> half(int value) {
  if (value % 2 != 0) {
    return make_error(ErrorCode::kData, "odd", "give an even one");
  }
  return value / 2;
}

Result<int> quarter(int value) {
  EVQ_TRY_ASSIGN(const int once, half(value));
  EVQ_TRY(half(once));
  return half(once);
}

TEST_CASE("errors travel through EVQ_TRY and EVQ_TRY_ASSIGN") {
  CHECK(quarter(12).value() == 3);
  const Result<int> odd = quarter(6);
  REQUIRE(!odd.ok());
  CHECK(odd.error().code == ErrorCode::kData);
  CHECK(odd.error().message == "odd");
  CHECK(odd.error().hint == "give an even one");
  CHECK(Status::success().ok());
}

}  // namespace
}  // namespace evq
