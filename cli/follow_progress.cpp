#include "cli/follow_progress.h"

#include <charconv>
#include <cstddef>
#include <system_error>
#include <vector>

#include "store/base/ascii.h"

namespace evq {
namespace {

// The last two numbers may be missing.
std::optional<FollowProgress> numbers_of(std::string_view text) {
  constexpr std::size_t kNumbersMin = 5;
  constexpr std::size_t kNumbersMax = 7;
  std::vector<std::uint64_t> numbers;
  while (!text.empty() && numbers.size() < kNumbersMax) {
    const auto [at, error] =
        std::from_chars(text.data(), text.data() + text.size(), numbers.emplace_back());
    if (error != std::errc()) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(at - text.data()));
    text.remove_prefix(text.starts_with(' ') ? 1 : 0);
  }
  if (numbers.size() < kNumbersMin) {
    return std::nullopt;
  }
  FollowProgress progress{.file = {numbers[0], numbers[1]},
                          .offset = numbers[2],
                          .next = numbers[3],
                          .stamp = static_cast<std::int64_t>(numbers[4])};
  if (numbers.size() == kNumbersMax) {
    progress.trace = numbers[5];
    progress.next_trace = numbers[6];
  }
  return progress;
}

}  // namespace

std::string progress_text(const FollowProgress& progress) {
  std::string text;
  for (const std::uint64_t number : {progress.file.device, progress.file.inode, progress.offset,
                                     progress.next, static_cast<std::uint64_t>(progress.stamp),
                                     progress.trace.value_or(0), progress.next_trace.value_or(0)}) {
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  return text;
}

void append_progress(const FollowProgress& progress, std::string* text) {
  *text += (text->empty() ? "" : "\n") + progress_text(progress);
}

std::vector<FollowProgress> read_progress(std::string_view text) {
  std::vector<FollowProgress> files;
  while (!text.empty()) {
    if (const auto file = numbers_of(take_line(&text))) {
      files.push_back(*file);
    }
  }
  return files;
}

}  // namespace evq
