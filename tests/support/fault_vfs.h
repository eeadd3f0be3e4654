#pragma once
// FaultVfs: a disk that fails, for SQLite. It passes every call to the system's own VFS and can
//
//   fail    the call of a given number, once or from then on, as a broken or a full disk does;
//   fill    the disk: no file may grow past the room that all have together;
//   cut     the power at the change of a given number: every later call fails, and when all files
//           are closed settle() makes them what the platter may hold then.
//
// What is on the platter is modelled a file at a time: its bytes at the last sync, and the changes
// since. Of these any 512-byte sectors may have arrived, in any order, and the last one in part. A
// file made since its directory was synced may be missing; one unlinked may be back. A sync that
// fails drops the changes before it for good, although reads go on to see them: that is what Linux
// does.
//
// Any thread. It must outlive every connection that uses it.

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>

namespace evq {

class FaultVfs {
 public:
  enum class Fault : std::uint8_t {
    kIo,    // any call: an I/O error
    kFull,  // writes only: no space left
    kSync,  // syncs only: an I/O error
  };
  enum class Survival : std::uint8_t {
    kNothing,     // of the changes since the last sync
    kEverything,  //
    kSome,        // each sector or not, by chance
    kPrefix,      // in order up to a point, the last one torn
  };

  // As the default one it is also that of stores which name none.
  explicit FaultVfs(bool is_default = false);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  // For StoreOptions::vfs.
  const std::string& name() const;

  // Whether a write leaves the bytes beside it alone, as the system's VFS says of every disk; else
  // SQLite fills whole sectors. Before files are opened.
  void set_powersafe(bool powersafe);
  // Numbers count from 0 from here on.
  void fail_at(std::uint64_t call, Fault fault, bool for_good);
  void cut_at(std::uint64_t change);
  // From here on the files of `directory` and its folders may not take more of the disk than they
  // do now: writes that would are refused as by a full disk. unlimit_room() ends it.
  void limit_room(const std::string& directory);
  void unlimit_room();
  // Called with a file's name by the thread that syncs it. Before files are opened.
  void before_sync(std::function<void(const std::string& name)> call);
  // No more failures; numbers count anew.
  void heal();

  std::uint64_t calls() const;    // that fail_at(kIo) could have failed
  std::uint64_t writes() const;   // that fail_at(kFull) could have failed
  std::uint64_t syncs() const;    // that fail_at(kSync) could have failed
  std::uint64_t changes() const;  // writes, truncations, syncs, removals
  // How often a connection has waited for another's lock, ever.
  std::uint64_t sleeps() const;
  // The call that failed or the change that was cut: "sync 1.db-wal"; empty when none was.
  std::string failure() const;
  // The first write or truncation of a database or its write-ahead file that was made while nobody
  // held the lock of database.h: "write 1.db-wal"; empty when there was none.
  std::string unlocked_change() const;

  // After a cut and with every file closed: rewrites the files.
  void settle(Survival survival, std::mt19937_64& random);

  struct State;  // fault_vfs.cpp's own

 private:
  std::unique_ptr<State> state_;
};

}  // namespace evq
