#include "http/body.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "http/limits.h"
#include "store/base/limits.h"
#include "store/base/time.h"
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

std::shared_ptr<BodySpace> space_in(const std::string& directory) {
  auto space = std::make_shared<BodySpace>();
  space->directory = directory;
  return space;
}

TEST_CASE("a long body is kept in a file that has no name, and read back as it was") {
  const TempDirectory directory;
  const std::string text = long_text();
  RequestBody body(space_in(directory.path()));
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
  RequestBody body(space_in(directory.path()));
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
  RequestBody body(space_in(directory.path() + "/none"));
  CHECK(body.append("short").ok());
  CHECK(body.text().value() == "short");
  const Status refused = body.append(long_text());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find(directory.path()) != std::string::npos);
}

// As much as its memory takes, so that it may be looked at.
constexpr std::size_t kMemoryBytes = 128 * kKibibyte;

TEST_CASE("bodies share what memory there is, and those that find none go to files") {
  const TempDirectory directory;
  const auto space = space_in(directory.path());
  space->memory.bytes_max = kMemoryBytes;
  const std::string text(kMemoryBytes / 2, 'x');
  {
    std::vector<RequestBody> bodies;
    for (int i = 0; i < 50; ++i) {
      RequestBody& body = bodies.emplace_back(space);
      body.expect(kHttpBodyMemoryBytesMax);
      REQUIRE(body.append(text).ok());
      CHECK(space->memory.held.load() <= kMemoryBytes);
    }
    for (RequestBody& body : bodies) {
      CHECK((body.text().value() == text));
    }
    CHECK(space->files.held.load() > 0);
    CHECK(std::filesystem::is_empty(directory.path()));
  }
  CHECK(space->memory.held.load() == 0);
  CHECK(space->files.held.load() == 0);
}

TEST_CASE("what a handler has taken is its own") {
  const TempDirectory directory;
  const auto space = space_in(directory.path());
  RequestBody body(space);
  REQUIRE(body.append("short").ok());
  CHECK(space->memory.held.load() > 0);
  const auto source = body.release();
  CHECK(space->memory.held.load() == 0);
  CHECK(all_of(*source).value() == "short");
}

TEST_CASE("bodies that find no room in files either are refused for now") {
  const TempDirectory directory;
  const auto space = space_in(directory.path());
  space->memory.bytes_max = 0;
  space->files.bytes_max = 3 * kMebibyte;
  const std::string text = long_text();
  RequestBody first(space);
  REQUIRE(first.append(text).ok());
  REQUIRE(first.append(text).ok());
  {
    RequestBody second(space);
    const Status refused = second.append(text);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kUnavailable);
  }
  CHECK((first.text().value() == text + text));
  first = RequestBody(space);
  CHECK(space->files.held.load() == 0);
  CHECK(first.append(text).ok());
}

TEST_CASE("files of bodies leave room on the disk to what is stored") {
  const TempDirectory directory;
  const auto space = space_in(directory.path());
  space->disk_free_bytes_min = std::uint64_t{1} << 60U;
  RequestBody body(space);
  CHECK(body.append("short").ok());
  const Status refused = body.append(long_text());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kDiskFull);
}

TEST_CASE("memory is given back once when little is held for a while after much") {
  QuietWatch watch;
  const auto ask = [&](std::uint64_t mebibytes, std::int64_t ms) {
    return watch.is_due(mebibytes * kMebibyte, ms * kMillisecondNs);
  };
  CHECK_FALSE(ask(1, 0));
  CHECK_FALSE(ask(1, 5000));  // there was never much
  CHECK_FALSE(ask(30, 5050));
  CHECK_FALSE(ask(0, 5100));
  CHECK_FALSE(ask(20, 5900));
  CHECK_FALSE(ask(2, 6500));
  CHECK_FALSE(ask(2, 6900));
  CHECK(ask(2, 6950));
  CHECK_FALSE(ask(0, 9000));
}

}  // namespace
}  // namespace evq
