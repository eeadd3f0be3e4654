#include "store/encoding/letter_packer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "store/base/check.h"
#include "store/encoding/letter_reader.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace evq {
namespace {

PackedValues pack_portably(std::span<const std::string_view> texts, const LetterCode& code,
                           std::span<const Step> steps) {
  LetterReader reader(code.letters, code.bits, code.places, texts[0].size());
  BitRun run(texts.size() * stored_bits_of(steps));
  std::vector<std::uint64_t> missing(steps.size(), 0);
  for (const std::string_view text : texts) {
    reader.read(text.data());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const std::uint64_t word = reader.word(i);
      if (step.stored_bits == step.bits) {  // all of them
        run.add(word, step.bits);
        continue;
      }
      missing[i] |= (word ^ step.fixed) & ~step.varying;
      run.add(step.compact(word), step.stored_bits);
    }
  }
  return {std::move(run), std::move(missing), reader.saw_other_bytes()};
}

std::vector<std::int64_t> pack_integers_portably(std::span<const std::string_view> texts,
                                                 const LetterCode& code) {
  LetterReader reader(code.letters, code.bits, code.places, texts[0].size());
  std::vector<std::int64_t> integers(texts.size());
  std::ranges::transform(texts, integers.begin(), [&reader](std::string_view text) {
    reader.read(text.data());
    return static_cast<std::int64_t>(reader.integer());
  });
  return integers;
}

#if defined(__x86_64__)
// The bytes of so many letters, the bits that they have.
std::uint64_t letter_lanes(unsigned letters, unsigned letter_bits) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  return (kOnes * ((1U << letter_bits) - 1)) & (~std::uint64_t{0} >> (64 - 8 * letters));
}

// ---- BMI2

// Picks up to eight bytes of a text by their places: with one shuffle where they lie in one window.
class BytePicker {
 public:
  // The byte at the first place comes first. `length` is that of every text, at least eight.
  BytePicker(std::span<const std::uint32_t> places, std::size_t length)
      : count_(places.size()), length_(length) {
    std::ranges::copy(places, places_.begin());
    const auto [least, most] = std::ranges::minmax(places);
    window_at_ = length < kWindowBytes ? 0 : std::min<std::size_t>(least, length - kWindowBytes);
    near_ = most - window_at_ < kWindowBytes;
    shuffle_.fill(kNothing);
    for (std::size_t i = 0; near_ && i < count_; ++i) {
      shuffle_[i] = static_cast<std::uint8_t>(place_in_window(places[i]));
    }
  }

  // In the lowest eight bytes, zeros behind them.
  __attribute__((target("avx2"))) __m128i pick(const char* text) const {
    if (near_) {
      const __m128i order = _mm_load_si128(reinterpret_cast<const __m128i*>(shuffle_.data()));
      return _mm_shuffle_epi8(window_of(text), order);
    }
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      bytes |= std::uint64_t{static_cast<unsigned char>(text[places_[i]])} << (8 * i);
    }
    return _mm_cvtsi64_si128(static_cast<std::int64_t>(bytes));
  }

 private:
  static constexpr std::size_t kWindowBytes = 16;
  static constexpr std::uint8_t kNothing = 0x80;  // a byte of zeros, as shuffles say it

  // Of a text that is shorter than a window both ends are there, eight bytes each.
  std::size_t place_in_window(std::size_t place) const {
    const std::size_t half = kWindowBytes / 2;
    return length_ < kWindowBytes && place >= half ? kWindowBytes + place - length_
                                                   : place - window_at_;
  }
  __m128i window_of(const char* text) const {
    if (length_ >= kWindowBytes) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + window_at_));
    }
    const char* end = text + length_ - kWindowBytes / 2;
    return _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(text)),
                              _mm_loadl_epi64(reinterpret_cast<const __m128i*>(end)));
  }

  alignas(kWindowBytes) std::array<std::uint8_t, kWindowBytes> shuffle_{};
  std::array<std::uint32_t, kLettersAtOnce> places_{};
  std::size_t count_;
  std::size_t length_;
  std::size_t window_at_ = 0;
  bool near_ = false;
};

// The letters of a text, eight a word, in the order of places that it is given. Nothing goes
// through memory between the text and the words: a load soon after stores of other sizes waits for
// them.
class WordPicker {
 public:
  // `reader` must outlive this object, and read widely.
  WordPicker(const LetterReader& reader, std::span<const std::uint32_t> places, std::size_t length)
      : reader_(reader) {
    for (std::size_t at = 0; at < places.size(); at += kLettersAtOnce) {
      const std::size_t letters = std::min(kLettersAtOnce, places.size() - at);
      pickers_.emplace_back(places.subspan(at, letters), length);
      used_.push_back(~std::uint64_t{0} >> (64 - 8 * letters));
    }
    used_.resize((pickers_.size() + 1) / 2 * 2, 0);
  }

  std::size_t words() const { return pickers_.size(); }
  // Calls `take(i, numbers)` for each word: the numbers of its letters, a byte each, with the
  // highest bit for a byte that is no letter, and zeros behind them.
  template <class Take>
  __attribute__((target("avx2,bmi2"))) void read(const char* text, const Take& take) const {
    for (std::size_t i = 0; i < pickers_.size(); i += 2) {
      const __m128i low = pickers_[i].pick(text);
      const bool two = i + 1 < pickers_.size();
      const __m128i high = two ? pickers_[i + 1].pick(text) : _mm_setzero_si128();
      const __m128i numbers = reader_.numbers_of(_mm_unpacklo_epi64(low, high));
      take(i, static_cast<std::uint64_t>(_mm_cvtsi128_si64(numbers)) & used_[i]);
      if (two) {
        take(i + 1, static_cast<std::uint64_t>(_mm_extract_epi64(numbers, 1)) & used_[i + 1]);
      }
    }
  }

 private:
  const LetterReader& reader_;
  std::vector<BytePicker> pickers_;
  std::vector<std::uint64_t> used_;  // the bytes of each word's letters
};

// A step whose letters have a byte each.
struct ByteStep {
  std::uint64_t lanes = 0;    // the bits of the letters
  std::uint64_t which = 0;    // the stored ones of them
  std::uint64_t fixed = 0;    // the others' values
  std::uint64_t differs = 0;  // bits in which some value is not as `fixed` has them
  unsigned stored_bits = 0;
};

__attribute__((target("avx2,bmi2"))) PackedValues pack_bmi2(std::span<const std::string_view> texts,
                                                            const LetterReader& reader,
                                                            const LetterCode& code,
                                                            std::span<const Step> steps) {
  const WordPicker picker(reader, code.places, texts[0].size());
  std::vector<ByteStep> all;
  for (const Step& step : steps) {
    const std::uint64_t lanes = letter_lanes(step.bits / code.bits, code.bits);
    all.push_back(
        {lanes, _pdep_u64(step.varying, lanes), _pdep_u64(step.fixed, lanes), 0, step.stored_bits});
  }
  BitRun run(texts.size() * stored_bits_of(steps));
  std::uint64_t seen = 0;
  for (const std::string_view text : texts) {
    picker.read(
        text.data(), [&](std::size_t i, std::uint64_t numbers)
                         __attribute__((target("avx2,bmi2"))) {
                           ByteStep& step = all[i];
                           seen |= numbers;
                           step.differs |= numbers ^ step.fixed;
                           run.add(_pext_u64(numbers, step.which), step.stored_bits);
                         });
  }
  std::vector<std::uint64_t> missing;
  missing.reserve(all.size());
  for (const ByteStep& step : all) {
    missing.push_back(_pext_u64(step.differs & ~step.which, step.lanes));
  }
  constexpr std::uint64_t kNoLetters = 0x8080808080808080ULL;
  return {std::move(run), std::move(missing), (seen & kNoLetters) != 0};
}

// The letters from the last one on, so that those of a word are the lowest that are not there yet.
__attribute__((target("avx2,bmi2"))) std::vector<std::int64_t> pack_integers_bmi2(
    std::span<const std::string_view> texts, const LetterReader& reader, const LetterCode& code) {
  const std::vector<std::uint32_t> backwards(code.places.rbegin(), code.places.rend());
  const WordPicker picker(reader, backwards, texts[0].size());
  const std::uint64_t lanes = letter_lanes(kLettersAtOnce, code.bits);
  const unsigned word_bits = kLettersAtOnce * code.bits;
  std::vector<std::int64_t> integers(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::uint64_t integer = 0;
    picker.read(
        texts[i].data(), [&](std::size_t word, std::uint64_t numbers)
                             __attribute__((target("avx2,bmi2"))) {
                               integer |= _pext_u64(numbers, lanes) << (word * word_bits);
                             });
    integers[i] = static_cast<std::int64_t>(integer);
  }
  return integers;
}

// ---- AVX-512

constexpr std::size_t kVectorBytes = 64;
using VectorBytes = std::array<std::uint8_t, kVectorBytes>;
constexpr std::uint8_t kNoLetter = 0x80;

struct VectorLetters {
  alignas(kVectorBytes) VectorBytes low{};   // the numbers of bytes 0 to 63
  alignas(kVectorBytes) VectorBytes high{};  // of bytes 64 to 127
};

VectorLetters vector_letters(std::string_view letters) {
  VectorLetters all;
  all.low.fill(kNoLetter);
  all.high.fill(kNoLetter);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(letters[i]);
    (byte < kVectorBytes ? all.low : all.high)[byte % kVectorBytes] = static_cast<std::uint8_t>(i);
  }
  return all;
}

// Steps whose letters lie in 64 bytes, eight bytes a step, a letter's number in the lowest bits of
// its byte.
struct VectorSteps {
  struct Stored {
    std::size_t at = 0;       // of the step's first byte
    std::uint64_t which = 0;  // of the eight bytes' bits
    unsigned bits = 0;        // how many
  };

  alignas(kVectorBytes) VectorBytes places{};  // behind the first place, of each letter
  VectorLetters letters;
  alignas(kVectorBytes) VectorBytes fixed{};            // bits that are the same in every value
  alignas(kVectorBytes) VectorBytes never_vary{};       // where those are
  std::array<std::uint64_t, kVectorBytes / 8> lanes{};  // the bits of the step's letters
  std::array<Stored, kVectorBytes / 8> stored{};
  std::size_t stored_count = 0;
};

bool fits_vector(const LetterCode& code) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 2 * kVectorBytes; };
  return code.places.back() - code.places.front() < kVectorBytes &&
         std::all_of(code.letters.begin(), code.letters.end(), is_ascii);
}

__attribute__((target("bmi2"))) VectorSteps vector_steps(const LetterCode& code,
                                                         std::span<const Step> steps) {
  VectorSteps all;
  for (std::size_t i = 0; i < code.places.size(); ++i) {
    all.places[i] = static_cast<std::uint8_t>(code.places[i] - code.places.front());
  }
  all.letters = vector_letters(code.letters);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const std::uint64_t lanes = letter_lanes(step.bits / code.bits, code.bits);
    const std::uint64_t which = _pdep_u64(step.varying, lanes);
    const std::uint64_t fixed = _pdep_u64(step.fixed, lanes);
    const std::uint64_t never = lanes & ~which;
    all.lanes[i] = lanes;
    std::memcpy(all.fixed.data() + 8 * i, &fixed, sizeof fixed);
    std::memcpy(all.never_vary.data() + 8 * i, &never, sizeof never);
    if (step.stored_bits > 0) {
      all.stored[all.stored_count++] = {8 * i, which, step.stored_bits};
    }
  }
  return all;
}

// One look-up turns all letters of a value into numbers, one shuffle puts them side by side.
__attribute__((target("avx512vbmi,avx512bw,bmi2"))) PackedValues pack_avx512(
    std::span<const std::string_view> texts, const LetterCode& code, std::span<const Step> steps) {
  const VectorSteps all = vector_steps(code, steps);
  const std::size_t first = code.places.front();
  const std::size_t width = code.places.back() - first + 1;
  const __mmask64 wanted = ~std::uint64_t{0} >> (kVectorBytes - width);
  const __mmask64 used = ~std::uint64_t{0} >> (kVectorBytes - code.places.size());
  const __m512i places = _mm512_load_si512(all.places.data());
  const __m512i low = _mm512_load_si512(all.letters.low.data());
  const __m512i high = _mm512_load_si512(all.letters.high.data());
  const __m512i fixed = _mm512_load_si512(all.fixed.data());
  const __m512i never_vary = _mm512_load_si512(all.never_vary.data());
  const __m512i beyond_ascii = _mm512_set1_epi8(static_cast<char>(kNoLetter));
  __m512i seen = _mm512_setzero_si512();
  __m512i differs = _mm512_setzero_si512();
  BitRun run(texts.size() * stored_bits_of(steps));
  alignas(kVectorBytes) VectorBytes value;
  for (const std::string_view text : texts) {
    const __m512i bytes = _mm512_maskz_loadu_epi8(wanted, text.data() + first);
    const __m512i known = _mm512_permutex2var_epi8(low, bytes, high);  // by the lower seven bits
    const __m512i all_numbers = _mm512_or_si512(known, _mm512_and_si512(bytes, beyond_ascii));
    const __m512i numbers = _mm512_maskz_permutexvar_epi8(used, places, all_numbers);
    _mm512_store_si512(value.data(), numbers);
    seen = _mm512_or_si512(seen, numbers);
    differs = _mm512_or_si512(differs, _mm512_xor_si512(numbers, fixed));
    for (std::size_t i = 0; i < all.stored_count; ++i) {
      const VectorSteps::Stored& step = all.stored[i];
      std::uint64_t word = 0;
      std::memcpy(&word, value.data() + step.at, sizeof word);
      run.add(_pext_u64(word, step.which), step.bits);
    }
  }
  _mm512_store_si512(value.data(), _mm512_and_si512(differs, never_vary));
  std::vector<std::uint64_t> missing(steps.size(), 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, value.data() + 8 * i, sizeof word);
    missing[i] = _pext_u64(word, all.lanes[i]);
  }
  return {std::move(run), std::move(missing), _mm512_movepi8_mask(seen) != 0};
}

// The letters from the last one on, so that eight bytes are the lowest bits that are not there yet.
__attribute__((target("avx512vbmi,avx512bw,bmi2"))) std::vector<std::int64_t> pack_integers_avx512(
    std::span<const std::string_view> texts, const LetterCode& code) {
  const std::size_t first = code.places.front();
  const std::size_t letters = code.places.size();
  EVQ_CHECK(letters > 0 && letters <= kVectorBytes);
  const std::size_t width = code.places.back() - first + 1;
  alignas(kVectorBytes) VectorBytes backwards{};
  for (std::size_t i = 0; i < letters; ++i) {
    backwards[i] = static_cast<std::uint8_t>(code.places[letters - 1 - i] - first);
  }
  const VectorLetters table = vector_letters(code.letters);
  const __mmask64 wanted = ~std::uint64_t{0} >> (kVectorBytes - width);
  const __mmask64 used = ~std::uint64_t{0} >> (kVectorBytes - letters);
  const __m512i places = _mm512_load_si512(backwards.data());
  const __m512i low = _mm512_load_si512(table.low.data());
  const __m512i high = _mm512_load_si512(table.high.data());
  const std::uint64_t whole_lanes = letter_lanes(8, code.bits);
  const auto rest = static_cast<unsigned>((letters - 1) % 8 + 1);
  const std::uint64_t rest_lanes = letter_lanes(rest, code.bits);
  const std::size_t last = (letters - 1) / 8;
  std::vector<std::int64_t> integers(texts.size());
  alignas(kVectorBytes) std::array<std::uint64_t, kVectorBytes / 8> words;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const __m512i bytes = _mm512_maskz_loadu_epi8(wanted, texts[i].data() + first);
    const __m512i numbers = _mm512_permutex2var_epi8(low, bytes, high);
    _mm512_store_si512(words.data(), _mm512_maskz_permutexvar_epi8(used, places, numbers));
    std::uint64_t integer = _pext_u64(words[last], rest_lanes);
    for (std::size_t word = last; word-- > 0;) {
      integer = integer << (8 * code.bits) | _pext_u64(words[word], whole_lanes);
    }
    integers[i] = static_cast<std::int64_t>(integer);
  }
  return integers;
}
#endif

}  // namespace

bool has_pack_kernel(PackKernel kernel) {
#if defined(__x86_64__)
  const bool bmi2 = __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("avx2") != 0;
  switch (kernel) {
    case PackKernel::kPortable:
      return true;
    case PackKernel::kBmi2:
      return bmi2;
    case PackKernel::kAvx512:
      return bmi2 && __builtin_cpu_supports("avx512vbmi") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0;
  }
#endif
  return kernel == PackKernel::kPortable;
}

PackKernel best_pack_kernel() {
  if (has_pack_kernel(PackKernel::kAvx512)) {
    return PackKernel::kAvx512;
  }
#if defined(__x86_64__)
  if (has_pack_kernel(PackKernel::kBmi2) && __builtin_cpu_is("amdfam17h") == 0) {
    return PackKernel::kBmi2;
  }
#endif
  return PackKernel::kPortable;
}

PackedValues pack_values(std::span<const std::string_view> texts, const LetterCode& code,
                         std::span<const Step> steps, PackKernel kernel) {
#if defined(__x86_64__)
  if (kernel == PackKernel::kAvx512 && fits_vector(code)) {
    return pack_avx512(texts, code, steps);
  }
  const LetterReader reader(code.letters, code.bits, code.places, texts[0].size());
  if (kernel != PackKernel::kPortable && reader.reads_wide()) {
    return pack_bmi2(texts, reader, code, steps);
  }
#else
  static_cast<void>(kernel);
#endif
  return pack_portably(texts, code, steps);
}

std::vector<std::int64_t> pack_integers(std::span<const std::string_view> texts,
                                        const LetterCode& code, PackKernel kernel) {
#if defined(__x86_64__)
  if (kernel == PackKernel::kAvx512 && fits_vector(code)) {
    return pack_integers_avx512(texts, code);
  }
  const LetterReader reader(code.letters, code.bits, code.places, texts[0].size());
  if (kernel != PackKernel::kPortable && reader.reads_wide()) {
    return pack_integers_bmi2(texts, reader, code);
  }
#else
  static_cast<void>(kernel);
#endif
  return pack_integers_portably(texts, code);
}

}  // namespace evq
