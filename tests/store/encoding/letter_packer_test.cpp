#include "store/encoding/letter_packer.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/encoding/packed_letters.h"
#include "tests/support/random_text.h"

namespace evq {
namespace {

// Texts of one length, of these letters at the places and of other bytes elsewhere.
std::vector<std::string> texts_of(Random& random, std::string_view letters, std::size_t length,
                                  const std::vector<std::uint32_t>& places) {
  std::vector<std::string> texts(1 + random() % 40, std::string(length, '\xF0'));
  for (std::string& text : texts) {
    for (const std::uint32_t place : places) {
      text[place] = letters[random() % letters.size()];
    }
  }
  return texts;
}

// Steps that leave some bits out, whether the texts vary there or not.
std::vector<Step> some_steps(Random& random, std::size_t letters, unsigned bits) {
  std::vector<Step> steps = whole_steps(letters, bits);
  for (Step& step : steps) {
    if (random() % 2 == 0) {
      step = make_step(step.bits, step.varying & random() & random(), random());
    }
  }
  return steps;
}

void check_kernels(const std::vector<std::string>& owned, const LetterCode& code,
                   const std::vector<Step>& steps) {
  std::vector<std::vector<char>> exact;  // so that a sanitizer sees any read behind a text
  for (const std::string& text : owned) {
    exact.emplace_back(text.begin(), text.end());
  }
  std::vector<std::string_view> texts;
  for (const std::vector<char>& text : exact) {
    texts.emplace_back(text.data(), text.size());
  }
  const PackedValues expected = pack_values(texts, code, steps, PackKernel::kPortable);
  for (const PackKernel kernel : {PackKernel::kBmi2, PackKernel::kAvx512}) {
    if (!has_pack_kernel(kernel)) {
      continue;
    }
    const PackedValues packed = pack_values(texts, code, steps, kernel);
    CHECK(packed.other_bytes == expected.other_bytes);
    if (!expected.other_bytes) {
      CHECK(packed.bits.view() == expected.bits.view());
      CHECK(packed.missing == expected.missing);
    }
    if (!expected.other_bytes && code.places.size() * code.bits <= 64) {
      CHECK(pack_integers(texts, code, kernel) ==
            pack_integers(texts, code, PackKernel::kPortable));
    }
  }
}

}  // namespace

TEST_CASE("this machine's kernels pack what the portable one packs") {
  Random random(5);
  for (const auto& [letters, bits] : {std::pair<std::string_view, unsigned>{"01", 1},
                                      {"0123456789abcdef", 4},
                                      {"02468ACEGacegikm", 4},
                                      {"ab\x80\xFFyz", 3},
                                      {kBase32, 5},
                                      {kBase64, 6}}) {
    for (std::size_t length = 1; length < 140; length += length < 70 ? 1 : 23) {
      std::vector<std::uint32_t> places;
      for (std::uint32_t place = 0; place + 1 < length; ++place) {
        if (random() % 4 != 0) {
          places.push_back(place);
        }
      }
      places.push_back(static_cast<std::uint32_t>(length - 1));
      const LetterCode code{letters, bits, places};
      std::vector<std::string> texts = texts_of(random, letters, length, places);
      check_kernels(texts, code, some_steps(random, places.size(), bits));
      for (const char other : {'\0', '~', '\x81'}) {
        texts[random() % texts.size()][places[random() % places.size()]] = other;
        check_kernels(texts, code, some_steps(random, places.size(), bits));
      }
    }
  }
}

}  // namespace evq
