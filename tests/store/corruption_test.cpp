// Damage at rest: whatever byte of a store's file changes, an answer is right or an error that
// names the file, `check` says that something is wrong whenever an answer would be, and nothing
// crashes or hangs. EVQ_DAMAGE_SEED repeats a run, EVQ_DAMAGE_ROUNDS makes it longer.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/block/block_filter.h"
#include "tests/support/environment_number.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Every definition as text.
Result<std::string> read_definitions(Definitions& definitions) {
  std::string all;
  EVQ_TRY_ASSIGN(const std::vector<DatasetDefinition> datasets, definitions.datasets());
  for (const DatasetDefinition& dataset : datasets) {
    all += dataset.name + " " + dataset.description + "\n";
  }
  for (const char* name : {"plain", "absent"}) {
    EVQ_TRY_ASSIGN(const std::optional<std::string> value, definitions.setting(name));
    all += value.value_or("none") + "\n";
  }
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> objects,
                 definitions.objects(ObjectKind::kSavedQuery, ""));
  for (const StoredObject& object : objects) {
    all += object.id + " " + object.body + "\n";
  }
  EVQ_TRY_ASSIGN(const std::vector<TokenRecord> tokens, definitions.tokens().list());
  for (const TokenRecord& token : tokens) {
    all += token.id + " " + token.capabilities + "\n";
  }
  return all;
}

// Every definition and event as text, or the error that stood in the way.
Result<std::string> read_everything(Store& store) {
  EVQ_TRY_ASSIGN(std::string all, read_definitions(store.definitions()));
  EVQ_TRY_ASSIGN(const Snapshot snapshot, store.snapshot("d"));
  for (const Field& field : snapshot.schema().fields()) {
    all += field.name + ":" + std::string(type_name(field.type)) + "\n";
  }
  for (const SnapshotBlock& info : snapshot.blocks()) {
    EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(info));
    for (const char* id : {"key 16 is a square", "key 17 is a square"}) {
      const auto equal = BlockTest::compare("id", CompareOp::kEqual, Value::string(id));
      EVQ_TRY_ASSIGN(const bool may_match, block.may_match(equal));
      all += may_match ? "may have it\n" : "lacks it\n";
    }
    for (const Field& field : snapshot.schema().fields()) {
      EVQ_TRY_ASSIGN(const Vector column, block.column(field.name));
      for (std::size_t i = 0; i < info.rows; ++i) {
        all += column.value(i).to_text() + "\n";
      }
    }
    EVQ_TRY_ASSIGN(const Vector ordinals, block.ordinals());
    for (std::size_t i = 0; i < info.rows; ++i) {
      all += ordinals.value(i).to_text() + "\n";
    }
  }
  return all;
}

void make_store(const std::string& directory) {
  auto store = open_store(directory, 200);
  std::string text;
  for (int i = 0; i < 900; ++i) {
    text += "{\"_time\":" + std::to_string(1'600'000'000 + i * 37 % 100) +
            ",\"n\":" + std::to_string(i * i) + ",\"s\":\"value " + std::to_string(i % 50) +
            "\",\"r\":" + std::to_string(i) + ".25,\"id\":\"key " + std::to_string(i * i) +
            " is a square\",\"b\":" + (i % 3 == 0 ? "true" : "null") + "}\n";
  }
  REQUIRE(load(*store, "d", text, false).ok());
  REQUIRE(load(*store, "d", "{\"_time\":5,\"s\":\"late\",\"list\":[1,\"two\"]}").ok());
  Definitions& definitions = store->definitions();
  REQUIRE(definitions.put_setting("plain", "value").ok());
  for (int i = 0; i < 40; ++i) {
    StoredObject object;
    object.id = "object " + std::to_string(i);
    object.body = std::string(200, static_cast<char>('a' + i % 26));
    REQUIRE(definitions.put_object(object).ok());
    TokenRecord token;
    token.id = "token " + std::to_string(i);
    token.digest = token.id + std::string(20, 'd');
    token.capabilities = "{}";
    REQUIRE(definitions.tokens().put(token).ok());
    if (i % 3 == 0) {  // their bytes stay behind in free space
      REQUIRE(definitions.tokens().remove(token.id).ok());
      REQUIRE(definitions.remove_object(ObjectKind::kSavedQuery, object.id, {}).ok());
    }
  }
}

struct Damaged {
  std::string what;
  std::string bytes;
};

Damaged damage(const std::string& good, std::mt19937_64& random) {
  Damaged out{"", good};
  const std::size_t at = random() % good.size();
  switch (random() % 6) {
    case 0:
      out.bytes.resize(at);
      out.what = "cut at " + std::to_string(at);
      break;
    case 1: {
      const std::size_t size = std::min<std::size_t>(good.size() - at, 1 + random() % 512);
      std::fill_n(out.bytes.begin() + static_cast<std::ptrdiff_t>(at), size, '\0');
      out.what = "zeros at " + std::to_string(at);
      break;
    }
    case 2: {
      const std::size_t pages = good.size() / 4096;
      const std::size_t a = random() % pages;
      const std::size_t b = random() % pages;
      out.bytes.replace(a * 4096, 4096, good, b * 4096, 4096);
      out.what = "page " + std::to_string(b) + " over " + std::to_string(a);
      break;
    }
    case 3: {
      const std::size_t size = 1 + random() % 8192;
      const std::size_t a = random() % (good.size() / 2 - size);
      const std::size_t b = good.size() / 2 + random() % (good.size() / 2 - size);
      out.bytes.replace(a, size, good, b, size);
      out.bytes.replace(b, size, good, a, size);
      out.what = std::to_string(size) + " bytes at " + std::to_string(a) + " and " +
                 std::to_string(b) + " exchanged";
      break;
    }
    default: {
      const auto bit = static_cast<unsigned>(random() % 8);
      out.bytes[at] = static_cast<char>(static_cast<unsigned char>(good[at]) ^ (1U << bit));
      out.what = "bit at " + std::to_string(at);
      break;
    }
  }
  return out;
}

// Opens the damaged store; true when it gave the right answer.
bool answers_rightly(const std::string& directory, const std::string& right,
                     const std::string& file) {
  auto store = open_store(directory, 200);
  const Result<std::string> now = read_everything(*store);
  QueryControl control;
  const auto report = store->check(control);
  REQUIRE(report.ok());
  if (now.ok()) {
    CHECK(*now == right);
    return true;
  }
  CHECK(now.error().message.find(file) != std::string::npos);
  CHECK_FALSE(report->problems.empty());
  return false;
}

TEST_CASE("a damaged file gives the right answer or an error that names it") {
  const std::uint64_t seed = number_from("EVQ_DAMAGE_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("EVQ_DAMAGE_ROUNDS", 150);
  MESSAGE("EVQ_DAMAGE_SEED=" << seed);
  std::mt19937_64 random(seed);
  const TempDirectory directory;
  make_store(directory.path());
  std::string right;
  {
    auto store = open_store(directory.path(), 200);
    auto read = read_everything(*store);
    REQUIRE(read.ok());
    right = *read;
  }
  for (const std::string file : {"datasets/1.db", "catalog.db"}) {
    const std::string path = directory.path() + "/" + file;
    const std::string good = read_file(path);
    std::uint64_t noticed = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const Damaged damaged = damage(good, random);
      CAPTURE(file);
      CAPTURE(damaged.what);
      std::filesystem::remove(path + "-shm");
      std::filesystem::remove(path + "-wal");
      write_file(path, damaged.bytes);
      noticed += answers_rightly(directory.path(), right, ".db") ? 0U : 1U;
    }
    CHECK(noticed > 0);
    std::filesystem::remove(path + "-shm");
    std::filesystem::remove(path + "-wal");
    write_file(path, good);
    CHECK(answers_rightly(directory.path(), right, file));
  }
}

// The files as a process leaves them that is killed.
void make_killed_store(const std::string& directory) {
  const TempDirectory alive;
  make_store(alive.path());
  auto store = open_store(alive.path(), 200);
  for (int i = 0; i < 8; ++i) {
    REQUIRE(load(*store, "d", numbered_events(i * 100, 1 + i * 40, 0, 1), false).ok());
    REQUIRE(store->definitions().put_setting("plain", std::to_string(i)).ok());
  }
  constexpr auto kWhole = std::filesystem::copy_options::recursive;
  std::filesystem::copy(alive.path(), directory, kWhole);
}

// Not what takes the header with the first frame's, which looks like an emptied file, nor what
// changes its number alone, which may be a new one that is torn.
Damaged damage_wal(const std::string& good, std::mt19937_64& random) {
  constexpr std::size_t kHeaderBytes = 32;
  constexpr std::size_t kNumberAt = 12;
  constexpr std::size_t kSaltBytes = 8;
  constexpr std::size_t kSaltAt = kHeaderBytes + 8;
  Damaged damaged = damage(good, random);
  const bool cut = damaged.bytes.size() < kSaltAt + kSaltBytes;
  const auto same = [&](std::size_t at) {
    return damaged.bytes.compare(at, kSaltBytes, good, at, kSaltBytes) == 0;
  };
  if (cut || !same(kSaltAt) || !same(kNumberAt)) {
    do {
      damaged = damage(good.substr(kHeaderBytes), random);
    } while (damaged.bytes.empty());
    damaged.what += " behind the header";
    damaged.bytes.insert(0, good, 0, kHeaderBytes);
  }
  return damaged;
}

TEST_CASE("a damaged file that a killed process has left gives the right answer or an error") {
  const std::uint64_t seed = number_from("EVQ_DAMAGE_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("EVQ_DAMAGE_ROUNDS", 150);
  MESSAGE("EVQ_DAMAGE_SEED=" << seed);
  std::mt19937_64 random(seed);
  const TempDirectory killed;
  make_killed_store(killed.path());
  for (const std::string file : {"datasets/1.db-wal", "catalog.db-wal"}) {
    const std::string good = read_file(killed.path() + "/" + file);
    std::string right;
    std::uint64_t noticed = 0;
    for (std::uint64_t round = 0; round <= rounds; ++round) {
      const TempDirectory directory;
      std::filesystem::copy(killed.path(), directory.path(),
                            std::filesystem::copy_options::recursive);
      const Damaged damaged = round == 0 ? Damaged{"none", good} : damage_wal(good, random);
      CAPTURE(file);
      CAPTURE(damaged.what);
      const std::string path = directory.path() + "/" + file;
      std::filesystem::remove(path.substr(0, path.size() - 3) + "shm");
      write_file(path, damaged.bytes);
      if (round == 0) {
        auto store = open_store(directory.path(), 200);
        auto read = read_everything(*store);
        REQUIRE(read.ok());
        right = *read;
      } else {
        noticed += answers_rightly(directory.path(), right, file) ? 0U : 1U;
      }
    }
    CHECK(noticed > 0);
  }
}

TEST_CASE("what is left of a damaged file that a killed process has left can be read") {
  const TempDirectory directory;
  make_killed_store(directory.path());
  const std::string path = directory.path() + "/datasets/1.db-wal";
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::filesystem::remove(directory.path() + "/datasets/1.db-shm");
  write_file(path, bytes);
  auto store = open_store(directory.path(), 200);
  CHECK(store->snapshot("d").error().code == ErrorCode::kCorrupt);
  CHECK(load(*store, "d", "{\"n\":1}").error().code == ErrorCode::kCorrupt);
  CHECK(load(*store, "other", "{\"n\":1}").ok());
  const QueryControl control;
  std::vector<std::string> problems;
  const auto sound =
      store->sound_snapshot("d",
                            SoundRange{std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max(), control},
                            &problems);
  REQUIRE(sound.ok());
  CHECK(sound->rows() >= 901);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find(path + ": damaged behind byte ") != std::string::npos);
  QueryControl checking;
  const auto report = store->check(checking);
  REQUIRE(report.ok());
  REQUIRE(report->problems.size() == 1);
  CHECK(report->problems[0].file == "datasets/1.db-wal");
  CHECK(problems[0] == directory.path() + "/datasets/1.db-wal: " + report->problems[0].message);
}

TEST_CASE("a file of another store or a missing one is noticed") {
  const TempDirectory one;
  const TempDirectory two;
  make_store(one.path());
  make_store(two.path());
  const std::string path = one.path() + "/datasets/1.db";
  std::filesystem::remove(path);
  {
    auto store = open_store(one.path(), 200);
    const auto read = read_everything(*store);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::kCorrupt);
    CHECK(read.error().message.find("datasets/1.db") != std::string::npos);
  }
  std::filesystem::copy_file(two.path() + "/datasets/1.db", path);
  auto store = open_store(one.path(), 200);
  const auto read = read_everything(*store);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace evq
