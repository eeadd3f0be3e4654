#include "cli/terminal/patient_writer.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "cli/terminal/terminal.h"
#include "store/base/limits.h"

namespace evq {

PatientWriter::PatientWriter(int descriptor, bool (*stopped)(), const Limits& limits)
    : descriptor_(descriptor),
      stopped_(stopped),
      limits_(limits),
      patience_ms_(limits.patience_ms) {}

bool PatientWriter::write(std::string_view text) {
  if (held_bytes() == 0 && !write_in_time(descriptor_, &text, &patience_ms_, stopped_)) {
    return false;
  }
  if (text.empty()) {
    return true;
  }
  if (keep(text)) {
    return hand_on(false);
  }
  return hand_on(true) && write_quietly(descriptor_, text, stopped_);
}

bool PatientWriter::drain() {
  patience_ms_ = limits_.patience_ms;
  return hand_on(true);
}

// False when the file takes no more.
bool PatientWriter::keep(std::string_view text) {
  if (held_bytes() + text.size() > limits_.held_bytes_max) {
    return false;
  }
  if (!held_.is_open()) {
    Result<File> file = File::create_unnamed(process_environment()("TMPDIR").value_or("/tmp"));
    if (!file.ok()) {
      return false;
    }
    held_ = std::move(file).value();
  }
  if (!held_.write_at(end_, text).ok()) {
    return false;
  }
  end_ += text.size();
  return true;
}

bool PatientWriter::hand_on(bool whole) {
  std::string piece;
  while (begin_ < end_) {
    piece.resize(std::min<std::uint64_t>(end_ - begin_, kMebibyte));
    const Result<std::size_t> read = held_.read_at(begin_, piece);
    if (!read.ok() || *read < piece.size()) {
      errno = EIO;
      return false;
    }
    std::string_view rest = piece;
    std::int64_t no_patience_ms = 0;
    const bool written = whole ? write_quietly(descriptor_, rest, stopped_)
                               : write_in_time(descriptor_, &rest, &no_patience_ms, stopped_);
    if (!written) {
      return false;
    }
    begin_ += whole ? piece.size() : piece.size() - rest.size();
    if (!whole && !rest.empty()) {
      return true;
    }
  }
  held_ = File();
  begin_ = end_ = 0;
  return true;
}

}  // namespace evq
