#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/base/ascii.h"
#include "store/base/bytes.h"
#include "store/base/limits.h"
#include "store/encoding/bitpack.h"
#include "store/encoding/letter_packer.h"
#include "store/encoding/letter_reader.h"
#include "store/encoding/packed_letters.h"
#include "store/encoding/schemes.h"

// Packed text: ids written in few letters (hexadecimal, base 32, base 64) take 1 to 6 bits a
// letter. Zstd cannot use that, because nothing repeats. All values have one length, but for a few
// exceptions; places that hold the same byte in every value ("did:plc:", hyphens) are stored once.
// Ids that grow with time (their letters in order of their meaning) are even smaller as integers.
//
//   varint exceptions; with exceptions: stream of their rows (longs), stream of their texts
//   u8 bits a letter, u8 letters less one, the letters in ascending order
//   varint length, the bytes of one value, length bits: 1 = the place varies (packed, (length
//   + 7) / 8 bytes, first place lowest)
//   u8 form, then the letters' numbers at the varying places of all values, those of exceptions
//   being anything:
//     0 packed one after the other
//     1 stream of longs, one a value: the first varying place in the highest bits
//     2 packed without bits that are the same in every value, which letters have where bytes end in
//       their midst: of a value's bits in form 0, first which are stored (one bit each, (bits + 7)
//       / 8 bytes), then what the others are (as many bytes); then the stored bits of all values
//       one after the other. Of every eight letters, bits are left out below, above and in one
//       place between those stored. The letters' order is any.

namespace evq {
namespace {

constexpr std::size_t kLengthMax = 255;
// At most one value in this many has another length.
constexpr std::size_t kExceptionShare = 16;
// A value's letters as one long.
constexpr std::size_t kIntegerBitsMax = 60;
constexpr std::size_t kPackedSlackBytes = 64;
// Values that tell what to expect of all.
constexpr std::size_t kProbeValues = 128;

struct Layout {
  unsigned bits = 0;
  std::string letters;                // by their numbers
  std::string first;                  // the first value
  std::vector<std::uint32_t> places;  // that vary

  std::size_t value_bits() const { return places.size() * bits; }
};

// The values of the common length; others are exceptions, and stand-ins take their places.
struct Uniform {
  std::span<const std::string_view> texts;
  std::vector<std::string_view> with_stand_ins;  // behind `texts` when there are exceptions
  std::vector<std::int64_t> exception_rows;
  std::vector<std::string_view> exceptions;
};

// The length that most of the first values have.
std::size_t common_length(const std::string_view* texts, std::size_t size) {
  constexpr std::size_t kProbe = 33;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < std::min(size, kProbe); ++i) {
    lengths.push_back(texts[i].size());
  }
  std::nth_element(lengths.begin(),
                   lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2),
                   lengths.end());
  return lengths[lengths.size() / 2];
}

bool make_uniform(const std::string_view* texts, std::size_t size, Uniform* uniform) {
  const std::size_t length = common_length(texts, size);
  if (length == 0 || length > kLengthMax) {
    return false;
  }
  const auto fits = [length](std::string_view text) { return text.size() == length; };
  uniform->texts = {texts, size};
  if (std::all_of(texts, texts + size, fits)) {
    return true;
  }
  uniform->with_stand_ins.assign(texts, texts + size);
  uniform->texts = uniform->with_stand_ins;
  std::string_view last = *std::find_if(texts, texts + size, fits);
  for (std::size_t i = 0; i < size; ++i) {
    if (texts[i].size() == length) {
      last = texts[i];
      continue;
    }
    uniform->with_stand_ins[i] = last;
    uniform->exception_rows.push_back(static_cast<std::int64_t>(i));
    uniform->exceptions.push_back(texts[i]);
    if (uniform->exceptions.size() * kExceptionShare > size) {
      return false;
    }
  }
  return true;
}

// Eight bytes of every value.
struct Word {
  std::size_t place = 0;
  std::uint64_t differs = 0;  // bits that some value has otherwise than the first

  bool has_fixed_byte() const {
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    return ((differs - kOnes) & ~differs & (kOnes << 7)) != 0;
  }
};

// The words of values of at least eight bytes; the last may overlap the one before.
std::vector<Word> words_of(std::size_t length) {
  std::vector<Word> words;
  for (std::size_t place = 0; place + 8 <= length; place += 8) {
    words.push_back({place});
  }
  if (length % 8 != 0) {
    words.push_back({length - 8});
  }
  return words;
}

// The bytes where the values, all of one length, are not all the same: word by word, and where some
// of the values have shown already that all bytes of a word vary, no further.
std::array<bool, kLengthMax> varying_bytes(std::span<const std::string_view> texts) {
  std::array<bool, kLengthMax> varies{};
  const std::size_t length = texts[0].size();
  const char* first = texts[0].data();
  if (length < 8) {
    for (const std::string_view text : texts) {
      for (std::size_t p = 0; p < length; ++p) {
        varies[p] |= text[p] != first[p];
      }
    }
    return varies;
  }
  std::vector<Word> words = words_of(length);
  std::span<Word> open = words;
  const auto compare = [&](std::string_view text) {
    for (Word& word : open) {
      word.differs |= load64(text.data() + word.place) ^ load64(first + word.place);
    }
  };
  const std::size_t step = std::max<std::size_t>(texts.size() / kProbeValues, 1);
  for (std::size_t i = 0; i < texts.size(); i += step) {
    compare(texts[i]);
  }
  const auto end = std::partition(words.begin(), words.end(),
                                  [](const Word& word) { return word.has_fixed_byte(); });
  open = open.first(static_cast<std::size_t>(end - words.begin()));
  std::ranges::for_each(texts, compare);
  for (const Word& word : words) {
    for (std::size_t byte = 0; byte < 8; ++byte) {
      varies[word.place + byte] |= ((word.differs >> (8 * byte)) & 0xFF) != 0;
    }
  }
  return varies;
}

std::vector<std::uint32_t> varying_places(std::span<const std::string_view> texts) {
  const std::array<bool, kLengthMax> varies = varying_bytes(texts);
  std::vector<std::uint32_t> places;
  for (std::size_t p = 0; p < texts[0].size(); ++p) {
    if (varies[p]) {
      places.push_back(static_cast<std::uint32_t>(p));
    }
  }
  return places;
}

// What the letters at the varying places of some values are, ascending.
std::string letters_of(std::span<const std::string_view> texts,
                       const std::vector<std::uint32_t>& places) {
  std::array<bool, 256> used{};
  for (const std::string_view text : texts) {
    for (const std::uint32_t p : places) {
      used[static_cast<unsigned char>(text[p])] = true;
    }
  }
  std::string letters;
  for (std::size_t letter = 0; letter < used.size(); ++letter) {
    if (used[letter]) {
      letters.push_back(static_cast<char>(letter));
    }
  }
  return letters;
}

// False when the scheme does not fit.
bool set_letters(std::string letters, Layout* layout) {
  layout->bits = packed_width(std::max<std::size_t>(letters.size(), 2) - 1);
  layout->letters = std::move(letters);
  return layout->bits <= kLetterBitsMax;
}

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

LetterReader reader_of(const Layout& layout) {
  return LetterReader(layout.letters, layout.bits, layout.places, layout.first.size());
}

// Which bits vary in some of the values; nothing when one has a letter the layout lacks.
std::vector<Step> measure_steps(std::span<const std::string_view> texts, const Layout& layout) {
  LetterReader reader = reader_of(layout);
  std::vector<std::uint64_t> first(reader.words());
  std::vector<std::uint64_t> varying(reader.words(), 0);
  reader.read(texts[0].data());
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = reader.word(i);
  }
  for (const std::string_view text : texts) {
    reader.read(text.data());
    for (std::size_t i = 0; i < first.size(); ++i) {
      varying[i] |= reader.word(i) ^ first[i];
    }
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < first.size(); ++i) {
    steps.push_back(make_step(reader.letters(i) * layout.bits, varying[i], first[i]));
  }
  return reader.saw_other_bytes() ? std::vector<Step>() : steps;
}

// The letters in the order of RFC 4648, where it leaves more bits out: base 32 and 64 of bytes.
std::vector<Step> order_letters(std::span<const std::string_view> texts, Layout* layout) {
  std::vector<Step> steps = measure_steps(texts, *layout);
  Layout other = *layout;
  const auto letters_end =
      std::stable_partition(other.letters.begin(), other.letters.end(), is_letter);
  std::stable_partition(letters_end, other.letters.end(), is_digit);
  std::vector<Step> other_steps = measure_steps(texts, other);
  if (stored_bits_of(other_steps) < stored_bits_of(steps)) {
    *layout = std::move(other);
    return other_steps;
  }
  return steps;
}

struct Packed {
  std::vector<Step> steps;
  std::optional<BitRun> bits;
};

enum class PackOutcome : std::uint8_t { kPacked, kMissingLetter, kMissingBits };

// Packs the steps' bits of all values. When bits vary that the steps leave out, the steps get them.
PackOutcome pack_letters(std::span<const std::string_view> texts, const Layout& layout,
                         Packed* packed) {
  PackedValues values =
      pack_values(texts, {layout.letters, layout.bits, layout.places}, packed->steps);
  if (values.other_bytes) {
    return PackOutcome::kMissingLetter;
  }
  bool complete = true;
  for (std::size_t i = 0; i < packed->steps.size(); ++i) {
    Step& step = packed->steps[i];
    complete = complete && values.missing[i] == 0;
    step = make_step(step.bits, step.varying | values.missing[i], step.fixed);
  }
  packed->bits = std::move(values.bits);
  return complete ? PackOutcome::kPacked : PackOutcome::kMissingBits;
}

// Letters and varying places of values of one length, and the packed letters; false when the
// scheme does not fit. Letters and bits of some values are nearly always those of all.
bool measure_and_pack(std::span<const std::string_view> texts, Layout* layout, Packed* packed) {
  layout->first = texts[0];
  layout->places = varying_places(texts);
  std::vector<std::string_view> probe;
  for (std::size_t i = 0; i < std::min(kProbeValues, texts.size()); ++i) {
    probe.push_back(texts[i * texts.size() / std::min(kProbeValues, texts.size())]);
  }
  if (layout->places.empty() || !set_letters(letters_of(probe, layout->places), layout)) {
    return false;
  }
  packed->steps = order_letters(probe, layout);
  for (;;) {
    switch (pack_letters(texts, *layout, packed)) {
      case PackOutcome::kPacked:
        return true;
      case PackOutcome::kMissingLetter:
        if (!set_letters(letters_of(texts, layout->places), layout)) {
          return false;
        }
        packed->steps = order_letters(probe, layout);
        break;
      case PackOutcome::kMissingBits:
        break;
    }
  }
}

void write_layout(const Layout& layout, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(layout.bits));
  out.u8(static_cast<std::uint8_t>(layout.letters.size() - 1));
  out.raw(layout.letters);
  out.string(layout.first);
  std::string varies((layout.first.size() + 7) / 8, '\0');
  for (const std::uint32_t p : layout.places) {
    varies[p / 8] = static_cast<char>(varies[p / 8] | (1 << (p % 8)));
  }
  out.raw(varies);
}

// Places for decoded values of one length, side by side; the caller fills in the letters.
struct Target {
  std::shared_ptr<char[]> text;
  std::size_t length = 0;

  char* at(std::size_t i) const { return text.get() + i * length; }
};

void decode_packed(std::string_view stored, const Layout& layout, const std::vector<Step>& steps,
                   const RowSet& rows, const Target& target) {
  // The kernel reads up to eight bytes past the last letter.
  std::string packed(stored);
  packed.append(kPackedSlackBytes, '\0');
  const LetterPairs pairs(layout.letters, layout.bits);
  const std::size_t letters = layout.places.size();
  const std::size_t value_bits = stored_bits_of(steps);
  // Letters at the end of the value are decoded in place: what the kernel writes past them is
  // overwritten by the next value.
  const bool in_place = letters > 0 && layout.places.back() + 1 == target.length &&
                        layout.places.back() - layout.places.front() + 1 == letters;
  const bool whole = value_bits == layout.value_bits();
  const auto decode_value = [&](std::size_t row, char* out) {
    const std::size_t bit = row * value_bits;
    if (whole) {
      pairs.decode(packed.data(), bit, letters, out);
    } else {
      pairs.decode(packed.data(), bit, steps, out);
    }
  };
  std::array<char, kLengthMax + 2 * kLettersAtOnce> varying;
  for (std::size_t i = 0; i < rows.count; ++i) {
    char* at = target.at(i);
    layout.first.copy(at, target.length);
    if (in_place) {
      decode_value(rows[i], at + layout.places.front());
      continue;
    }
    decode_value(rows[i], varying.data());
    for (std::size_t k = 0; k < letters; ++k) {
      at[layout.places[k]] = varying[k];
    }
  }
}

Status decode_integers(ByteReader& in, const Layout& layout, const DecodeRequest& request,
                       const Target& target) {
  DecodeRequest inner = request;
  inner.type = Type::kLong;
  ++inner.nesting;
  EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, inner));
  std::array<char, std::size_t{1} << kLetterBitsMax> letters{};
  layout.letters.copy(letters.data(), letters.size());
  const std::uint64_t mask = (std::uint64_t{1} << layout.bits) - 1;
  for (std::size_t i = 0; i < request.rows.count; ++i) {
    auto integer = static_cast<std::uint64_t>(coded.at<std::int64_t>(i));
    char* at = target.at(i);
    layout.first.copy(at, target.length);
    for (std::size_t k = layout.places.size(); k-- > 0; integer >>= layout.bits) {
      at[layout.places[k]] = letters[integer & mask];
    }
  }
  return {};
}

// Whether a text has the places that all values share; the others are read by letters.
bool has_fixed_places(const Layout& layout, std::string_view text) {
  std::size_t varying = 0;
  for (std::size_t p = 0; p < text.size(); ++p) {
    if (varying < layout.places.size() && layout.places[varying] == p) {
      ++varying;
    } else if (text[p] != layout.first[p]) {
      return false;
    }
  }
  return true;
}

bool has_integer(ByteReader& in, std::size_t size, std::int64_t integer) {
  const auto values = decode_stream(in, {Type::kLong, size, {0, size, nullptr}, 1});
  if (!values.ok() || !values->is_flat()) {
    return true;
  }
  const auto* data = values->values().data<std::int64_t>();
  return std::find(data, data + size, integer) != data + size;
}

class PackedText final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kPackedText; }
  std::string_view name() const override { return "packed text"; }
  bool accepts(Type type) const override { return type == Type::kString; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    Layout layout;
    Uniform uniform;
    Packed packed;
    if (!make_uniform(values.data<std::string_view>(), values.size, &uniform) ||
        !measure_and_pack(uniform.texts, &layout, &packed)) {
      return false;
    }
    const std::string_view bits = packed.bits->view();
    const std::size_t exceptions = uniform.exceptions.size();
    out.varint(exceptions);
    if (exceptions > 0) {
      encode_stream({Type::kLong, exceptions, uniform.exception_rows.data()}, options, out);
      encode_stream({Type::kString, exceptions, uniform.exceptions.data()}, options, out);
    }
    if (layout.value_bits() <= kIntegerBitsMax) {
      Layout ascending = layout;
      std::sort(ascending.letters.begin(), ascending.letters.end(), std::less<unsigned char>());
      ByteWriter integers;
      const std::vector<std::int64_t> numbers =
          pack_integers(uniform.texts, {ascending.letters, ascending.bits, ascending.places});
      encode_stream({Type::kLong, numbers.size(), numbers.data()}, options, integers);
      if (integers.size() < bits.size()) {
        write_layout(ascending, out);
        out.u8(kIntegerForm);
        out.raw(integers.view());
        return true;
      }
    }
    write_layout(layout, out);
    const bool whole = stored_bits_of(packed.steps) == layout.value_bits();
    out.u8(whole ? kPackedForm : kVaryingForm);
    if (!whole) {
      write_steps(packed.steps, out);
    }
    out.raw(bits);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    const std::uint64_t exceptions = in.varint();
    if (!in.ok() || exceptions > request.size) {
      return corrupt_segment("packed text has more exceptions than values");
    }
    Vector rows;
    Vector texts;
    if (exceptions > 0) {
      EVQ_TRY_ASSIGN(rows, decode_stream(in, request.inner(Type::kLong, exceptions)));
      EVQ_TRY_ASSIGN(texts, decode_stream(in, request.inner(Type::kString, exceptions)));
    }
    EVQ_TRY_ASSIGN(auto out, decode_uniform(in, request));
    auto* views = out->template mutable_data<std::string_view>();
    for (std::size_t i = 0; i < exceptions; ++i) {
      const auto row = static_cast<std::uint64_t>(rows.at<std::int64_t>(i));
      if (const std::size_t at = find_row(request.rows, row); at < request.rows.count) {
        views[at] = texts.at<std::string_view>(i);
      }
    }
    if (exceptions > 0) {
      out->set_contiguous_text({});
      out->add_owners_of(texts.values());
    }
    return Vector::flat(std::move(out));
  }

  bool may_have_text(ByteReader& in, std::size_t size, std::string_view text) const override {
    const bool has_exceptions = in.varint() != 0;
    Layout layout;
    const bool sound = read_layout(in, &layout);
    const std::uint8_t form = in.u8();
    if (has_exceptions || !sound || !in.ok() || form > kVaryingForm || layout.places.empty()) {
      return true;
    }
    if (text.size() != layout.first.size() || !has_fixed_places(layout, text)) {
      return false;
    }
    LetterReader reader = reader_of(layout);
    reader.read(text.data());
    if (form == kIntegerForm) {
      const auto integer = static_cast<std::int64_t>(reader.integer());
      return !reader.saw_other_bytes() && has_integer(in, size, integer);
    }
    const std::optional<std::vector<Step>> steps = read_form_steps(in, form, layout);
    if (!steps.has_value()) {
      return true;
    }
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < reader.words(); ++i) {
      words.push_back(reader.word(i));
    }
    const std::string_view stored = in.take((size * stored_bits_of(*steps) + 7) / 8);
    return !in.ok() || (!reader.saw_other_bytes() && has_packed(stored, size, *steps, words));
  }

 private:
  static constexpr std::uint8_t kPackedForm = 0;
  static constexpr std::uint8_t kIntegerForm = 1;
  static constexpr std::uint8_t kVaryingForm = 2;

  // Nothing when they are not what an encoder writes.
  static std::optional<std::vector<Step>> read_form_steps(ByteReader& in, std::uint8_t form,
                                                          const Layout& layout) {
    return form == kVaryingForm ? read_steps(in, layout.places.size(), layout.bits)
                                : whole_steps(layout.places.size(), layout.bits);
  }

  // All values as if there were no exceptions.
  static Result<std::shared_ptr<Values>> decode_uniform(ByteReader& in,
                                                        const DecodeRequest& request) {
    Layout layout;
    const bool sound = read_layout(in, &layout);
    const std::uint8_t form = in.u8();
    if (!sound || !in.ok() || form > kVaryingForm) {
      return corrupt_segment("packed text has a bad header");
    }
    const std::size_t count = request.rows.count;
    const std::size_t length = layout.first.size();
    const Target target{std::make_shared_for_overwrite<char[]>(count * length + kPackedSlackBytes),
                        length};
    if (form == kIntegerForm) {
      EVQ_TRY(decode_integers(in, layout, request, target));
    } else {
      const std::optional<std::vector<Step>> steps = read_form_steps(in, form, layout);
      if (!steps.has_value()) {
        return corrupt_segment("packed text leaves out bits it cannot");
      }
      const std::string_view stored = in.take((request.size * stored_bits_of(*steps) + 7) / 8);
      if (!in.ok()) {
        return corrupt_segment("packed text ends early");
      }
      decode_packed(stored, layout, *steps, request.rows, target);
    }
    std::memset(target.at(count), 0, kPackedSlackBytes);
    auto out = Values::make(request.type, count);
    auto* views = out->mutable_data<std::string_view>();
    for (std::size_t i = 0; i < count; ++i) {
      views[i] = {target.at(i), length};
    }
    out->set_contiguous_text({target.text.get(), count * length});
    out->add_owner({target.text, count * length});
    return out;
  }
};

}  // namespace

const ColumnEncoding& packed_text() {
  static const PackedText kEncoding;
  return kEncoding;
}

}  // namespace evq
