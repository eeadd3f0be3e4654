// The line in which writers wait: what is one group, what runs beside what, and who comes back.
#include "store/group_commit.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/comes_true.h"

namespace evq {
namespace {

// A line whose stations note how large the groups are; the first commit waits until it is let go.
class HeldLine {
 public:
  HeldLine() : line_([this](const GroupCommit::Group& group) { return prepare(group.size()); }) {}
  ~HeldLine() {
    held.store(false);
    for (std::thread& writer : writers_) {
      writer.join();
    }
  }
  HeldLine(const HeldLine&) = delete;
  HeldLine& operator=(const HeldLine&) = delete;

  bool run(GroupCommit::Member* member) { return line_.run(member); }
  // One more writer, with a thread of its own.
  void write(std::uint64_t rows) {
    writers_.emplace_back([this, rows] {
      GroupCommit::Member member(rows);
      line_.run(&member);
      returned.fetch_add(1);
    });
  }

  std::atomic<bool> held{true};
  std::atomic<int> returned{0};
  std::atomic<std::size_t> groups_prepared{0};
  std::atomic<std::size_t> groups_committed{0};
  std::atomic<std::size_t> members_prepared{0};

 private:
  GroupCommit::Commit prepare(std::size_t members) {
    members_prepared.fetch_add(members);
    groups_prepared.fetch_add(1);
    return [this] {
      groups_committed.fetch_add(1);
      while (held.load()) {
        std::this_thread::yield();
      }
    };
  }

  GroupCommit line_;
  std::vector<std::thread> writers_;
};

TEST_CASE("a group is prepared while the one before it is committed, and nobody returns early") {
  HeldLine line;
  line.write(10);
  REQUIRE(comes_true([&] { return line.groups_committed.load() == 1; }));
  line.write(10);
  CHECK(comes_true([&] { return line.groups_prepared.load() == 2; }));
  CHECK(line.groups_committed.load() == 1);
  CHECK(line.returned.load() == 0);
  line.held.store(false);
  CHECK(comes_true([&] { return line.returned.load() == 2; }));
  CHECK(line.groups_committed.load() == 2);
}

TEST_CASE("beside a commit a group waits until it has as many rows") {
  HeldLine line;
  line.write(10);
  REQUIRE(comes_true([&] { return line.groups_committed.load() == 1; }));
  for (const std::uint64_t rows : {4U, 5U, 1U}) {  // the last to come makes it up
    CHECK(line.groups_prepared.load() == 1);
    line.write(rows);
  }
  REQUIRE(comes_true([&] { return line.groups_prepared.load() == 2; }));
  CHECK(line.members_prepared.load() == 4);
}

TEST_CASE("a group that is too small to be prepared beside a commit comes after it") {
  HeldLine line;
  line.write(10);
  REQUIRE(comes_true([&] { return line.groups_committed.load() == 1; }));
  line.write(4);
  line.write(5);
  line.held.store(false);
  CHECK(comes_true([&] { return line.returned.load() == 3; }));
}

TEST_CASE("who gives up before it is taken leaves the line, and the others go on") {
  struct Impatient : GroupCommit::Member {
    explicit Impatient(const std::atomic<bool>& told) : Member(4), enough(told) {}
    bool gives_up() const override { return enough.load(); }
    const std::atomic<bool>& enough;
  };
  HeldLine line;
  line.write(10);
  REQUIRE(comes_true([&] { return line.groups_committed.load() == 1; }));
  std::atomic<bool> enough{false};
  std::atomic<int> left{0};
  std::vector<std::thread> impatient;
  for (int i = 0; i < 2; ++i) {
    impatient.emplace_back([&] {
      Impatient member(enough);
      left.fetch_add(line.run(&member) ? 0 : 1);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  line.write(1);
  CHECK(left.load() == 0);
  enough.store(true);
  for (std::thread& thread : impatient) {
    thread.join();
  }
  CHECK(left.load() == 2);
  line.held.store(false);
  CHECK(comes_true([&] { return line.returned.load() == 2; }));
  CHECK(line.members_prepared.load() == 2);
}

TEST_CASE("who has no memory to say whether it gives up leaves the line, and the others go on") {
  struct Forgetful : GroupCommit::Member {
    Forgetful() : Member(4) {}
    bool gives_up() const override { throw std::bad_alloc(); }
  };
  HeldLine line;
  line.write(10);
  REQUIRE(comes_true([&] { return line.groups_committed.load() == 1; }));
  Forgetful member;
  CHECK_FALSE(line.run(&member));
  line.write(1);
  line.held.store(false);
  CHECK(comes_true([&] { return line.returned.load() == 2; }));
  CHECK(line.members_prepared.load() == 2);
}

TEST_CASE("no more than two groups hold what they prepared") {
  HeldLine line;
  for (int i = 0; i < 40; ++i) {  // more than there are seats
    line.write(1);
  }
  REQUIRE(comes_true([&] { return line.groups_prepared.load() == 2; }));
  CHECK(line.groups_committed.load() == 1);
  line.held.store(false);
  CHECK(comes_true([&] { return line.returned.load() == 40; }));
  CHECK(line.members_prepared.load() == 40);
}

// Every group's number, as its stations see it.
struct Stations {
  std::atomic<int> preparing{0};
  std::atomic<int> committing{0};
  std::atomic<std::uint64_t> prepared{0};
  std::atomic<std::uint64_t> committed{0};
  std::atomic<bool> alone{true};
  std::atomic<bool> in_order{true};
};

struct Writer : GroupCommit::Member {
  explicit Writer(std::uint64_t rows) : Member(rows) {}
  int commits = 0;
};

TEST_CASE("stations take one group at a time, in one order, and each member once") {
  Stations seen;
  GroupCommit line([&](const GroupCommit::Group& group) -> GroupCommit::Commit {
    seen.alone.store(seen.preparing.fetch_add(1) == 0 && seen.alone.load());
    const std::uint64_t number = seen.prepared.fetch_add(1);
    std::this_thread::yield();
    seen.preparing.fetch_sub(1);
    if (number % 7 == 3) {
      throw std::bad_alloc();
    }
    return [&seen, number, group] {
      seen.alone.store(seen.committing.fetch_add(1) == 0 && seen.alone.load());
      seen.in_order.store(seen.committed.exchange(number) <= number && seen.in_order.load());
      std::this_thread::yield();
      seen.committing.fetch_sub(1);
      if (number % 7 == 5) {
        throw std::bad_alloc();
      }
      for (GroupCommit::Member* member : group) {
        ++static_cast<Writer*>(member)->commits;
      }
    };
  });
  std::atomic<int> written{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 200; ++i) {
        Writer writer((thread * i) % 5);
        line.run(&writer);
        (writer.commits == 1 ? written : refused).fetch_add(1);
        CHECK(writer.commits <= 1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(seen.alone.load());
  CHECK(seen.in_order.load());
  CHECK(written.load() + refused.load() == 1600);
  CHECK(written.load() > 0);
  CHECK(refused.load() > 0);
}

}  // namespace
}  // namespace evq
