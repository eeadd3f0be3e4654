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
  // Shares that space with others; without one, long bodies find no room.
  explicit RequestBody(std::shared_ptr<BodySpace> space) : space_(std::move(space)) {}

  // `bytes` are said to come: memory for what of them is kept there, within reason.
  void expect(std::uint64_t bytes);
  // Where the next bytes may be put: room for 1 to `size_max` of them, which is above 0. Valid
  // until the next call. kDiskFull, kIo; kUnavailable while others take all the room that there is.
  Result<std::span<char>> room(std::size_t size_max);
  // The first `size` bytes of that room are the body's next. Errors as above.
  Status take(std::size_t size);
  // The same for bytes that are somewhere else.
  Status append(std::string_view bytes);
  const std::shared_ptr<BodySpace>& space() const { return space_; }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Everything as one text; meant for bodies whose limit is small.
  Result<std::string> text() const;
  // Reads the body from its start. Must not outlive the body.
  std::unique_ptr<ByteSource> reader() const;
  // Reads the body from its start, and gives its memory away: to be asked for once, and then
  // nothing else but the size. Must not outlive the body.
  std::unique_ptr<ByteSource> release();

 private:
  Status spill();
  Status hold_file(std::uint64_t bytes);
  bool grow(std::size_t capacity);

  std::shared_ptr<BodySpace> space_;
  HeldBytes held_memory_;
  HeldBytes held_file_;
  TextMemory memory_;  // the body, or room for its next bytes once it is long
  File file_;          // open then
  std::uint64_t size_ = 0;
};

}  // namespace evq
