// A disk without one free byte: loads are refused and say why, queries and checks go on, deletes
// work by way of the reserve and make room for the next load.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/base/limits.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

constexpr std::uint32_t kDiskBlockRows = 16;

// Every block that holds an event numbered `from` or higher.
class NumbersFrom final : public RowFilter {
 public:
  explicit NumbersFrom(std::int64_t from) : from_(from) {}
  bool may_match(const SnapshotBlock& /*block*/) const override { return true; }
  Result<BlockMatch> match(StoredBlock& block) const override {
    EVQ_TRY_ASSIGN(const Vector numbers, block.column("n"));
    BlockMatch match;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      match.rows += numbers.at<std::int64_t>(i) >= from_ ? 1U : 0U;
    }
    return match;
  }

 private:
  std::int64_t from_;
};

class FullDisk {
 public:
  FullDisk() {
    options_.directory = directory_.path();
    options_.block_rows = kDiskBlockRows;
    options_.vfs = vfs_.name();
    reopen();
    for (int i = 0; i < 20; ++i) {
      REQUIRE(load(*store_, "d", numbered_events(i * 100, 100, 0, 1)).ok());
    }
    TokenRecord token;
    token.id = "t";
    token.digest = std::string(32, '.');
    REQUIRE(store_->definitions().tokens().put(token).ok());
    StoredObject object;
    object.id = "o";
    REQUIRE(store_->definitions().put_object(object).ok());
  }

  void reopen() {
    store_.reset();
    auto store = Store::open(options_);
    REQUIRE(store.ok());
    store_ = std::move(store).value();
  }
  // With empty write-ahead files, since what is in their place already is room.
  void fill() {
    reopen();
    limit();
  }
  void limit() { vfs_.limit_room(directory_.path()); }
  void empty() { vfs_.unlimit_room(); }

  Result<RemoveReport> remove_from(std::int64_t number) {
    QueryControl control;
    return store_->remove("d", NumbersFrom(number), Removal::kCommit, control);
  }
  std::size_t rows() { return read_rows(*store_, "d", "n").size(); }
  bool sound() {
    QueryControl control;
    const auto report = store_->check(control);
    return report.ok() && report->problems.empty();
  }
  std::string reserve() const { return directory_.path() + "/reserve"; }
  Store& store() { return *store_; }

 private:
  FaultVfs vfs_;
  TempDirectory directory_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

bool file_system_reserves() {
  const TempDirectory directory;
  auto file = File::open_read_write(directory.path() + "/f");
  REQUIRE(file.ok());
  const bool reserves = file->reserve_room(4096).ok();
  if (!reserves) {
    MESSAGE("SKIPPED: the file system of " << directory.path() << " cannot keep room for a file");
  }
  return reserves;
}

TEST_CASE("loads on a full disk are refused whole, and go on when there is room") {
  FullDisk disk;
  disk.fill();
  const auto refused = load(disk.store(), "d", numbered_events(5000, 1, 0, 1));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kDiskFull);
  CHECK(load(disk.store(), "other", "{\"n\":1}\n").error().code == ErrorCode::kDiskFull);
  CHECK(disk.rows() == 2000);
  CHECK(disk.sound());
  disk.empty();
  CHECK(load(disk.store(), "d", numbered_events(5000, 1, 0, 1)).ok());
  CHECK(load(disk.store(), "other", "{\"n\":1}\n").ok());
  CHECK(disk.rows() == 2001);
}

TEST_CASE("deletes work on a full disk, one after the other") {
  if (!file_system_reserves()) {
    return;
  }
  FullDisk disk;
  CHECK(disk_bytes_of(disk.reserve()) >= kDiskReserveFileBytes);
  disk.fill();
  std::size_t rows = disk.rows();
  for (std::int64_t number = 1900; number >= 0; number -= 100) {
    CAPTURE(number);
    const auto removed = disk.remove_from(number);
    REQUIRE(removed.ok());
    CHECK(removed->rows_deleted > 100 - kDiskBlockRows);
    CHECK(disk.rows() == rows - removed->rows_deleted);
    rows = disk.rows();
    const auto stats = disk.store().stats("d");
    REQUIRE(stats.ok());
    CHECK(stats->queued_blocks == 0);
  }
  CHECK(rows == 0);
  disk.reopen();
  CHECK(disk.sound());
  CHECK(disk_bytes_of(disk.reserve()) >= kDiskReserveFileBytes);
}

TEST_CASE("a delete on a full disk gives its bytes back, and the next load fits") {
  if (!file_system_reserves()) {
    return;
  }
  FullDisk disk;
  disk.fill();
  const auto before = disk.store().stats("d");
  REQUIRE(before.ok());
  REQUIRE(disk.remove_from(200).ok());
  const auto after = disk.store().stats("d");
  REQUIRE(after.ok());
  CHECK(after->rows <= 200);
  CHECK(after->rows > 200 - kDiskBlockRows);
  CHECK(after->file_bytes < before->file_bytes);
  CHECK(load(disk.store(), "d", numbered_events(5000, 3, 0, 1)).ok());
  CHECK(disk.rows() == after->rows + 3);
  CHECK(disk.sound());
}

TEST_CASE("datasets, tokens and objects can be removed on a full disk") {
  if (!file_system_reserves()) {
    return;
  }
  FullDisk disk;
  disk.fill();
  CHECK(disk.store().definitions().tokens().remove("t").value());
  disk.reopen();
  CHECK(disk.store().definitions().remove_object(ObjectKind::kSavedQuery, "o", {}).value());
  disk.reopen();
  CHECK(disk.store().drop_dataset("d").ok());
  CHECK(disk.store().snapshot("d").error().code == ErrorCode::kNotFound);
  disk.reopen();
  CHECK(disk.sound());
  CHECK_FALSE(disk.store().definitions().tokens().remove("t").value());
}

TEST_CASE("retention works on a full disk") {
  if (!file_system_reserves()) {
    return;
  }
  FullDisk disk;
  disk.fill();
  QueryControl control;
  const auto removed = disk.store().trim("d", kReceipt, control);
  REQUIRE(removed.ok());
  CHECK(*removed == 2000);
  CHECK(disk.store().stats("d")->queued_blocks == 0);
  CHECK(disk.sound());
}

TEST_CASE("without the reserve a delete on a full disk fails and changes nothing") {
  FullDisk disk;
  disk.fill();
  static_cast<void>(remove_file(disk.reserve()));
  disk.limit();
  const auto removed = disk.remove_from(0);
  REQUIRE_FALSE(removed.ok());
  CHECK(removed.error().code == ErrorCode::kDiskFull);
  CHECK(disk.rows() == 2000);
  CHECK(disk.sound());
}

}  // namespace
}  // namespace evq
