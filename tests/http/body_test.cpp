#include "http/body.h"

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "tests/support/temp_store.h"
#include "tests/support/unnamed_files.h"

namespace evq {
namespace {

Result<std::string> all_of(ByteSource& source) {
  std::string text;
  std::vector<char> piece(100'000);
  while (true) {
    EVQ_TRY_ASSIGN(const auto got, source.read(piece, -1));
    if (got.value_or(0) == 0) {
      return text;
    }
    text.append(piece.data(), *got);
  }
}

std::string long_text() {
  std::string text;
  while (text.size() <= kHttpBodyMemoryBytesMax) {
    text += std::to_string(text.size()) + ' ';
  }
  return text;
}

TEST_CASE("a long body is kept in a file that has no name, and read back as it was") {
  const TempDirectory directory;
  const std::string text = long_text();
  RequestBody body(directory.path());
  for (std::size_t at = 0; at < text.size(); at += 70'000) {
    REQUIRE(body.append(std::string_view(text).substr(at, 70'000)).ok());
  }
  CHECK(body.size() == text.size());
  CHECK(std::filesystem::is_empty(directory.path()));
  CHECK((body.text().value() == text));
  CHECK((all_of(*body.release()).value() == text));
}

TEST_CASE("a body that was kept and is shorter now is an error, not a short body") {
  const TempDirectory directory;
  RequestBody body(directory.path());
  REQUIRE(body.append(long_text()).ok());
  REQUIRE(cut_unnamed_files(directory.path(), 150'000) == 1);
  const Result<std::string> text = body.text();
  REQUIRE_FALSE(text.ok());
  CHECK(text.error().code == ErrorCode::kIo);
  const Result<std::string> read = all_of(*body.release());
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message == text.error().message);
}

TEST_CASE("a long body that cannot be kept is refused, a short one needs no file") {
  const TempDirectory directory;
  RequestBody body(directory.path() + "/none");
  CHECK(body.append("short").ok());
  CHECK(body.text().value() == "short");
  const Status refused = body.append(long_text());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find(directory.path()) != std::string::npos);
}

}  // namespace
}  // namespace evq
