#include "cli/follow_parts.h"

#include <algorithm>
#include <utility>

#include "cli/container_lines.h"
#include "cli/limits.h"
#include "store/base/time.h"

namespace evq {

void PartBatch::add(std::string_view lines, std::int64_t now_ns) {
  const std::size_t begin = text_.size();
  text_ += lines;
  if (has_parts_) {
    pass_lines(begin, now_ns);
  }
}

void PartBatch::give_up(std::int64_t now_ns) {
  for (Stream& stream : streams_) {
    if (stream.is_open && now_ns - stream.last_ns >= kPartWaitMs * kMillisecondNs) {
      give_up(&stream, text_.size());
    }
  }
}

std::string PartBatch::take(std::size_t size) {
  std::string rest = text_.substr(size);
  text_.resize(size);
  std::string taken = std::exchange(text_, std::move(rest));
  // What was given up may have parts behind the place: they begin a line.
  const std::array<Stream, 2> before = std::exchange(streams_, {});
  whole_bytes_ = 0;
  if (has_parts_) {
    pass_lines(0, 0);
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].last_ns = before[i].last_ns;
  }
  return taken;
}

void PartBatch::pass_lines(std::size_t begin, std::int64_t now_ns) {
  while (begin < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
    pass_line(begin, end, now_ns);
    begin = end;
  }
}

// Parts are put together as PartJoiner does it: what would be too long ends before this line.
void PartBatch::pass_line(std::size_t begin, std::size_t end, std::int64_t now_ns) {
  if (const auto part = container_part(std::string_view(text_).substr(begin, end - begin))) {
    Stream& stream = streams_[part->is_error ? 1 : 0];
    if (stream.is_open && stream.joined_bytes + part->text.size() > kFieldValueBytesMax) {
      give_up(&stream, begin);
    }
    if (!stream.is_open) {
      stream.begin = begin;
      stream.joined_bytes = part->joined_head().size();
    }
    stream.joined_bytes += part->text.size();
    stream.is_open = part->goes_on;
    stream.last_ns = now_ns;
  }
  for (Stream& stream : streams_) {
    if (stream.is_open && end - stream.begin > kOpenPartBytesMax) {
      give_up(&stream, end);
    }
  }
  if (!streams_[0].is_open && !streams_[1].is_open) {
    whole_bytes_ = end;
  }
}

// All up to `end` is whole then, but for a line of the other stream.
void PartBatch::give_up(Stream* stream, std::size_t end) {
  stream->is_open = false;
  const Stream& other = streams_[stream == streams_.data() ? 1 : 0];
  whole_bytes_ = other.is_open ? other.begin : end;
}

std::size_t LineStarts::find(std::string_view text, std::uint64_t number) {
  if (number < number_) {
    *this = {};
  }
  for (; number_ < number && start_ < text.size(); ++number_) {
    start_ = std::min(text.find('\n', start_), text.size() - 1) + 1;
  }
  return start_;
}

}  // namespace evq
