#include "store/base/wait_scope.h"

#include <utility>

namespace evq {

namespace {

const WaitScope*& thread_scope() {
  thread_local const WaitScope* scope = nullptr;
  return scope;
}

}  // namespace

WaitScope::WaitScope(const QueryControl& control)
    : verdict_([&control] { return control.check(); }),
      outer_(current()),
      before_(std::exchange(thread_scope(), this)) {}

WaitScope::WaitScope(std::function<Status()> verdict)
    : verdict_(std::move(verdict)), outer_(nullptr), before_(std::exchange(thread_scope(), this)) {}

WaitScope::~WaitScope() {
  thread_scope() = before_;
}

const WaitScope* WaitScope::current() {
  return thread_scope();
}

Status WaitScope::verdict(const WaitScope* scope) {
  for (; scope != nullptr; scope = scope->outer_) {
    EVQ_TRY(scope->verdict_());
  }
  return {};
}

Status WaitScope::check(const std::string& awaited) {
  Status told = verdict(current());
  if (!told.ok() && told.error().code == ErrorCode::kCancelled) {
    return make_error(ErrorCode::kCancelled, "interrupted while waiting for " + awaited);
  }
  return told;
}

}  // namespace evq
