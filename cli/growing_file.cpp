#include "cli/growing_file.h"

#include <algorithm>
#include <string_view>

#include "store/base/limits.h"

namespace evq {

Result<std::optional<std::size_t>> GrowingFile::read(std::span<char> buffer,
                                                     std::int64_t /*timeout_ms*/) {
  constexpr std::size_t kReadBytesMax = 1 * kMebibyte;
  std::size_t size = 0;
  if (!was_emptied_) {
    read_.resize(trace_.size() + std::min(buffer.size(), kReadBytesMax));
    EVQ_TRY_ASSIGN(const std::size_t there, file_.read_at(place_ - trace_.size(), read_));
    read_.resize(there);
    was_emptied_ = !read_.starts_with(trace_);
    size = was_emptied_ ? 0 : there - trace_.size();
  }
  if (size == 0) {
    return ends_ ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const std::string_view text = std::string_view(read_).substr(trace_.size());
  std::copy_n(text.data(), size, buffer.data());
  trace_ = trace_behind(std::move(trace_), text);
  place_ += size;
  return std::optional(size);
}

std::string GrowingFile::trace_behind(std::string before, std::string_view text) {
  before.append(text.substr(text.size() - std::min(text.size(), kTraceBytes)));
  before.erase(0, before.size() - std::min(before.size(), kTraceBytes));
  return before;
}

}  // namespace evq
