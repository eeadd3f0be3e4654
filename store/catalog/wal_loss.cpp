#include "store/catalog/wal_loss.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "store/base/checksum.h"

namespace evq {
namespace {

constexpr std::uint32_t kMagic = 0x377f0682;  // the last bit: sums are over big-endian words
// Of the header.
constexpr std::size_t kPageSizeAt = 8;
constexpr std::size_t kSequenceAt = 12;
constexpr std::size_t kHeaderSaltAt = 16;
constexpr std::size_t kHeaderSumsAt = 24;
// Of a frame.
constexpr std::size_t kCommitAt = 4;
constexpr std::size_t kFrameSaltAt = 8;
constexpr std::size_t kFrameSumsAt = 16;

using Bytes = std::span<const unsigned char>;
using FrameHeader = std::array<unsigned char, kWalFrameHeaderBytes>;

std::uint32_t big_endian(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

std::uint32_t little_endian(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at + 3]} << 24 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 1]} << 8 | bytes[at];
}

struct Sums {
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  static Sums at(Bytes bytes, std::size_t place) {
    return {big_endian(bytes, place), big_endian(bytes, place + 4)};
  }
  // Goes on over `bytes`, a multiple of eight.
  void add(Bytes bytes, bool big) {
    const auto word = big ? big_endian : little_endian;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      first += word(bytes, at) + second;
      second += word(bytes, at + 4) + first;
    }
  }
  bool operator==(const Sums&) const = default;
};

// A sound header's, of the generation that the index is of.
struct Generation {
  WalSalt salt{};
  std::size_t page_bytes = 0;
  bool big = false;

  std::uint64_t end_of(std::uint64_t frames) const {
    return kWalHeaderBytes + frames * (kWalFrameHeaderBytes + page_bytes);
  }
  bool owns(const FrameHeader& frame) const {
    return std::ranges::equal(Bytes(frame).subspan(kFrameSaltAt, kWalSaltBytes), salt);
  }
};

bool sums_big_endian(const WalHeaderBytes& header) {
  return (header[3] & 1) != 0;
}

// What it should end with.
Sums header_sums(const WalHeaderBytes& header) {
  Sums sums;
  sums.add(Bytes(header).first(kHeaderSumsAt), sums_big_endian(header));
  return sums;
}

bool is_sound(const WalHeaderBytes& header) {
  return (big_endian(header, 0) & ~1U) == kMagic &&
         header_sums(header) == Sums::at(header, kHeaderSumsAt);
}

// Nothing when the header is not sound, or the index is of another generation: it is ahead when a
// first commit of the next one failed before its header.
std::optional<Generation> generation_of(const WalFile& wal, const WalHeaderBytes& header) {
  Generation generation;
  generation.big = sums_big_endian(header);
  generation.page_bytes = page_bytes_of(header);
  std::copy_n(header.begin() + kHeaderSaltAt, kWalSaltBytes, generation.salt.begin());
  const bool sound = generation.page_bytes != 0 && generation.salt == wal.salt;
  return sound ? std::optional(generation) : std::nullopt;
}

std::optional<WalHeaderBytes> read_header(const WalFile& wal) {
  WalHeaderBytes header{};
  const bool there = wal.size_bytes >= kWalHeaderBytes && wal.read(0, header);
  return there ? std::optional(header) : std::nullopt;
}

// Whether the first frame is of the generation that had this header.
bool begins_with(const WalFile& wal, const WalHeaderBytes& known) {
  FrameHeader first{};
  return wal.size_bytes >= kWalHeaderBytes + first.size() && wal.read(kWalHeaderBytes, first) &&
         std::equal(first.begin() + kFrameSaltAt, first.begin() + kFrameSumsAt,
                    known.begin() + kHeaderSaltAt);
}

void put_big_endian(std::uint32_t value, std::span<unsigned char, 4> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<unsigned char>(value >> (24 - 8 * i));
  }
}

// Whether it may be the beginning of the next generation's header, written over `known`. That one
// has the next first half of the salt, a second half by chance, and a sequence number that is the
// next or, of another process, a low one.
bool may_be_torn(const WalHeaderBytes& header, const WalHeaderBytes& known) {
  constexpr std::size_t kHalfSalt = kWalSaltBytes / 2;
  constexpr std::uint32_t kSequencesMax = 1U << 20;
  WalHeaderBytes next = header;
  std::copy_n(known.begin(), kSequenceAt, next.begin());
  const std::span<unsigned char, kWalHeaderBytes> bytes(next);
  put_big_endian(big_endian(known, kHeaderSaltAt) + 1, bytes.subspan<kHeaderSaltAt, kHalfSalt>());
  const Sums sums = header_sums(next);
  put_big_endian(sums.first, bytes.subspan<kHeaderSumsAt, 4>());
  put_big_endian(sums.second, bytes.subspan<kHeaderSumsAt + 4, 4>());
  const auto same = std::ranges::mismatch(header, next).in1 - header.begin();
  return std::equal(header.begin() + same, header.end(), known.begin() + same) &&
         big_endian(header, kSequenceAt) <= big_endian(known, kSequenceAt) + kSequencesMax;
}

// Of what is no header any more but was `known`, by nearly all of its bytes or by the frames behind
// it.
bool is_damaged(const WalFile& wal, const WalHeaderBytes& header, const WalHeaderBytes& known) {
  constexpr std::size_t kDifferentMax = 4;
  std::size_t different = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    different += header[i] != known[i] ? 1U : 0U;
  }
  return (different <= kDifferentMax || begins_with(wal, known)) && !may_be_torn(header, known);
}

// Whether a sound header is of a generation before that of `known`: an older copy of the file. Each
// generation has the next sequence number and the next first half of the salt.
bool is_older(const WalHeaderBytes& header, const WalHeaderBytes& known) {
  const std::uint32_t generations =
      big_endian(known, kSequenceAt) - big_endian(header, kSequenceAt);
  return big_endian(header, kSequenceAt) < big_endian(known, kSequenceAt) &&
         big_endian(header, kHeaderSaltAt) + generations == big_endian(known, kHeaderSaltAt);
}

// Whether fewer frames are read than were acknowledged. Another header that is no older one, whole
// or torn, tells of no loss: before it is written, all of the old frames have been copied into the
// database.
bool falls_short(const WalFile& wal, const WalHeaderBytes& header, const WalReach& acknowledged) {
  if (header == acknowledged.header) {
    return generation_of(wal, header).has_value() && wal.frames < acknowledged.frames;
  }
  if (is_sound(header) && is_older(header, acknowledged.header)) {
    return true;
  }
  return acknowledged.frames != 0 && !is_sound(header) &&
         is_damaged(wal, header, acknowledged.header);
}

class Frames {
 public:
  Frames(const WalFile& wal, const Generation& generation) : wal_(wal), generation_(generation) {}

  bool read(std::uint64_t number, FrameHeader* header) const {
    return generation_.end_of(number + 1) <= wal_.size_bytes &&
           wal_.read(generation_.end_of(number), *header);
  }
  bool is_own(std::uint64_t number) const {
    FrameHeader header{};
    return read(number, &header) && generation_.owns(header);
  }
  // Whether the frame's sums are those of the one before it, gone on over its own bytes; and its
  // page.
  bool follows(std::uint64_t number, const FrameHeader& header, const FrameHeader& before,
               std::vector<unsigned char>* page) const {
    page->resize(generation_.page_bytes);
    if (!wal_.read(generation_.end_of(number) + kWalFrameHeaderBytes, *page)) {
      return false;
    }
    Sums sums = Sums::at(before, kFrameSumsAt);
    sums.add(Bytes(header).first(kFrameSaltAt), generation_.big);
    sums.add(*page, generation_.big);
    return sums == Sums::at(header, kFrameSumsAt);
  }

 private:
  const WalFile& wal_;
  const Generation& generation_;
};

// Both frames are compared with the sums before them: a torn one may have the first bytes of
// another that was in its place. The first frame that SQLite refuses is no such commit. On some
// disks a commit's last frame is there again, to fill the sector before the sync.
bool goes_on(const WalFile& wal, const Generation& generation) {
  const Frames frames(wal, generation);
  FrameHeader before{};
  FrameHeader last{};
  FrameHeader next{};
  if (!frames.read(wal.frames, &before) || !frames.read(wal.frames + 1, &last)) {
    return false;
  }
  std::vector<unsigned char> last_page;
  std::vector<unsigned char> next_page;
  for (std::uint64_t number = wal.frames + 2; frames.read(number, &next); ++number) {
    const bool may_be = generation.owns(next) && generation.owns(last) &&
                        big_endian(last, kCommitAt) != 0 &&
                        frames.follows(number - 1, last, before, &last_page) &&
                        frames.follows(number, next, last, &next_page);
    const auto same_place = [&] {
      return std::equal(next.begin(), next.begin() + kFrameSaltAt, last.begin());
    };
    if (may_be && !(same_place() && last_page == next_page)) {
      return true;
    }
    before = last;
    last = next;
  }
  return false;
}

// The same, told by some of the frames: the damage may be in what is looked at first, and of any
// size.
bool may_go_on(const WalFile& wal, const Generation& generation) {
  constexpr std::uint64_t kEach = 4;
  const Frames frames(wal, generation);
  for (std::uint64_t step = 0; generation.end_of(wal.frames + step + 1) <= wal.size_bytes;
       step += std::max<std::uint64_t>(1, step / kEach)) {
    if (frames.is_own(wal.frames + step)) {
      return true;
    }
  }
  return false;
}

// Whether the file ends before what was acknowledged, or, if `ask` says so, it goes on behind what
// is read of it.
bool is_short_or(const WalFile& wal, const std::optional<WalReach>& acknowledged,
                 bool (*ask)(const WalFile&, const Generation&)) {
  const std::optional<WalHeaderBytes> header = read_header(wal);
  if (!header.has_value()) {
    return false;
  }
  if (acknowledged.has_value() && falls_short(wal, *header, *acknowledged)) {
    return true;
  }
  const std::optional<Generation> generation = generation_of(wal, *header);
  return generation.has_value() && ask(wal, *generation);
}

}  // namespace

WalReachText encode_reach(const WalReach& reach) {
  WalReachText text{};
  std::memcpy(text.data(), reach.header.data(), kWalHeaderBytes);
  std::size_t end = kWalHeaderBytes;
  for (const std::uint64_t number : {reach.frames, reach.page, reach.page_sum, reach.boot}) {
    std::memcpy(text.data() + end, &number, sizeof number);
    end += sizeof number;
  }
  const std::uint64_t sum = checksum64(std::string_view(text.data(), end));
  std::memcpy(text.data() + end, &sum, sizeof sum);
  return text;
}

std::optional<WalReach> decode_reach(std::string_view text) {
  WalReach reach;
  if (text.size() != sizeof(WalReachText)) {
    return std::nullopt;
  }
  std::memcpy(reach.header.data(), text.data(), kWalHeaderBytes);
  std::size_t end = kWalHeaderBytes;
  for (std::uint64_t* number : {&reach.frames, &reach.page, &reach.page_sum, &reach.boot}) {
    std::memcpy(number, text.data() + end, sizeof *number);
    end += sizeof *number;
  }
  const WalReachText again = encode_reach(reach);
  return std::ranges::equal(again, text) ? std::optional(reach) : std::nullopt;
}

bool may_have_lost(const WalFile& wal, const std::optional<WalReach>& acknowledged) {
  return is_short_or(wal, acknowledged, may_go_on);
}

bool has_lost(const WalFile& wal, const std::optional<WalReach>& acknowledged) {
  return is_short_or(wal, acknowledged, goes_on);
}

bool is_acknowledged(const WalFile& wal, const WalReach& acknowledged) {
  const std::optional<WalHeaderBytes> header = read_header(wal);
  return header.has_value() && *header == acknowledged.header &&
         generation_of(wal, *header).has_value() && wal.frames != 0 &&
         wal.frames <= acknowledged.frames;
}

bool has_indexed(const WalFile& wal) {
  return wal.frames == 0 || (wal_end_bytes(wal) != 0 && wal_end_bytes(wal) <= wal.size_bytes);
}

std::size_t page_bytes_of(const WalHeaderBytes& header) {
  constexpr std::uint32_t kPageBytesMin = 512;
  constexpr std::uint32_t kPageBytesMax = 65536;
  const std::uint32_t bytes = big_endian(header, kPageSizeAt);
  const bool sound = is_sound(header) && std::has_single_bit(bytes) && bytes >= kPageBytesMin &&
                     bytes <= kPageBytesMax;
  return sound ? bytes : 0;
}

std::uint64_t page_of_frame(std::span<const unsigned char, kWalFrameHeaderBytes> header) {
  return big_endian(header, 0);
}

std::uint64_t wal_end_bytes(const WalFile& wal) {
  const std::optional<WalHeaderBytes> header = read_header(wal);
  const auto generation = header.has_value() ? generation_of(wal, *header) : std::nullopt;
  return generation.has_value() ? generation->end_of(wal.frames) : 0;
}

}  // namespace evq
