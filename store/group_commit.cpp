#include "store/group_commit.h"

#include <bit>
#include <new>
#include <utility>

#include "store/base/limits.h"

namespace evq {

// Whoever leads must come back for the others, whatever happens to it, and the line holds pointers
// to members: nothing here allocates but enqueue(), the members and the two stations, and their
// exceptions stop here.
bool GroupCommit::run(Member* member) {
  mutex_.lock();
  const bool queued = enqueue(member);
  while (queued && !member->done_ && (member->taken_ || !may_be_taken())) {
    const bool told = seats_[member->seat_].wait_for_ms(mutex_, kControlPollMsMax);
    if (!told && !member->taken_ && waits_no_more(*member)) {
      leave(member);
      const SeatSet next = next_leader();
      mutex_.unlock();
      tell(next);  // who was told that it may lead may have been this one
      return false;
    }
  }
  if (queued && !member->done_) {
    lead(member);
  } else {
    mutex_.unlock();
  }
  return true;
}

bool GroupCommit::waits_no_more(const Member& member) {
  try {
    return member.gives_up();
  } catch (const std::bad_alloc&) {
    return true;
  }
}

void GroupCommit::leave(Member* member) {
  std::erase(queue_, member);
  queued_rows_ -= member->rows_;
}

bool GroupCommit::enqueue(Member* member) {
  try {
    queue_.push_back(member);
  } catch (const std::bad_alloc&) {
    return false;
  }
  queued_rows_ += member->rows_;
  member->seat_ = next_seat_++ % kSeats;
  return true;
}

bool GroupCommit::may_be_taken() const {
  return preparing_ == nullptr && (!committing_ || queued_rows_ >= committing_rows_);
}

GroupCommit::SeatSet GroupCommit::next_leader() const {
  return may_be_taken() && !queue_.empty() ? seat_of(*queue_.front()) : SeatSet{0};
}

// Takes what waits through both stations, and tells who may go on where it was.
void GroupCommit::lead(const Member* leader) {
  const Group group = std::exchange(queue_, {});
  const std::uint64_t rows = std::exchange(queued_rows_, 0);
  for (Member* member : group) {
    member->taken_ = true;
  }
  preparing_ = leader;
  mutex_.unlock();
  Commit commit;
  try {
    commit = prepare_(group);
  } catch (const std::bad_alloc&) {  // then there is none
  }
  mutex_.lock();
  while (committing_) {
    seats_[leader->seat_].wait(mutex_);
  }
  preparing_ = nullptr;
  committing_ = true;
  committing_rows_ = rows;
  const SeatSet next = next_leader();
  mutex_.unlock();
  tell(next);
  try {
    if (commit) {
      commit();
    }
  } catch (const std::bad_alloc&) {  // those without an outcome say so
  }
  mutex_.lock();
  committing_ = false;
  SeatSet moved = preparing_ != nullptr ? seat_of(*preparing_) : next_leader();
  for (Member* member : group) {
    member->done_ = true;
    moved |= seat_of(*member);
  }
  mutex_.unlock();
  tell(moved);
}

// Without the lock, which those who wake up take.
void GroupCommit::tell(SeatSet seats) {
  for (; seats != 0; seats &= seats - 1) {
    seats_[static_cast<std::size_t>(std::countr_zero(seats))].notify_all();
  }
}

}  // namespace evq
