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

// The bytes of so many letters, the bits that they have.
std::uint64_t letter_lanes(unsigned letters, unsigned letter_bits) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  return (kOnes * ((1U << letter_bits) - 1)) & (~std::uint64_t{0} >> (64 - 8 * letters));
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

PackKernel best_pack_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("bmi2") != 0) {
    return PackKernel::kAvx512;
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
#else
  static_cast<void>(kernel);
#endif
  return pack_integers_portably(texts, code);
}

}  // namespace evq
