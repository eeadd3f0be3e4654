#pragma once
// HeldOpening: a disk, for SQLite, on which one file does not open before a test says so; it passes
// every other call to the system's own VFS. Any thread. It must outlive every connection that uses
// it.

#include <memory>
#include <string>

namespace evq {

class HeldOpening {
 public:
  // Of files whose paths end so.
  explicit HeldOpening(std::string ending);
  // Lets go.
  ~HeldOpening();
  HeldOpening(const HeldOpening&) = delete;
  HeldOpening& operator=(const HeldOpening&) = delete;

  // For StoreOptions::vfs.
  const std::string& name() const;
  // Waits until somebody opens such a file; false when nobody does for some seconds.
  bool is_waited_for();
  void let_go();

  struct State;  // fault_opening.cpp's own

 private:
  std::unique_ptr<State> state_;
};

}  // namespace evq
