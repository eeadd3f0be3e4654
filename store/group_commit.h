#pragma once
// GroupCommit: the line in which the writers of a file wait, and where those who wait together
// become one group, so that many small writes share one sync.
//
// A group goes through two stations, on the thread of the member that leads it: it is prepared, and
// then committed. Each station has room for one group, so what the next group will write is made
// while this one is on its way to the disk. There is always
//   - at most one group in either station, so at most two hold what they prepared;
//   - one order: groups commit as they were taken, and they are taken as their members came.
// No member returns before its group is through, and a group knows nothing of how the one before it
// ended: what was prepared must not depend on it.
//
// Nobody waits for company when nothing is being committed. Beside a commit the next group is taken
// as soon as it has as many rows as the one that is committed: smaller ones would cost more syncs
// and more chunks than the waiting does.
//
// Any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "store/base/mutex.h"

namespace evq {

class GroupCommit {
 public:
  // One writer's part in a group, on its stack.
  class Member {
   public:
    explicit Member(std::uint64_t rows) : rows_(rows) {}
    virtual ~Member() = default;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    // Whether it waits no more; asked now and then, under the line's lock, until it is taken. One
    // that has no memory to tell does not.
    virtual bool gives_up() const { return false; }

    friend class GroupCommit;
    const std::uint64_t rows_;  // that take time to prepare
    bool taken_ = false;        // by a group's leader
    bool done_ = false;         // and its leader has gone
    std::size_t seat_ = 0;      // where it waits until it is done or may lead; see seats_
  };
  using Group = std::vector<Member*>;
  using Commit = std::function<void()>;
  // Prepares a group; what it returns commits it. Either may run out of memory, and no commit is
  // called then that was not made: the members have to know by themselves what became of them.
  using Prepare = std::function<Commit(const Group&)>;

  explicit GroupCommit(Prepare prepare) : prepare_(std::move(prepare)) {}

  // Queues the member and returns once its group is through; false when it gave up before a group
  // took it. Returns true, with nothing done, when there is no memory to queue it.
  bool run(Member* member);

 private:
  // Places to wait at: as many as loads that a server runs at once.
  static constexpr std::size_t kSeats = 64;
  using SeatSet = std::uint64_t;  // a bit a seat
  static SeatSet seat_of(const Member& member) { return SeatSet{1} << member.seat_; }

  static bool waits_no_more(const Member& member);
  bool enqueue(Member* member) EVQ_REQUIRES(mutex_);
  void leave(Member* member) EVQ_REQUIRES(mutex_);
  bool may_be_taken() const EVQ_REQUIRES(mutex_);
  SeatSet next_leader() const EVQ_REQUIRES(mutex_);
  void lead(const Member* leader) EVQ_RELEASE(mutex_);
  // Wakes those who wait at these seats; each of them looks whether it was meant.
  void tell(SeatSet seats);

  const Prepare prepare_;
  Mutex mutex_;
  Group queue_ EVQ_GUARDED_BY(mutex_);
  std::uint64_t queued_rows_ EVQ_GUARDED_BY(mutex_) = 0;
  // The leader of the group that is being prepared, or waits for its commit; null: none.
  const Member* preparing_ EVQ_GUARDED_BY(mutex_) = nullptr;
  bool committing_ EVQ_GUARDED_BY(mutex_) = false;
  std::uint64_t committing_rows_ EVQ_GUARDED_BY(mutex_) = 0;
  std::size_t next_seat_ EVQ_GUARDED_BY(mutex_) = 0;
  // The seats at which members wait; two may share one. They belong to the line and not to members,
  // because a member may have left by the time that it is told.
  std::array<CondVar, kSeats> seats_;
};

}  // namespace evq
