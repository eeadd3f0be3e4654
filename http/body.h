#pragma once
// RequestBody: the bytes of a request's body while they arrive. Small bodies stay in memory while
// there is some; the others go to unlinked files, so that thousands of slow senders cost little
// memory and no worker: a handler starts only when the body is complete. The files lie in the
// store's directory, private to its user. One thread at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "http/body_space.h"
#include "store/base/file.h"
#include "store/base/result.h"
#include "store/ingest/byte_source.h"

namespace evq {

class RequestBody {
 public:
  RequestBody() = default;
  // Shares `space` with other bodies; with a null one, long bodies find no room.
  explicit RequestBody(std::shared_ptr<BodySpace> space) : space_(std::move(space)) {}

  // Prepares for `bytes` that the sender announces: reserves memory for those kept there, within
  // reason.
  void expect(std::uint64_t bytes);
  // Returns room for the next 1 to `size_max` bytes; `size_max` is above 0. Valid until the next
  // call. kDiskFull, kIo; kUnavailable while others take all the room that there is.
  Result<std::span<char>> room(std::size_t size_max);
  // Appends the first `size` bytes of that room to the body. Errors as above.
  Status take(std::size_t size);
  // Appends bytes that lie somewhere else. Errors as above.
  Status append(std::string_view bytes);
  const std::shared_ptr<BodySpace>& space() const { return space_; }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Returns the whole body as one text; meant for bodies whose limit is small.
  Result<std::string> text() const;
  // Returns a reader from the body's start, which must not outlive the body.
  std::unique_ptr<ByteSource> reader() const;
  // Returns such a reader, which gives the body's memory away: to be called once, and then nothing
  // else but size().
  std::unique_ptr<ByteSource> release();

 private:
  Status spill();
  Status hold_file(std::uint64_t bytes);
  bool grow(std::size_t capacity);

  std::shared_ptr<BodySpace> space_;
  HeldBytes held_memory_;
  HeldBytes held_file_;
  TextMemory memory_;  // the body, or room for its next bytes once it is long
  File file_;          // open once the body is long
  std::uint64_t size_ = 0;
};

}  // namespace evq
