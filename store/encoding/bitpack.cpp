#include "store/encoding/bitpack.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "store/base/bytes.h"
#include "store/base/check.h"

// Eight numbers of W bits fill exactly W bytes, so a group of eight starts at a byte and every
// number's byte offset and shift inside it are constants of the kernel for W. A kernel may read up
// to eight bytes behind its group; the last groups of a run therefore go through a padded copy.

namespace evq {
namespace {

constexpr std::size_t kGroup = 8;
constexpr std::size_t kSlack = 8;

template <unsigned W>
constexpr std::uint64_t kMask = W == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (W % 64)) - 1;

template <class T, unsigned W>
void unpack_groups(const char* in, std::size_t groups, T* out) {
  for (std::size_t g = 0; g < groups; ++g, in += W, out += kGroup) {
    if constexpr (W == 0) {
      std::fill_n(out, kGroup, T{0});
    } else if constexpr (W == 8 * sizeof(T)) {
      std::memcpy(out, in, W);
    } else {
      [&]<std::size_t... J>(std::index_sequence<J...>) {
        ((out[J] = static_cast<T>((load64(in + J * W / 8) >> (J * W % 8)) & kMask<W>)), ...);
      }
      (std::make_index_sequence<kGroup>());
    }
  }
}

template <class T>
using Unpack = void (*)(const char*, std::size_t, T*);

template <class T>
constexpr auto unpack_table() {
  return []<std::size_t... W>(std::index_sequence<W...>) {
    return std::array<Unpack<T>, sizeof...(W)>{&unpack_groups<T, static_cast<unsigned>(W)>...};
  }
  (std::make_index_sequence<kPackedWidthMax + 1>());
}

template <class T>
constexpr auto kUnpack = unpack_table<T>();

template <class T>
void unpack_any(const char* in, std::size_t count, unsigned width, T* out) {
  EVQ_DCHECK(is_packed_width(width));
  if (width == 64) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = static_cast<T>(load64(in + i * 8));
    }
    return;
  }
  const Unpack<T> kernel = kUnpack<T>[width];
  const std::size_t bytes = packed_bytes(count, width);
  // Groups whose reads stay inside the packed bytes.
  std::size_t groups = count / kGroup;
  while (groups > 0 && groups * width + kSlack > bytes) {
    --groups;
  }
  kernel(in, groups, out);
  std::array<char, 4 * kPackedWidthMax + 2 * kSlack> tail;
  std::array<T, kGroup> numbers;
  for (std::size_t i = groups * kGroup; i < count; i += kGroup) {
    const std::size_t offset = i / kGroup * width;
    tail.fill(0);
    std::memcpy(tail.data(), in + offset, std::min<std::size_t>(bytes - offset, width));
    kernel(tail.data(), 1, numbers.data());
    std::copy_n(numbers.data(), std::min(kGroup, count - i), out + i);
  }
}

// Sets bits [kBit, kBit + W) of the words, which are zero there.
template <std::size_t kBit, unsigned W>
void put_bits(std::uint64_t value, std::uint64_t* words) {
  constexpr std::size_t kWord = kBit / 64;
  constexpr unsigned kShift = kBit % 64;
  words[kWord] |= value << kShift;
  if constexpr (kShift + W > 64) {
    words[kWord + 1] |= value >> (64 - kShift);
  }
}

template <class T, unsigned W>
void pack_groups(const T* in, std::size_t groups, char* out) {
  if constexpr (W != 0) {
    for (std::size_t g = 0; g < groups; ++g, in += kGroup, out += W) {
      std::array<std::uint64_t, (W + 7) / 8> words{};
      [&]<std::size_t... J>(std::index_sequence<J...>) {
        (put_bits<J * W, W>(static_cast<std::uint64_t>(in[J]), words.data()), ...);
      }
      (std::make_index_sequence<kGroup>());
      std::memcpy(out, words.data(), W);
    }
  }
}

template <class T>
using Pack = void (*)(const T*, std::size_t, char*);

template <class T>
constexpr auto pack_table() {
  return []<std::size_t... W>(std::index_sequence<W...>) {
    return std::array<Pack<T>, sizeof...(W)>{&pack_groups<T, static_cast<unsigned>(W)>...};
  }
  (std::make_index_sequence<std::min<std::size_t>(kPackedWidthMax, 8 * sizeof(T)) + 1>());
}

template <class T>
constexpr auto kPack = pack_table<T>();

template <class T>
void pack_any(const T* values, std::size_t count, unsigned width, ByteWriter& out) {
  EVQ_DCHECK(is_packed_width(width));
  if (width == 64) {
    for (std::size_t i = 0; i < count; ++i) {
      out.u64(static_cast<std::uint64_t>(values[i]));
    }
    return;
  }
  constexpr std::size_t kGroupsAtOnce = 16;
  const Pack<T> kernel = kPack<T>[width];
  std::array<char, kGroupsAtOnce * kPackedWidthMax> buffer;
  std::size_t groups = count / kGroup;
  while (groups > 0) {
    const std::size_t some = std::min(groups, kGroupsAtOnce);
    kernel(values, some, buffer.data());
    out.raw(std::string_view(buffer.data(), some * width));
    values += some * kGroup;
    groups -= some;
  }
  if (const std::size_t rest = count % kGroup; rest != 0) {
    std::array<T, kGroup> padded{};
    std::copy_n(values, rest, padded.data());
    kernel(padded.data(), 1, buffer.data());
    out.raw(std::string_view(buffer.data(), packed_bytes(rest, width)));
  }
}

}  // namespace

unsigned packed_width(std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  return width > kPackedWidthMax ? 64 : width;
}

void pack_bits(const std::uint64_t* values, std::size_t count, unsigned width, ByteWriter& out) {
  pack_any(values, count, width, out);
}

void pack_bits(const std::uint16_t* values, std::size_t count, unsigned width, ByteWriter& out) {
  pack_any(values, count, width, out);
}

void unpack_bits(const char* in, std::size_t count, unsigned width, std::uint64_t* out) {
  unpack_any(in, count, width, out);
}

void unpack_bits(const char* in, std::size_t count, unsigned width, std::uint16_t* out) {
  unpack_any(in, count, width, out);
}

std::uint64_t unpack_one(const char* in, std::size_t count, unsigned width, std::size_t index) {
  EVQ_DCHECK(index < count && is_packed_width(width));
  const std::size_t bytes = packed_bytes(count, width);
  const std::size_t bit = index * width;
  if (bit / 8 >= bytes) {
    return 0;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, in + bit / 8, std::min<std::size_t>(bytes - bit / 8, sizeof word));
  word >>= bit % 8;
  return width == 64 ? word : word & ((std::uint64_t{1} << width) - 1);
}

}  // namespace evq
