#pragma once
// BodySpace: what the bodies that a server receives may take together, in memory and in files. A
// sender decides how long its body lies there, so that none of it may be without a bound. Any
// thread, but for the settings.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "http/limits.h"
#include "store/base/limits.h"
#include "store/base/result.h"

namespace evq {

// Free bytes that body files leave on the disk, as loads do.
inline constexpr std::uint64_t kBodiesDiskFreeBytesMin = kDiskReserveBytesMin;

struct ByteBudget {
  explicit ByteBudget(std::uint64_t limit) : bytes_max(limit) {}
  // Takes `bytes`; false, and none are taken, when they do not fit.
  bool take(std::uint64_t bytes);

  std::uint64_t bytes_max;
  std::atomic<std::uint64_t> held{0};
};

struct BodySpace {
  std::string directory;
  ByteBudget memory{kHttpBodiesMemoryBytesMax};
  ByteBudget files{kHttpBodiesFileBytesMax};
  std::uint64_t disk_free_bytes_min = kBodiesDiskFreeBytesMin;
};

// Bytes of a budget, given back at the end. One thread at a time.
class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(HeldBytes&& other) noexcept;
  HeldBytes& operator=(HeldBytes&& other) noexcept;
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  ~HeldBytes() { give_back(); }

  std::uint64_t bytes() const { return bytes_; }
  // Holds `bytes` of `budget` in all; false, and as many as before, when they do not fit. Without a
  // budget all fit.
  bool grow(const std::shared_ptr<ByteBudget>& budget, std::uint64_t bytes);
  void give_back();

 private:
  std::shared_ptr<ByteBudget> budget_;
  std::uint64_t bytes_ = 0;
};

// Tells when memory is worth giving back to the system: much was held at once, and little has been
// for a while. One thread at a time.
class QuietWatch {
 public:
  // To be called now and then with the bytes held. True once for each such time.
  bool is_due(std::uint64_t held, std::int64_t now_ns);

 private:
  std::uint64_t peak_ = 0;  // of held bytes since it was due
  std::int64_t busy_ns_ = 0;
};

// Return one of a space's budgets, which keeps the space alive; null without a space.
std::shared_ptr<ByteBudget> memory_of(const std::shared_ptr<BodySpace>& space);
std::shared_ptr<ByteBudget> files_of(const std::shared_ptr<BodySpace>& space);

}  // namespace evq
