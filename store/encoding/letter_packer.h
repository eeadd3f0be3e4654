#pragma once
// The letters of many values of one length as packed text (packed_text.cpp) stores them: what its
// encoder spends its time on. Kernels for AVX-512 and for BMI2 beside those for any machine; they
// give the same bits. Functions without state: any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "store/encoding/packed_letters.h"

namespace evq {

enum class PackKernel : std::uint8_t { kPortable, kBmi2, kAvx512 };
// Whether this machine has what a kernel needs.
bool has_pack_kernel(PackKernel kernel);
// The fastest kernel that this machine has. Of Zen 1 and 2, whose BMI2 is slower than shifts, the
// portable one.
PackKernel best_pack_kernel();

// How letters become numbers: the parameters of a LetterReader (letter_reader.h).
struct LetterCode {
  std::string_view letters;
  unsigned bits = 0;  // of each
  std::span<const std::uint32_t> places;
};

struct PackedValues {
  BitRun bits;                         // of all values, one after the other
  std::vector<std::uint64_t> missing;  // of each step: bits that vary and that it leaves out
  bool other_bytes = false;            // some value has a byte that is no letter
};

// The bits that `steps` stores of each of the texts, which have one length. The kernel must be one
// that this machine has.
PackedValues pack_values(std::span<const std::string_view> texts, const LetterCode& code,
                         std::span<const Step> steps, PackKernel kernel = best_pack_kernel());

// All letters of each of the texts as one number, the first one in its highest bits. They take 64
// bits at most, and every text has letters only.
std::vector<std::int64_t> pack_integers(std::span<const std::string_view> texts,
                                        const LetterCode& code,
                                        PackKernel kernel = best_pack_kernel());

}  // namespace evq
