#pragma once
// RequestBody: the bytes of a request's body while they arrive. Small bodies stay in memory; what
// is longer goes to an unlinked file, so that thousands of slow senders cost no memory and no
// worker: a handler starts only when the body is complete. The file lies in the store's directory,
// private to its user. One thread at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/base/file.h"
#include "store/base/result.h"
#include "store/ingest/byte_source.h"

namespace evq {

class RequestBody {
 public:
  RequestBody() = default;
  // `directory` is where long bodies are kept.
  explicit RequestBody(std::string directory) : directory_(std::move(directory)) {}

  // `bytes` are said to come: memory for what of them is kept there, within reason.
  void expect(std::uint64_t bytes);
  // kDiskFull, kIo.
  Status append(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Everything as one text; meant for bodies whose limit is small.
  Result<std::string> text() const;
  // Reads the body from its start; must not outlive it.
  std::unique_ptr<ByteSource> source() const;

 private:
  Status spill();

  std::string directory_;
  std::string memory_;
  File file_;  // open once the body is long
  std::uint64_t size_ = 0;
};

}  // namespace evq
