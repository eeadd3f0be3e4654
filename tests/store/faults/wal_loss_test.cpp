// Damage in a write-ahead file, which SQLite takes for its end: told when commits were acknowledged
// behind it, and never when a last one was only torn.
#include "store/catalog/wal_loss.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::uint64_t kCommits = 6;
constexpr std::uint64_t kFrameBytes = kDatasetPageBytes + kWalFrameHeaderBytes;

DatabaseOptions options_of(const TempDirectory& directory, const std::string& vfs = "") {
  DatabaseOptions options;
  options.path = directory.path() + "/d.db";
  options.vfs = vfs;
  options.page_size_bytes = kDatasetPageBytes;
  options.create = true;
  return options;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// The same, noted before the system was started again.
std::string of_earlier_run(const std::string& note) {
  std::optional<WalReach> noted = decode_reach(note);
  REQUIRE(noted.has_value());
  CHECK(noted->boot != 0);
  ++noted->boot;
  const WalReachText text = encode_reach(*noted);
  return {text.data(), text.size()};
}

// Makes `number` the file's key, on some pages or on one.
Status commit(Database& database, std::uint64_t number, bool small) {
  EVQ_TRY_ASSIGN(WriteLock lock, database.begin_write(Room::little()));
  EVQ_TRY(lock.connection().execute("DELETE FROM counters"));
  EVQ_TRY(DatasetWriter::initialise(lock.connection(), number));
  if (!small) {
    EVQ_TRY(lock.connection().execute("INSERT INTO chunks(data) VALUES(zeroblob(20000))"));
  }
  return lock.commit();
}

bool has_key(const Database& database, Database::Loss loss, std::uint64_t number) {
  auto lease = const_cast<Database&>(database).begin_read(loss);
  return lease.ok() && read_counters(lease->connection(), number).ok();
}

// The files of a database, as a process leaves them that is killed after some commits.
class Killed {
 public:
  explicit Killed(bool small = false, const std::string& vfs = "") {
    const TempDirectory directory;
    const auto database = Database::open(options_of(directory, vfs), dataset_schema());
    REQUIRE(database.ok());
    for (std::uint64_t i = 0; i < kCommits; ++i) {
      notes_.push_back(read_file(directory.path() + "/d.db.lock"));
      REQUIRE(commit(**database, i, small).ok());
      ends_.push_back(std::filesystem::file_size(directory.path() + "/d.db-wal"));
    }
    for (const char* suffix : {"", "-wal", ".lock"}) {
      std::filesystem::copy_file(directory.path() + "/d.db" + suffix,
                                 directory_.path() + "/d.db" + suffix);
    }
    wal_bytes_ = read_file(wal());
    database_bytes_ = read_file(path());
    note_ = note();
  }

  std::string path() const { return directory_.path() + "/d.db"; }
  std::string wal() const { return path() + "-wal"; }
  const std::string& wal_bytes() const { return wal_bytes_; }
  // Where a commit's frames end.
  std::uint64_t end_of(std::uint64_t commit) const { return ends_[commit]; }
  void put_wal(const std::string& bytes) const {
    std::filesystem::remove(directory_.path() + "/d.db-shm");
    write_file(wal(), bytes);
  }
  std::string flipped(std::uint64_t at, int bit = 2) const {
    std::string bytes = wal_bytes_;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    return bytes;
  }
  // What a process has made of the file that took the commits for none.
  void put_back() const {
    write_file(path(), database_bytes_);
    put_note(note_);
  }
  // As of before the commit.
  void put_note_before(std::uint64_t commit) const { put_note(notes_[commit]); }
  void put_note(const std::string& bytes) const {
    write_file(directory_.path() + "/d.db.lock", bytes);
  }
  std::string note() const { return read_file(directory_.path() + "/d.db.lock"); }
  // As a power cut leaves the last one.
  void put_note_of_earlier_run() const { put_note(of_earlier_run(note_)); }
  Result<std::unique_ptr<Database>> open() const {
    return Database::open(options_of(directory_), dataset_schema());
  }
  bool is_lost() const { return tells(wal() + ": damaged behind byte "); }
  bool is_dropped() const { return tells(wal() + ": removed or emptied while "); }

 private:
  bool tells(const std::string& message) const {
    const auto database = open();
    const Status loss = database.ok() ? (*database)->loss() : Status(database.error());
    if (!loss.ok()) {
      CHECK(loss.error().code == ErrorCode::kCorrupt);
      CHECK(loss.error().message.starts_with(message));
    }
    return !loss.ok();
  }

  TempDirectory directory_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::string> notes_;
  std::string wal_bytes_;
  std::string database_bytes_;
  std::string note_;
};

TEST_CASE("a killed process's commits are there") {
  for (const bool small : {false, true}) {
    const Killed killed(small);
    for (int attempt = 0; attempt < 2; ++attempt) {
      const auto database = killed.open();
      REQUIRE(database.ok());
      CHECK((*database)->loss().ok());
      CHECK(has_key(**database, Database::Loss::kRefused, kCommits - 1));
    }
  }
}

// The bytes of a header up to where it was torn are those of a new one, which has another number of
// the generation, the next first half of the salt and any second half; the rest is as it was.
bool may_be_torn(const std::string& wal, const std::string& sound) {
  constexpr std::size_t kNumberAt = 12;
  constexpr std::size_t kSaltAt = 16;
  constexpr std::size_t kSecondHalfAt = 20;
  constexpr std::size_t kSumsAt = 24;
  std::string next = wal.substr(0, kSumsAt) + sound.substr(kSumsAt);
  std::copy_n(sound.begin() + kSaltAt, kSecondHalfAt - kSaltAt, next.begin() + kSaltAt);
  for (std::size_t at = kSecondHalfAt; at-- > kSaltAt && ++next[at] == 0;) {
  }
  bool is_torn = false;
  for (std::size_t end = kSaltAt; end <= kSumsAt; ++end) {
    is_torn |= wal == next.substr(0, end) + sound.substr(end);
  }
  const std::string number_max("\0\x10\0\0", kSaltAt - kNumberAt);  // a first generation's is 0
  return is_torn && wal.substr(0, kNumberAt) == sound.substr(0, kNumberAt) &&
         wal.substr(kNumberAt, number_max.size()) <= number_max;
}

TEST_CASE("a bit that changes in a killed process's file is told, wherever it is") {
  for (const bool small : {false, true}) {
    const Killed killed(small);
    for (std::uint64_t at = 0; at < kWalHeaderBytes; ++at) {
      CAPTURE(at);
      killed.put_wal(killed.flipped(at));
      CHECK(killed.is_lost());
      killed.put_back();
      killed.put_note_of_earlier_run();
      CHECK(killed.is_lost() != may_be_torn(killed.flipped(at), killed.wal_bytes()));
      killed.put_back();
    }
    killed.put_back();
    for (std::uint64_t frame = kWalHeaderBytes; frame < killed.end_of(kCommits - 1);
         frame += kFrameBytes) {
      for (const std::uint64_t at : {0U, 3U, 7U, 9U, 15U, 17U, 23U, 24U, 1000U, 4119U}) {
        CAPTURE(frame + at);
        killed.put_wal(killed.flipped(frame + at));
        CHECK(killed.is_lost());
      }
    }
  }
}

TEST_CASE("a killed process's file that was cut short or overwritten is told") {
  const Killed killed;
  for (std::uint64_t size = kWalHeaderBytes + 1; size < killed.end_of(kCommits - 1); size += 1000) {
    CAPTURE(size);
    killed.put_wal(killed.wal_bytes().substr(0, size));
    CHECK(killed.is_lost());
    std::string overwritten = killed.wal_bytes();
    const std::size_t bytes = std::min<std::size_t>(50000, overwritten.size() - size);
    killed.put_wal(overwritten.replace(size, bytes, bytes, '#'));
    CHECK(killed.is_lost());
  }
}

TEST_CASE("a killed process's file that was removed or emptied is told, and can be given up") {
  for (const bool small : {false, true}) {
    const Killed killed(small);
    for (const std::size_t size : {0U, 1U, 32U}) {
      CAPTURE(size);
      killed.put_wal(killed.wal_bytes().substr(0, size));
      CHECK(killed.is_dropped());
    }
    std::filesystem::remove(killed.wal());
    for (int attempt = 0; attempt < 2; ++attempt) {
      CHECK(killed.is_dropped());
    }
    killed.put_wal(killed.wal_bytes());
    CHECK_FALSE(killed.is_lost());
    killed.put_wal("");
    killed.put_note("");
    const auto database = killed.open();
    REQUIRE(database.ok());
    CHECK(commit(**database, 9, small).ok());
    CHECK(has_key(**database, Database::Loss::kRefused, 9));
  }
}

TEST_CASE("what an earlier run of the system noted says nothing of a file that is not there") {
  for (const std::string& nothing : {std::string(), std::string(50000, '\0')}) {
    const Killed killed;
    killed.put_note_of_earlier_run();
    killed.put_wal(nothing);
    CHECK_FALSE(killed.is_lost());
  }
}

TEST_CASE("a file whose commits are all in the database may be emptied and removed") {
  const Killed killed;
  const std::string path = killed.wal().substr(0, killed.wal().size() - 4);
  SUBCASE("by another program") {
    ConnectionOptions options;
    options.path = path;
    options.writable = true;
    const auto other = Connection::open(options);
    REQUIRE(other.ok());
    REQUIRE((*other)->execute("SELECT count(*) FROM counters").ok());
    REQUIRE((*other)->checkpoint(Checkpoint::kTruncate).ok());
  }
  SUBCASE("by evq, at once") {
    const auto database = killed.open();
    REQUIRE((*database)->checkpoint(Checkpoint::kTruncate).ok());
  }
  SUBCASE("by evq, when it ends") {
    CHECK(commit(**killed.open(), kCommits - 1, false).ok());
  }
  CHECK(std::filesystem::file_size(killed.wal()) == 0);
  std::filesystem::remove(killed.wal());
  const auto database = killed.open();
  REQUIRE(database.ok());
  CHECK((*database)->loss().ok());
  CHECK(has_key(**database, Database::Loss::kRefused, kCommits - 1));
}

TEST_CASE("a file of which only a part is in the database may not be removed") {
  const TempDirectory directory;
  const TempDirectory copy;
  const auto database = Database::open(options_of(directory), dataset_schema());
  REQUIRE(database.ok());
  REQUIRE(commit(**database, 7, false).ok());
  REQUIRE((*database)->checkpoint(Checkpoint::kTruncate).ok());
  REQUIRE(commit(**database, 8, false).ok());
  for (const char* suffix : {"", ".lock"}) {
    std::filesystem::copy_file(directory.path() + "/d.db" + suffix, copy.path() + "/d.db" + suffix);
  }
  const auto again = Database::open(options_of(copy), dataset_schema());
  REQUIRE(again.ok());
  const Status loss = (*again)->loss();
  REQUIRE_FALSE(loss.ok());
  CHECK(loss.error().message.starts_with(copy.path() + "/d.db-wal: removed or emptied while "));
  CHECK((*again)->begin_read().error().code == ErrorCode::kCorrupt);
  CHECK(commit(**again, 9, false).error().code == ErrorCode::kCorrupt);
  CHECK((*again)->checkpoint(Checkpoint::kTruncate).error().code == ErrorCode::kCorrupt);
  CHECK(has_key(**again, Database::Loss::kAccepted, 7));
}

TEST_CASE("a killed process's file that lost its header is told, however much went with it") {
  for (const bool small : {false, true}) {
    const Killed killed(small);
    const std::uint64_t end = killed.end_of(kCommits - 1);
    for (const char filler : {'\0', '#'}) {
      for (const std::uint64_t size : {std::uint64_t{32}, std::uint64_t{56}, std::uint64_t{512},
                                       std::uint64_t{4096}, killed.end_of(1), end}) {
        CAPTURE(size);
        std::string overwritten = killed.wal_bytes();
        killed.put_wal(overwritten.replace(0, size, size, filler));
        CHECK(killed.is_lost());
        const auto database = killed.open();
        CHECK((!database.ok() || !commit(**database, 9, small).ok()));
        CHECK(read_file(killed.wal()) == overwritten);
      }
    }
    killed.put_wal("");
    killed.put_note("");
    const auto database = killed.open();
    REQUIRE(database.ok());
    CHECK(commit(**database, 9, small).ok());
    CHECK(has_key(**database, Database::Loss::kRefused, 9));
  }
}

TEST_CASE("a file whose commits are all in the database may lose its header") {
  for (const bool powersafe : {false, true}) {
    FaultVfs vfs;
    vfs.set_powersafe(powersafe);
    const TempDirectory directory;
    const auto database = Database::open(options_of(directory, vfs.name()), dataset_schema());
    REQUIRE(database.ok());
    for (std::uint64_t i = 0; i < 8 * kCommits; ++i) {
      CAPTURE(i);
      REQUIRE(commit(**database, i, i % 3 != 0).ok());
      const TempDirectory copy;
      const auto take = [&](const char* suffix) {
        std::filesystem::copy_file(directory.path() + "/d.db" + suffix,
                                   copy.path() + "/d.db" + suffix);
      };
      const std::string wal = read_file(directory.path() + "/d.db-wal");
      REQUIRE((*database)->checkpoint(Checkpoint::kPassive).ok());
      take("");
      take(".lock");
      write_file(copy.path() + "/d.db-wal", std::string(512, '\0') + wal.substr(512));
      const auto again = Database::open(options_of(copy), dataset_schema());
      REQUIRE(again.ok());
      CHECK((*again)->loss().ok());
      CHECK(has_key(**again, Database::Loss::kRefused, i));
    }
  }
}

// What it says is after a power cut, when the header may be a new one that was torn.
TEST_CASE("a killed process's file whose header was overwritten is told") {
  const Killed killed;
  // Among them what the last byte of the salt's first half is in the next header, and the second
  // byte of the largest number.
  const char next = static_cast<char>(killed.wal_bytes()[19] + 1);
  for (const char filler : {'\0', '\1', '\x10', '#', '\xff', next}) {
    for (std::uint64_t at = 0; at < kWalHeaderBytes; ++at) {
      for (std::uint64_t size = 1; size <= kWalHeaderBytes - at; ++size) {
        CAPTURE(at);
        CAPTURE(size);
        std::string overwritten = killed.wal_bytes();
        overwritten.replace(at, size, size, filler);
        killed.put_back();
        killed.put_note_of_earlier_run();
        killed.put_wal(overwritten);
        CHECK(killed.is_lost() != may_be_torn(overwritten, killed.wal_bytes()));
      }
    }
  }
}

TEST_CASE("where fewer frames than there are were noted, later commits show that one was damaged") {
  for (const bool small : {false, true}) {
    const Killed killed(small);
    for (const bool noted : {false, true}) {
      for (std::uint64_t number = 1; number + 3 < kCommits; ++number) {
        noted ? killed.put_note_before(number) : killed.put_note("");
        for (std::uint64_t at = killed.end_of(number - 1) + 5; at < killed.end_of(number);
             at += 1024) {
          CAPTURE(at);
          killed.put_wal(killed.flipped(at));
          CHECK(killed.is_lost());
        }
      }
    }
  }
}

TEST_CASE("what is left can be read and is not written to, and the rest can be given up") {
  const Killed killed;
  const std::string damaged = killed.flipped(killed.end_of(2) + 4000);
  killed.put_wal(damaged);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto database = killed.open();
    REQUIRE(database.ok());
    CHECK_FALSE((*database)->begin_read().ok());
    CHECK(has_key(**database, Database::Loss::kAccepted, 2));
    CHECK(commit(**database, 9, false).error().code == ErrorCode::kCorrupt);
    CHECK((*database)->checkpoint(Checkpoint::kTruncate).error().code == ErrorCode::kCorrupt);
    CHECK((*database)->resync().error().code == ErrorCode::kCorrupt);
  }
  CHECK(read_file(killed.wal()) == damaged);
  killed.put_wal(damaged.substr(0, killed.end_of(2)));
  killed.put_note("");
  const auto database = killed.open();
  REQUIRE(database.ok());
  CHECK(has_key(**database, Database::Loss::kRefused, 2));
  CHECK(commit(**database, 9, false).ok());
  CHECK_FALSE(killed.is_lost());
}

TEST_CASE("a last commit that was torn is no loss") {
  for (const bool small : {false, true}) {
    const Killed killed(small);
    for (const bool noted : {false, true}) {
      noted ? killed.put_note_before(kCommits - 1) : killed.put_note("");
      for (std::uint64_t at = killed.end_of(kCommits - 2); at < killed.end_of(kCommits - 1);
           at += 500) {
        killed.put_wal(killed.flipped(at));
        CHECK_FALSE(killed.is_lost());
        killed.put_wal(killed.wal_bytes().substr(0, at));
        CHECK_FALSE(killed.is_lost());
      }
    }
    killed.put_wal(killed.flipped(killed.end_of(kCommits - 2) + 100));
    // Another one in its place, and what is left of it behind.
    const auto database = killed.open();
    REQUIRE(database.ok());
    CHECK(commit(**database, 9, true).ok());
    CHECK_FALSE(killed.is_lost());
  }
}

// Its last frame is there again up to the end of a sector, and the rest of that is not synced.
TEST_CASE("what fills a sector behind a commit may be torn when the next one is") {
  FaultVfs vfs;
  const Killed killed(false, vfs.name());
  const auto frames = (killed.wal_bytes().size() - kWalHeaderBytes) / kFrameBytes;
  REQUIRE(killed.wal_bytes().size() == kWalHeaderBytes + frames * kFrameBytes);
  for (const bool noted : {false, true}) {
    noted ? killed.put_note_before(kCommits - 1) : killed.put_note("");
    killed.put_wal(killed.flipped(killed.end_of(kCommits - 2) - 100));
    CHECK_FALSE(killed.is_lost());
  }
}

TEST_CASE("what an older generation of the file has left is nothing") {
  const TempDirectory directory;
  const auto database = Database::open(options_of(directory), dataset_schema());
  REQUIRE(database.ok());
  const auto is_lost = [&] {
    const auto other = Database::open(options_of(directory), dataset_schema());
    return !other.ok() || !(*other)->loss().ok();
  };
  for (std::uint64_t i = 0; i < kCommits; ++i) {
    const std::string note = read_file(directory.path() + "/d.db.lock");
    REQUIRE(commit(**database, i, i > 3).ok());
    CHECK_FALSE(is_lost());
    write_file(directory.path() + "/d.db.lock", note);
    CHECK_FALSE(is_lost());
    if (i == 3) {
      REQUIRE((*database)
                  ->checkpoint(Checkpoint::kPassive)
                  .ok());  // the next commit starts the file anew
      CHECK_FALSE(is_lost());
    }
  }
  REQUIRE((*database)->checkpoint(Checkpoint::kTruncate).ok());
  CHECK_FALSE(is_lost());
}

TEST_CASE("an older generation of the file put back in its place is told") {
  const TempDirectory directory;
  {
    const auto database = Database::open(options_of(directory), dataset_schema());
    REQUIRE(database.ok());
    std::vector<std::string> generations;
    for (std::uint64_t i = 0; i < 3; ++i) {
      REQUIRE(commit(**database, i, false).ok());
      generations.push_back(read_file(directory.path() + "/d.db-wal"));
      REQUIRE((*database)->checkpoint(Checkpoint::kPassive).ok());
    }
    REQUIRE(commit(**database, 3, false).ok());
    for (const std::string& older : generations) {
      const TempDirectory copy;
      for (const char* suffix : {"", ".lock"}) {
        std::filesystem::copy_file(directory.path() + "/d.db" + suffix,
                                   copy.path() + "/d.db" + suffix);
      }
      write_file(copy.path() + "/d.db-wal", older);
      const auto again = Database::open(options_of(copy), dataset_schema());
      CHECK((!again.ok() || (*again)->loss().error().code == ErrorCode::kCorrupt));
    }
  }
}

// By the process that began the file, or by another that counts its generations for itself.
TEST_CASE("a new header that is torn is no loss") {
  for (const bool by_another : {false, true}) {
    const TempDirectory directory;
    const TempDirectory copy;
    const auto database = Database::open(options_of(directory), dataset_schema());
    REQUIRE(database.ok());
    std::vector<std::string> notes;
    for (std::uint64_t i = 0; i < 3 * kCommits; ++i) {
      REQUIRE(commit(**database, i, false).ok());
      if (i % kCommits == kCommits - 1) {
        notes.push_back(of_earlier_run(read_file(directory.path() + "/d.db.lock")));
        REQUIRE((*database)->checkpoint(Checkpoint::kPassive).ok());
      }
    }
    // Only a power cut tears it, and leaves any note that was made before.
    notes.push_back(read_file(directory.path() + "/d.db.lock"));
    std::filesystem::copy_file(directory.path() + "/d.db", copy.path() + "/d.db");
    const std::string old = read_file(directory.path() + "/d.db-wal");
    const auto another = Database::open(options_of(directory), dataset_schema());
    REQUIRE(another.ok());
    REQUIRE(commit(by_another ? **another : **database, 99, false).ok());
    const std::string next = read_file(directory.path() + "/d.db-wal");
    REQUIRE(next.substr(0, kWalHeaderBytes) != old.substr(0, kWalHeaderBytes));
    for (const std::string& note : notes) {
      write_file(copy.path() + "/d.db.lock", note);
      for (std::size_t size = 0; size <= kWalHeaderBytes; ++size) {
        CAPTURE(size);
        std::filesystem::remove(copy.path() + "/d.db-shm");
        write_file(copy.path() + "/d.db-wal", next.substr(0, size) + old.substr(size));
        const auto torn = Database::open(options_of(copy), dataset_schema());
        REQUIRE(torn.ok());
        CHECK((*torn)->loss().ok());
        CHECK(has_key(**torn, Database::Loss::kRefused, 3 * kCommits - 1));
      }
    }
  }
}

TEST_CASE("a note that is damaged says nothing") {
  WalReach reach;
  reach.frames = 7;
  reach.header[3] = 9;
  const WalReachText text = encode_reach(reach);
  CHECK(decode_reach({text.data(), text.size()}) == reach);
  CHECK_FALSE(decode_reach({text.data(), text.size() - 1}).has_value());
  CHECK_FALSE(decode_reach("").has_value());
  for (std::size_t at = 0; at < text.size(); ++at) {
    WalReachText changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_FALSE(decode_reach({changed.data(), changed.size()}).has_value());
  }
}

}  // namespace
}  // namespace evq
