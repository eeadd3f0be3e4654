#pragma once
// WaitScope: who may end a thread's waits for others. Locks are waited for far below calls that
// know of no client and no Ctrl-C: a token is put, the file of a dataset is opened for the first
// time. Whoever works for somebody says so in a scope around the work, and every wait on that
// thread that may be long asks check() at least every kControlPollMsMax milliseconds.
//
// A scope belongs to the thread that made it, and goes before those made earlier. Others may look
// at it only while that thread waits for them.

#include <functional>
#include <string>

#include "store/base/control.h"
#include "store/base/result.h"

namespace evq {

class WaitScope {
 public:
  // Waits end when `control` or an outer scope of the thread says so.
  explicit WaitScope(const QueryControl& control);
  // Waits end when `verdict` fails; the outer scopes have no say in this one.
  explicit WaitScope(std::function<Status()> verdict);
  ~WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

  // The calling thread's innermost scope; null without any: then nothing ends a wait early.
  static const WaitScope* current();
  // Asks `scope` and its outer ones: kCancelled or kTimeout once waits must end. Null: success.
  static Status verdict(const WaitScope* scope);
  // Asks the calling thread's innermost scope; kCancelled names `awaited`.
  static Status check(const std::string& awaited);

 private:
  const std::function<Status()> verdict_;
  const WaitScope* const outer_;   // has a say as well
  const WaitScope* const before_;  // the thread's until now
};

}  // namespace evq
