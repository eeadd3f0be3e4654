#include "store/encoding/packed_letters.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace evq {
namespace {

std::uint64_t ones(unsigned count) {
  return (std::uint64_t{1} << count) - 1;
}

// The bits below the least that is set, the greatest stretch of zeros above them, and the bits
// above the greatest that is set, are zero in the result; the others are one.
std::uint64_t with_one_gap(std::uint64_t varying) {
  if (varying == 0) {
    return 0;
  }
  const auto begin = static_cast<unsigned>(std::countr_zero(varying));
  const auto end = static_cast<unsigned>(std::bit_width(varying));
  unsigned gap_begin = begin;
  unsigned gap_size = 0;
  for (unsigned bit = begin; bit < end;) {
    bit += static_cast<unsigned>(std::countr_one(varying >> bit));
    const unsigned size = bit < end ? static_cast<unsigned>(std::countr_zero(varying >> bit)) : 0;
    if (size > gap_size) {
      gap_begin = bit;
      gap_size = size;
    }
    bit += size;
  }
  return ones(end) & ~ones(begin) & ~(ones(gap_size) << gap_begin);
}

}  // namespace

Step make_step(unsigned bits, std::uint64_t varying, std::uint64_t word) {
  Step step;
  step.bits = bits;
  step.varying = with_one_gap(varying);
  step.stored_bits = static_cast<unsigned>(std::popcount(step.varying));
  step.fixed = word & ~step.varying & ones(bits);
  if (step.varying == 0) {
    return step;
  }
  const auto low = static_cast<unsigned>(std::countr_zero(step.varying));
  const auto low_size = static_cast<unsigned>(std::countr_one(step.varying >> low));
  step.low = {ones(low_size), low};
  if (low_size < step.stored_bits) {
    const auto end = static_cast<unsigned>(std::bit_width(step.varying));
    step.high = {ones(step.stored_bits) & ~ones(low_size), end - step.stored_bits};
  }
  return step;
}

std::vector<Step> whole_steps(std::size_t letters, unsigned letter_bits) {
  std::vector<Step> steps;
  while (letters > 0) {
    const std::size_t some = std::min(letters, kLettersAtOnce);
    const unsigned bits = static_cast<unsigned>(some) * letter_bits;
    steps.push_back(make_step(bits, ones(bits), 0));
    letters -= some;
  }
  return steps;
}

std::size_t stored_bits_of(std::span<const Step> steps) {
  std::size_t bits = 0;
  for (const Step& step : steps) {
    bits += step.stored_bits;
  }
  return bits;
}

void write_steps(const std::vector<Step>& steps, ByteWriter& out) {
  for (const auto part : {&Step::varying, &Step::fixed}) {
    BitRun packed(steps.size() * kLettersAtOnce * kLetterBitsMax);
    for (const Step& step : steps) {
      packed.add(step.*part, step.bits);
    }
    out.raw(packed.view());
  }
}

std::optional<std::vector<Step>> read_steps(ByteReader& in, std::size_t letters,
                                            unsigned letter_bits) {
  const std::size_t bytes = (letters * letter_bits + 7) / 8;
  std::string varying(in.take(bytes));
  std::string fixed(in.take(bytes));
  if (!in.ok()) {
    return std::nullopt;
  }
  varying.append(sizeof(std::uint64_t), '\0');
  fixed.append(sizeof(std::uint64_t), '\0');
  std::vector<Step> steps = whole_steps(letters, letter_bits);
  std::size_t bit = 0;
  for (Step& step : steps) {
    const auto word_at = [bit, &step](const std::string& packed) {
      return (load64(packed.data() + bit / 8) >> (bit % 8)) & ones(step.bits);
    };
    bit += step.bits;
    const std::uint64_t stored = word_at(varying);
    step = make_step(step.bits, stored, word_at(fixed));
    if (step.varying != stored) {
      return std::nullopt;
    }
  }
  return steps;
}

bool has_packed(std::string_view packed, std::size_t size, const std::vector<Step>& steps,
                std::span<const std::uint64_t> words) {
  // Of each step, the bits that are stored, where they begin in the value, and what is sought.
  struct Probe {
    std::size_t begin = 0;
    std::uint64_t mask = 0;
    std::uint64_t sought = 0;

    bool matches(const char* bytes, std::size_t bit) const {
      bit += begin;
      return ((load64(bytes + bit / 8) >> (bit % 8)) & mask) == sought;
    }
  };
  std::vector<Probe> probes;
  std::size_t value_bits = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (((words[i] ^ step.fixed) & ~step.varying) != 0) {
      return false;
    }
    if (step.stored_bits > 0) {
      probes.push_back({value_bits, ones(step.stored_bits), step.compact(words[i])});
    }
    value_bits += step.stored_bits;
  }
  if (value_bits == 0) {
    return true;
  }
  const auto has = [&](const char* bytes, std::size_t count) {
    const Probe first = probes.front();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bit = i * value_bits;
      if (first.matches(bytes, bit) &&
          std::all_of(probes.begin() + 1, probes.end(),
                      [&](const Probe& probe) { return probe.matches(bytes, bit); })) {
        return true;
      }
    }
    return false;
  };
  // A probe reads eight bytes: the last values are looked at where there is room behind them.
  const std::size_t in_eight_bytes = 64 / value_bits + 1;
  const std::size_t last_begin = (size - std::min(size, in_eight_bytes)) / 8 * 8;  // begins a byte
  std::string last(packed.substr(last_begin * value_bits / 8));
  last.append(sizeof(std::uint64_t), '\0');
  return has(packed.data(), last_begin) || has(last.data(), size - last_begin);
}

LetterPairs::LetterPairs(std::string_view letters, unsigned letter_bits) : bits_(letter_bits) {
  std::array<char, std::size_t{1} << kLetterBitsMax> all{};
  all.fill(letters[0]);
  std::copy(letters.begin(), letters.end(), all.begin());
  const std::size_t count = std::size_t{1} << bits_;
  for (std::size_t high = 0; high < count; ++high) {
    for (std::size_t low = 0; low < count; ++low) {
      pairs_[(high << bits_) | low] = {all[low], all[high]};
    }
  }
}

}  // namespace evq
