#include "cli/terminal/ignored_keys.h"

#include <cstddef>

namespace evq {

IgnoredKeys::IgnoredKeys() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &ignore, &before_[i]);
  }
}

IgnoredKeys::~IgnoredKeys() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

sigset_t IgnoredKeys::heard() const {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (before_[i].sa_handler != SIG_IGN) {
      ::sigaddset(&signals, kSignals[i]);
    }
  }
  return signals;
}

}  // namespace evq
