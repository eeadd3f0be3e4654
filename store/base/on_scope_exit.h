#pragma once
// OnScopeExit: runs `work`, which must not throw, when its scope ends, however it does. Of the
// thread whose scope it is; what the work refers to must outlive it.

#include <utility>

namespace evq {

template <class Work>
class OnScopeExit {
 public:
  explicit OnScopeExit(Work work) : work_(std::move(work)) {}
  ~OnScopeExit() { work_(); }
  OnScopeExit(const OnScopeExit&) = delete;
  OnScopeExit& operator=(const OnScopeExit&) = delete;

 private:
  Work work_;
};

}  // namespace evq
