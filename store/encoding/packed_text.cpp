#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "store/base/limits.h"
#include "store/encoding/bitpack.h"
#include "store/encoding/schemes.h"

// Packed text: ids written in few letters (hexadecimal, base 32, base 64) take 1 to 6 bits a
// letter. Zstd cannot use that, because nothing repeats. All values have one length; places that
// hold the same byte in every value ("did:plc:", hyphens) are stored once.
//
//   u8 bits a letter, u8 letters less one, the letters in ascending order
//   varint length, the bytes of the first value, length bits: 1 = the place varies (packed, (length
//   + 7) / 8 bytes, first place lowest)
//   the letters' numbers at the varying places of all values, packed

namespace evq {
namespace {

constexpr unsigned kLetterBitsMax = 6;
constexpr std::size_t kLengthMax = 255;
constexpr std::size_t kStep = 8;  // letters decoded at a time
constexpr std::size_t kSlackBytes = 64;

struct Layout {
  unsigned bits = 0;
  std::string letters;
  std::string first;                  // the first value
  std::vector<std::uint32_t> places;  // that vary
};

// Letters and varying places of values of one length; false when the scheme does not fit.
bool measure(const std::string_view* texts, std::size_t size, Layout* layout) {
  const std::size_t length = texts[0].size();
  if (length == 0 || length > kLengthMax) {
    return false;
  }
  std::array<unsigned char, kLengthMax> differs{};
  const char* first = texts[0].data();
  for (std::size_t i = 1; i < size; ++i) {
    if (texts[i].size() != length) {
      return false;
    }
    const char* text = texts[i].data();
    for (std::size_t p = 0; p < length; ++p) {
      differs[p] = static_cast<unsigned char>(differs[p] | (text[p] ^ first[p]));
    }
  }
  for (std::size_t p = 0; p < length; ++p) {
    if (differs[p] != 0) {
      layout->places.push_back(static_cast<std::uint32_t>(p));
    }
  }
  std::array<bool, 256> used{};
  for (std::size_t i = 0; i < size; ++i) {
    for (const std::uint32_t p : layout->places) {
      used[static_cast<unsigned char>(texts[i][p])] = true;
    }
  }
  for (std::size_t letter = 0; letter < used.size(); ++letter) {
    if (used[letter]) {
      layout->letters.push_back(static_cast<char>(letter));
    }
  }
  layout->first = texts[0];
  layout->bits = packed_width(std::max<std::size_t>(layout->letters.size(), 2) - 1);
  return !layout->places.empty() && layout->bits <= kLetterBitsMax;
}

std::uint64_t load64(const char* in) {
  std::uint64_t word = 0;
  std::memcpy(&word, in, sizeof word);
  return word;
}

// Two letters a look-up.
class LetterPairs {
 public:
  explicit LetterPairs(const Layout& layout) : bits_(layout.bits) {
    std::array<char, 64> letters{};
    letters.fill(layout.letters[0]);
    std::copy(layout.letters.begin(), layout.letters.end(), letters.begin());
    const std::size_t count = std::size_t{1} << layout.bits;
    for (std::size_t high = 0; high < count; ++high) {
      for (std::size_t low = 0; low < count; ++low) {
        pairs_[(high << bits_) | low] = {letters[low], letters[high]};
      }
    }
  }

  // `count` letters from bit `bit` on; writes up to kStep - 1 bytes more. Eight bytes behind the
  // last bit must be readable.
  void decode(const char* packed, std::size_t bit, std::size_t count, char* out) const {
    const std::size_t mask = (std::size_t{1} << (2 * bits_)) - 1;
    for (std::size_t done = 0; done < count; done += kStep, bit += kStep * bits_) {
      std::uint64_t word = load64(packed + bit / 8) >> (bit % 8);
      for (std::size_t j = 0; j < kStep; j += 2, word >>= 2 * bits_) {
        std::memcpy(out + done + j, pairs_[word & mask].data(), 2);
      }
    }
  }

 private:
  unsigned bits_;
  std::array<std::array<char, 2>, 4096> pairs_;
};

bool read_layout(ByteReader& in, Layout* layout) {
  layout->bits = in.u8();
  const std::size_t letters = std::size_t{in.u8()} + 1;
  layout->letters = in.take(letters);
  const std::uint64_t length = in.varint();
  if (!in.ok() || layout->bits == 0 || layout->bits > kLetterBitsMax ||
      letters > (std::size_t{1} << layout->bits) || length > kLengthMax) {
    return false;
  }
  layout->first = in.take(length);
  const std::string_view varies = in.take((length + 7) / 8);
  if (!in.ok()) {
    return false;
  }
  for (std::size_t p = 0; p < length; ++p) {
    if (((static_cast<unsigned char>(varies[p / 8]) >> (p % 8)) & 1) != 0) {
      layout->places.push_back(static_cast<std::uint32_t>(p));
    }
  }
  return true;
}

class PackedText final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kPackedText; }
  std::string_view name() const override { return "packed text"; }
  bool accepts(Type type) const override { return type == Type::kString; }

  bool encode(const DenseValues& values, const EncodeOptions&, ByteWriter& out) const override {
    const auto* texts = values.data<std::string_view>();
    Layout layout;
    if (!measure(texts, values.size, &layout)) {
      return false;
    }
    out.u8(static_cast<std::uint8_t>(layout.bits));
    out.u8(static_cast<std::uint8_t>(layout.letters.size() - 1));
    out.raw(layout.letters);
    out.string(layout.first);
    std::string varies((layout.first.size() + 7) / 8, '\0');
    for (const std::uint32_t p : layout.places) {
      varies[p / 8] = static_cast<char>(varies[p / 8] | (1 << (p % 8)));
    }
    out.raw(varies);
    pack_letters(texts, values.size, layout, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    Layout layout;
    if (!read_layout(in, &layout)) {
      return corrupt_segment("packed text has a bad header");
    }
    const std::size_t letters = layout.places.size();
    const std::string_view stored = in.take(packed_bytes(request.size * letters, layout.bits));
    if (!in.ok()) {
      return corrupt_segment("packed text ends early");
    }
    auto out = Values::make(request.type, request.rows.count);
    decode_texts(stored, layout, request.rows, *out);
    return Vector::flat(std::move(out));
  }

 private:
  static void pack_letters(const std::string_view* texts, std::size_t size, const Layout& layout,
                           ByteWriter& out) {
    std::array<std::uint8_t, 256> numbers{};
    for (std::size_t i = 0; i < layout.letters.size(); ++i) {
      numbers[static_cast<unsigned char>(layout.letters[i])] = static_cast<std::uint8_t>(i);
    }
    std::string packed(packed_bytes(size * layout.places.size(), layout.bits) + 8, '\0');
    std::uint64_t word = 0;
    unsigned filled = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const char* text = texts[i].data();
      for (const std::uint32_t p : layout.places) {
        word |= std::uint64_t{numbers[static_cast<unsigned char>(text[p])]} << filled;
        filled += layout.bits;
        if (filled >= 48) {
          std::memcpy(packed.data() + at, &word, 6);
          at += 6;
          word >>= 48;
          filled -= 48;
        }
      }
    }
    std::memcpy(packed.data() + at, &word, (filled + 7) / 8);
    out.raw(std::string_view(packed).substr(0, at + (filled + 7) / 8));
  }

  static void decode_texts(std::string_view stored, const Layout& layout, const RowSet& rows,
                           Values& out) {
    // The kernel reads up to eight bytes past the last letter.
    std::string packed(stored);
    packed.append(kSlackBytes, '\0');
    const LetterPairs pairs(layout);
    const std::size_t length = layout.first.size();
    const std::size_t letters = layout.places.size();
    auto text = std::make_shared_for_overwrite<char[]>(rows.count * length + kSlackBytes);
    auto* views = out.mutable_data<std::string_view>();
    const bool one_run = letters > 0 && layout.places.back() - layout.places.front() + 1 == letters;
    std::array<char, kLengthMax + 2 * kStep> varying;
    char* at = text.get();
    for (std::size_t i = 0; i < rows.count; ++i, at += length) {
      const std::size_t bit = rows[i] * letters * layout.bits;
      std::copy_n(layout.first.data(), length, at);
      if (one_run && layout.places.back() + 1 == length) {
        pairs.decode(packed.data(), bit, letters, at + layout.places.front());
      } else {
        pairs.decode(packed.data(), bit, letters, varying.data());
        for (std::size_t k = 0; k < letters; ++k) {
          at[layout.places[k]] = varying[k];
        }
      }
      views[i] = {at, length};
    }
    std::memset(at, 0, kSlackBytes);
    out.set_contiguous_text({text.get(), rows.count * length});
    out.add_owner(std::move(text));
  }
};

}  // namespace

const ColumnEncoding& packed_text() {
  static const PackedText kEncoding;
  return kEncoding;
}

}  // namespace evq
