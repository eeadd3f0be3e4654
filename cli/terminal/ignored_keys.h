#pragma once
// IgnoredKeys: while it lives, the keys that end a program, Ctrl-C and Ctrl-\, do not end this
// one, for they are meant for a pager or an editor that it waits for. As the signals are the
// process's, one thread at a time.

#include <array>
#include <csignal>

namespace evq {

class IgnoredKeys {
 public:
  IgnoredKeys();
  ~IgnoredKeys();
  IgnoredKeys(const IgnoredKeys&) = delete;
  IgnoredKeys& operator=(const IgnoredKeys&) = delete;

  // The signals that a child which is started meanwhile should not ignore.
  sigset_t heard() const;

 private:
  static constexpr std::array<int, 2> kSignals = {SIGINT, SIGQUIT};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace evq
