#include "store/base/descriptor_room.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

constexpr std::size_t kWanted = 16;

// A process of which a test says what it has open, and that counts how often it is asked.
class FakeProcess {
 public:
  FakeProcess(std::size_t limit, std::size_t open_first)
      : open(open_first),
        room({[limit] { return limit; },
              [this] {
                ++counts;
                return open;
              },
              [this] { return now_ns; }}) {}
  FakeProcess(const FakeProcess&) = delete;
  FakeProcess& operator=(const FakeProcess&) = delete;

  // Opens files while there is room, each with as many descriptors as it may take.
  std::size_t open_files(std::size_t files_max) {
    std::size_t files = 0;
    while (files < files_max && room.take(kWanted)) {
      open += kWanted;
      ++files;
    }
    return files;
  }

  std::size_t open;
  std::size_t counts = 0;
  std::int64_t now_ns = 0;
  DescriptorRoom room;
};

TEST_CASE("a thousand files are opened with a few counts, and none without room") {
  FakeProcess process(20'000, 100);
  CHECK(process.open_files(1000) == 1000);
  CHECK(process.counts <= 8);
  CHECK(process.open_files(1000) == 88);
  CHECK(process.open == 100 + 1088 * kWanted);
  CHECK(process.open < 20'000);
  CHECK(process.counts <= 20);
}

TEST_CASE("where there is no room each call counts") {
  FakeProcess process(800, 700);
  CHECK(!process.room.take(kWanted));
  CHECK(!process.room.take(kWanted));
  CHECK(process.counts == 2);
  process.open = 699;
  CHECK(process.room.take(kWanted));
  CHECK(process.counts == 3);
}

TEST_CASE("a count holds for a short time, so that what others open shows") {
  FakeProcess process(20'000, 100);
  CHECK(process.room.take(kWanted));
  process.open = 20'000;
  CHECK(process.room.take(kWanted));
  CHECK(process.counts == 1);
  process.now_ns += kDescriptorCountNs;
  CHECK(!process.room.take(kWanted));
  CHECK(process.counts == 2);
}

}  // namespace
}  // namespace evq
