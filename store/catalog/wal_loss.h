#pragma once
// Tells a write-ahead file that lost acknowledged commits from one whose last commit never ended.
// SQLite reads such a file up to the first frame whose sum is wrong, and calls what follows
// nothing: right for a commit that a power cut tore, silent loss when a bit in the middle has
// changed. A file that is not there, is empty or has no sound header is none at all to it.
//
// Two things are certain, whatever order writes reach a disk in. What was noted as acknowledged
// (WalReach) had been synced before the note was made, so the note need not be synced itself: an
// old one or none only says less. And a commit is synced before the next one is written, so a frame
// that continues the sums of a commit's last frame says that this commit was acknowledged.
//
// Of a file that is none to SQLite the note says something only while the system runs on that it
// was made under, since an old note may come back with a crash, and only a crash tears a header:
// then the database has the last page of the commit, or that commit is lost. Whoever begins the
// file anew has copied all there is into the database before; whoever empties it, evq that is,
// takes the note back as well, and another program leaves that page in the database. Who was killed
// while it copied may have left that page there before others: with a file lost after that, the
// loss is not seen.
//
// Pure functions; the format is that of https://www.sqlite.org/walformat.html.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace evq {

inline constexpr std::size_t kWalHeaderBytes = 32;
inline constexpr std::size_t kWalFrameHeaderBytes = 24;
inline constexpr std::size_t kWalSaltBytes = 8;

using WalHeaderBytes = std::array<unsigned char, kWalHeaderBytes>;
using WalSalt = std::array<unsigned char, kWalSaltBytes>;

// Frames of one generation of a write-ahead file that are on the disk for certain.
struct WalReach {
  WalHeaderBytes header{};
  std::uint64_t frames = 0;
  std::uint64_t page = 0;      // of the file's last frame, counted from 1; 0: not known
  std::uint64_t page_sum = 0;  // checksum64 of what it holds
  std::uint64_t boot = 0;      // boot_number() when it was noted
  friend bool operator==(const WalReach&, const WalReach&) = default;
};

// A WalReach as bytes, with a checksum of its own.
using WalReachText = std::array<char, kWalHeaderBytes + 5 * sizeof(std::uint64_t)>;
WalReachText encode_reach(const WalReach& reach);
// Reads what encode_reach() wrote; nothing when it is empty, cut short or damaged.
std::optional<WalReach> decode_reach(std::string_view text);

struct WalFile {
  // False when the bytes cannot be read.
  std::function<bool(std::uint64_t at, std::span<unsigned char> bytes)> read;
  std::uint64_t size_bytes = 0;
  // The frames that SQLite reads, by the index; 0 for a file without a sound header.
  std::uint64_t frames = 0;
  WalSalt salt{};
};

// Whether acknowledged commits may be lost; cheap, but may be true after a crash without a loss.
bool may_have_lost(const WalFile& wal, const std::optional<WalReach>& acknowledged);
// Whether acknowledged commits are lost. Only when nobody writes or checkpoints.
bool has_lost(const WalFile& wal, const std::optional<WalReach>& acknowledged);
// Whether all frames that SQLite reads, at least one, are among the acknowledged ones: whoever
// noted those had synced them. It does not say whether the system has run on since then. Only when
// nobody writes or checkpoints.
bool is_acknowledged(const WalFile& wal, const WalReach& acknowledged);
// Whether the file has all that the index tells. Only when nobody writes or checkpoints.
bool has_indexed(const WalFile& wal);
// Bytes of a page, as a sound header says; 0 for another.
std::size_t page_bytes_of(const WalHeaderBytes& header);
// The page that a frame with this header holds.
std::uint64_t page_of_frame(std::span<const unsigned char, kWalFrameHeaderBytes> header);
// The byte offset at which the frames that SQLite reads end; 0 when the file has no sound header.
std::uint64_t wal_end_bytes(const WalFile& wal);

}  // namespace evq
