// Texts that grow side by side, in memory and in a file, against plain strings.
#include "apl/service/spooled_text.h"

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/temp_store.h"
#include "tests/support/unnamed_files.h"

namespace evq {
namespace {

std::shared_ptr<SpoolSpace> space_in(const std::string& directory,
                                     std::uint64_t file_bytes_max = UINT64_MAX) {
  auto space = std::make_shared<SpoolSpace>();
  space->directory = directory;
  space->file_bytes_max = file_bytes_max;
  return space;
}

Status append(SpooledText* texts, std::size_t text, const std::string& more) {
  texts->tail(text).append(more);
  return texts->settle(text);
}

std::string read_all(const SpooledText& texts, std::size_t text) {
  std::string all;
  std::uint64_t position = 0;
  while (texts.read_on(text, &position, &all).value()) {
  }
  return all;
}

TEST_CASE("texts that grow side by side are read as they were written, whole and in parts") {
  const TempDirectory directory;
  std::mt19937_64 random(7);
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{200}}) {
    const auto space = space_in(directory.path());
    {
      SpooledText texts(space, count);
      std::vector<std::string> expected(count);
      for (int i = 0; i < 3000; ++i) {
        const std::size_t text = random() % count;
        const std::size_t size = i % 500 == 499 ? 300'000 : random() % 400;
        const std::string more(size, static_cast<char>('a' + random() % 26));
        expected[text] += more;
        REQUIRE(append(&texts, text, more).ok());
      }
      CHECK(space->file_bytes.load() > kAnswerTextBytesMax);
      CHECK(std::filesystem::is_empty(directory.path()));
      for (std::size_t text = 0; text < count; ++text) {
        REQUIRE(texts.size(text) == expected[text].size());
        REQUIRE((read_all(texts, text) == expected[text]));
        for (int i = 0; i < 20 && !expected[text].empty(); ++i) {
          const std::size_t position = random() % expected[text].size();
          const std::size_t size = random() % (expected[text].size() - position + 1);
          std::string part = "before ";
          REQUIRE(texts.read(text, position, size, &part).ok());
          REQUIRE((part == "before " + expected[text].substr(position, size)));
        }
      }
    }
    CHECK(space->file_bytes.load() == 0);
  }
}

TEST_CASE("what is not settled yet stays when another text moves to the file") {
  const TempDirectory directory;
  const auto space = space_in(directory.path());
  SpooledText texts(space, 2);
  REQUIRE(append(&texts, 0, "settled, ").ok());
  texts.tail(0).append("not yet, ");
  REQUIRE(append(&texts, 1, std::string(kAnswerTextBytesMax, 'a')).ok());
  CHECK(space->file_bytes.load() == kAnswerTextBytesMax + 9);
  CHECK(texts.tail(0) == "not yet, ");
  REQUIRE(append(&texts, 0, "now").ok());
  CHECK(read_all(texts, 0) == "settled, not yet, now");
}

TEST_CASE("where no file can be, texts borrow memory, all together no more than there is") {
  const TempDirectory directory;
  const auto space = space_in(directory.path() + "/none");
  space->borrowed_bytes_max = 4 * kAnswerTextBytesMax;
  {
    SpooledText texts(space, 2);
    REQUIRE(append(&texts, 0, std::string(kAnswerTextBytesMax / 2, 'a')).ok());
    REQUIRE(append(&texts, 1, std::string(kAnswerTextBytesMax / 2, 'b')).ok());
    CHECK(space->borrowed_bytes.load() == 0);
    REQUIRE(append(&texts, 1, "c").ok());
    CHECK(space->borrowed_bytes.load() == kAnswerTextBytesMax);
    REQUIRE(append(&texts, 0, std::string(2 * kAnswerTextBytesMax, 'd')).ok());
    CHECK(space->borrowed_bytes.load() == 3 * kAnswerTextBytesMax);
    CHECK((read_all(texts, 1) == std::string(kAnswerTextBytesMax / 2, 'b') + "c"));
    const Status refused = append(&texts, 1, std::string(kAnswerTextBytesMax, 'e'));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find(directory.path()) != std::string::npos);
  }
  CHECK(space->borrowed_bytes.load() == 0);
}

TEST_CASE("what was borrowed goes back when the file can be written again") {
  const TempDirectory directory;
  const std::string path = directory.path() + "/later";
  const auto space = space_in(path);
  SpooledText texts(space, 1);
  std::string expected(kAnswerTextBytesMax + 1, 'a');
  REQUIRE(append(&texts, 0, expected).ok());
  CHECK(space->borrowed_bytes.load() == kAnswerTextBytesMax);
  REQUIRE(std::filesystem::create_directory(path));
  REQUIRE(append(&texts, 0, std::string(kAnswerTextBytesMax, 'b')).ok());
  CHECK(space->borrowed_bytes.load() == 0);
  CHECK(space->file_bytes.load() == texts.size(0));
  CHECK((read_all(texts, 0) == expected + std::string(kAnswerTextBytesMax, 'b')));
}

TEST_CASE("a disk with little room is left to loads") {
  const TempDirectory directory;
  const auto space = space_in(directory.path());
  space->disk_free_bytes_min = std::uint64_t{1} << 60U;  // more than any disk has
  SpooledText texts(space, 1);
  REQUIRE(append(&texts, 0, std::string(kAnswerTextBytesMax + 1, 'a')).ok());
  CHECK(space->file_bytes.load() == 0);
  CHECK(space->borrowed_bytes.load() == kAnswerTextBytesMax);
  space->borrowed_bytes_max = 0;
  const Status refused = append(&texts, 0, std::string(kAnswerTextBytesMax, 'b'));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kDiskFull);
}

TEST_CASE("a text that nothing was written to is empty") {
  const SpooledText texts(space_in("/none"), 1);
  CHECK(texts.size(0) == 0);
  CHECK(read_all(texts, 0).empty());
}

TEST_CASE("answers together take no more than the space, and give back what they took") {
  const TempDirectory directory;
  constexpr std::size_t kBytes = kAnswerTextBytesMax + 1;
  const auto space = space_in(directory.path(), 2 * kBytes);
  space->borrowed_bytes_max = 0;
  SpooledText first(space, 1);
  REQUIRE(append(&first, 0, std::string(kBytes, 'a')).ok());
  {
    SpooledText second(space, 1);
    REQUIRE(append(&second, 0, std::string(kBytes, 'b')).ok());
    SpooledText third(space, 1);
    const Status refused = append(&third, 0, std::string(kBytes, 'c'));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kUnavailable);
    CHECK(space->file_bytes.load() == 2 * kBytes);
  }
  CHECK(space->file_bytes.load() == kBytes);
  SpooledText fourth(space, 1);
  CHECK(append(&fourth, 0, std::string(kBytes, 'd')).ok());
  CHECK((read_all(first, 0) == std::string(kBytes, 'a')));
}

TEST_CASE("an answer whose file is shorter now is an error, not a short answer") {
  const TempDirectory directory;
  SpooledText texts(space_in(directory.path()), 1);
  REQUIRE(append(&texts, 0, std::string(2 * kAnswerTextBytesMax, 'a')).ok());
  REQUIRE(cut_unnamed_files(directory.path(), 1000) == 1);
  std::string out;
  std::uint64_t position = 0;
  const Result<bool> read = texts.read_on(0, &position, &out);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace evq
