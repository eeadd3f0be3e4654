#include "tests/support/fault_opening.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include <sqlite3.h>

namespace evq {

struct HeldOpening::State {
  sqlite3_vfs own{};  // the system's, but for the opening
  sqlite3_vfs* real = nullptr;
  std::string name;
  std::string ending;
  std::mutex mutex;
  std::condition_variable changed;
  bool waited_for = false;
  bool held = true;
};

namespace {

// `own` is its first member.
HeldOpening::State* state_of(sqlite3_vfs* vfs) {
  return reinterpret_cast<HeldOpening::State*>(vfs);
}

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  HeldOpening::State* state = state_of(vfs);
  if (path != nullptr && std::string_view(path).ends_with(state->ending)) {
    std::unique_lock<std::mutex> lock(state->mutex);
    state->waited_for = true;
    state->changed.notify_all();
    state->changed.wait(lock, [state] { return !state->held; });
  }
  return state->real->xOpen(state->real, path, file, flags, out_flags);
}

}  // namespace

HeldOpening::HeldOpening(std::string ending) : state_(std::make_unique<State>()) {
  State* state = state_.get();
  state->real = sqlite3_vfs_find(nullptr);
  state->name = "evq-held-" + std::to_string(reinterpret_cast<std::uintptr_t>(state));
  state->ending = std::move(ending);
  state->own = *state->real;
  state->own.pNext = nullptr;
  state->own.zName = state->name.c_str();
  state->own.xOpen = open_file;
  sqlite3_vfs_register(&state->own, 0);
}

HeldOpening::~HeldOpening() {
  let_go();
  sqlite3_vfs_unregister(&state_->own);
}

const std::string& HeldOpening::name() const {
  return state_->name;
}

bool HeldOpening::is_waited_for() {
  constexpr std::chrono::seconds kPatience(10);
  std::unique_lock<std::mutex> lock(state_->mutex);
  return state_->changed.wait_for(lock, kPatience, [this] { return state_->waited_for; });
}

void HeldOpening::let_go() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->held = false;
  state_->changed.notify_all();
}

}  // namespace evq
