// Backups of a store on a disk, or with memory, that fails: a whole copy, or an error and nothing.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/store.h"
#include "tests/support/fault_heap.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

constexpr std::uint32_t kCopiedBlockRows = 50;
constexpr std::size_t kRows = 130;

class CopiedStore {
 public:
  CopiedStore() {
    auto store = open_store(path(), kCopiedBlockRows);
    REQUIRE(load(*store, "d", numbered_events(0, kRows, 0, 1)).ok());
    REQUIRE(load(*store, "e", numbered_events(0, 3, 0, 1)).ok());
  }
  std::string path() const { return directory_.path() + "/store"; }
  std::string copy() const { return directory_.path() + "/copy"; }

  // What becomes of one backup while `arm` makes something fail.
  Status back_up(const std::function<void()>& arm, const std::function<void()>& heal) const {
    Status done;
    {
      auto store = open_store(path(), kCopiedBlockRows);
      QueryControl control;
      arm();
      try {
        if (auto report = store->back_up(copy(), nullptr, control); !report.ok()) {
          done = std::move(report).take_error();
        }
      } catch (const std::bad_alloc&) {
        heal();
        done = make_error(ErrorCode::kLimit, "no memory");
      }
      heal();
    }
    return done;
  }
  // That there is a whole copy where it was said, else nothing; removes it. With `may_stay` there
  // may be one all the same, or an unfinished one under the name of those.
  void check(const Status& done, bool may_stay = false) const {
    auto names = list_directory(directory_.path());
    REQUIRE(names.ok());
    std::erase_if(*names, [&](const std::string& name) {
      const bool unfinished = may_stay && name.starts_with("copy.partial-");
      return unfinished && std::filesystem::remove_all(directory_.path() + "/" + name) > 0;
    });
    const bool copied = std::erase(*names, "copy") > 0;
    CHECK(*names == std::vector<std::string>{"store"});
    CHECK((copied == done.ok() || (copied && may_stay)));
    if (copied) {
      names->push_back("copy");
    }
    for (const std::string& name : *names) {
      auto store = open_store(directory_.path() + "/" + name, kCopiedBlockRows);
      CHECK(read_rows(*store, "d", "n").size() == kRows);
      CHECK(read_rows(*store, "e", "n").size() == 3);
      QueryControl control;
      const auto report = store->check(control);
      REQUIRE(report.ok());
      CHECK(report->problems.empty());
    }
    std::filesystem::remove_all(copy());
  }

 private:
  TempDirectory directory_;
};

TEST_CASE("any call of a backup that fails, once or for good, leaves a whole copy or none") {
  FaultVfs disk(true);
  const CopiedStore store;
  std::uint64_t calls = 0;
  store.check(store.back_up([&] { disk.heal(); }, [&] { calls = disk.calls(); }));
  REQUIRE(calls > 0);
  int failures = 0;
  for (std::uint64_t call = 0; call < calls; ++call) {
    for (const bool for_good : {false, true}) {
      CAPTURE(call);
      CAPTURE(for_good);
      const Status done = store.back_up([&] { disk.fail_at(call, FaultVfs::Fault::kIo, for_good); },
                                        [&] { disk.heal(); });
      failures += done.ok() ? 0 : 1;
      store.check(done);
    }
  }
  CHECK(failures > 0);
}

TEST_CASE("a backup to a full disk leaves nothing") {
  FaultVfs disk(true);
  const CopiedStore store;
  std::uint64_t writes = 0;
  store.check(store.back_up([&] { disk.heal(); }, [&] { writes = disk.writes(); }));
  REQUIRE(writes > 0);
  for (std::uint64_t write = 0; write < writes; ++write) {
    CAPTURE(write);
    const Status done = store.back_up([&] { disk.fail_at(write, FaultVfs::Fault::kFull, true); },
                                      [&] { disk.heal(); });
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().code == ErrorCode::kDiskFull);
    store.check(done);
  }
}

TEST_CASE("any allocation of a backup that fails leaves a whole copy or none") {
  const CopiedStore store;
  std::uint64_t made = 0;
  store.check(store.back_up([] { FaultHeap::count(); },
                            [&] {
                              made = FaultHeap::allocations();
                              FaultHeap::heal();
                            }));
  REQUIRE(made > 0);
  for (std::uint64_t allocation = 0; allocation < made; ++allocation) {
    for (const bool for_good : {false, true}) {
      CAPTURE(allocation);
      CAPTURE(for_good);
      store.check(store.back_up([&] { FaultHeap::fail_at(allocation, for_good); },
                                [] { FaultHeap::heal(); }),
                  for_good);
    }
  }
}

}  // namespace
}  // namespace evq
