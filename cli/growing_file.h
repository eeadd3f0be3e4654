#pragma once
// GrowingFile: the bytes of a file that others append to, as a source that gives what is there and
// waits for nothing. Each read looks at the bytes before its place as well: where other ones stand
// there, the file was emptied, and perhaps written anew to any length, and the source gives nothing
// more. Errors: kIo. One thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "store/base/file.h"
#include "store/ingest/byte_source.h"

namespace evq {

class GrowingFile final : public ByteSource {
 public:
  // Size of a trace: the bytes before a place by which it is known again.
  static constexpr std::size_t kTraceBytes = 256;

  // Reads from `place` on, before which `trace` stands. The file must outlive the source.
  GrowingFile(const File& file, std::uint64_t place, std::string trace)
      : file_(file), place_(place), trace_(std::move(trace)) {}

  // Returns nullopt when no more is there now; zero, the end, once end() was called.
  Result<std::optional<std::size_t>> read(std::span<char> buffer, std::int64_t timeout_ms) override;

  // Tells that no more is appended: the source ends with what is there.
  void end() { ends_ = true; }
  bool was_emptied() const { return was_emptied_; }
  // Returns the offset up to which the file was read.
  std::uint64_t place() const { return place_; }
  // Returns what stands before that place.
  const std::string& trace() const { return trace_; }

  // Returns the trace at the end of `before` and `text`: their last kTraceBytes, or all if fewer.
  static std::string trace_behind(std::string before, std::string_view text);

 private:
  const File& file_;
  std::uint64_t place_;
  std::string trace_;
  std::string read_;  // the trace and what follows it, of one read
  bool ends_ = false;
  bool was_emptied_ = false;
};

}  // namespace evq
