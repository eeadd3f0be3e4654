#pragma once
// PatientWriter: text for a reader who may be slow, such as a person in front of a pager. The
// reader is waited for as long as a patience lasts. What is not read by then lies in a file without
// a name, so that a query can end, and let go of what it holds of a store, however slowly its
// answer is read. Where that file finds no room, the reader is waited for. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/base/file.h"

namespace evq {

class PatientWriter {
 public:
  // How long the reader is waited for in all, and how much lies in the file at most.
  struct Limits {
    std::int64_t patience_ms = 1000;
    std::uint64_t held_bytes_max = std::uint64_t{1} << 30U;
  };
  // Writes to `descriptor`, which stays open, and ends when `stopped` says so, as write_quietly.
  PatientWriter(int descriptor, bool (*stopped)(), const Limits& limits);
  PatientWriter(int descriptor, bool (*stopped)()) : PatientWriter(descriptor, stopped, Limits()) {}

  // False when the reader is gone or the writer stopped, which errno tells as by write_quietly.
  bool write(std::string_view text);
  // Waits until the reader has all; false as write(). The patience begins anew.
  bool drain();
  std::uint64_t held_bytes() const { return end_ - begin_; }

 private:
  bool keep(std::string_view text);
  // Hands on what the reader takes at once, or all of it, from the file.
  bool hand_on(bool whole);

  const int descriptor_;
  bool (*const stopped_)();
  const Limits limits_;
  std::int64_t patience_ms_;  // what is left of it
  File held_;                 // closed while nothing is held
  std::uint64_t begin_ = 0;   // of what is held, in the file
  std::uint64_t end_ = 0;
};

}  // namespace evq
