#include "store/encoding/chooser.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "store/encoding/byte_planes.h"
#include "store/encoding/byte_string.h"
#include "store/encoding/integer_range.h"
#include "store/encoding/packed_integers.h"
#include "store/encoding/schemes.h"

namespace evq {
namespace {

// Below this many values no scheme wins enough to be worth measuring.
constexpr std::size_t kMeasureRowsMin = 64;
// Byte planes decode slower than packed integers: they must save this much.
constexpr double kPlaneShare = 0.88;
constexpr double kRunShare = 0.7;
constexpr double kDictionaryShare = 1.1;
constexpr std::size_t kTextSampleBytes = 16384;
constexpr std::size_t kTextSampleRows = 512;
// LZ4 instead of zstd where it at least halves a text and takes hardly half as much room again:
// such are messages of logs. What zstd makes much smaller it unpacks fast as well, by long
// repetitions.
constexpr double kLightShareMax = 0.5;
constexpr double kLightGrowthMax = 1.5;
// Number columns: a dictionary for at most this many distinct values, each rather frequent.
constexpr std::size_t kNumberEntriesMax = 4096;
constexpr std::size_t kNumberRepeatsMin = 16;
constexpr std::size_t kNumberSampleRows = 1024;

// Of integers: stretches as long as a group of packed integers, from all of the column.
constexpr std::size_t kIntegerSampleStretches = 4;
constexpr std::size_t kIntegerSampleRows = 1024;

std::size_t count_runs(const std::int64_t* values, std::size_t size) {
  std::size_t runs = 1;
  for (std::size_t i = 1; i < size; ++i) {
    runs += values[i] != values[i - 1] ? 1U : 0U;
  }
  return runs;
}

struct IntegerCosts {
  double packed = 0;  // bits a value
  double planes = 0;
  double runs = 0;
};

std::vector<std::int64_t> sample_integers(const DenseValues& values) {
  const auto* integers = values.data<std::int64_t>();
  constexpr std::size_t kRows = kIntegerSampleStretches * kIntegerSampleRows;
  if (values.size <= kRows) {
    return {integers, integers + values.size};
  }
  std::vector<std::int64_t> sample;
  sample.reserve(kRows);
  for (std::size_t i = 0; i < kIntegerSampleStretches; ++i) {
    const auto* from =
        integers + (values.size - kIntegerSampleRows) * i / (kIntegerSampleStretches - 1);
    sample.insert(sample.end(), from, from + kIntegerSampleRows);
  }
  return sample;
}

IntegerCosts estimate_integers(const DenseValues& values) {
  const std::vector<std::int64_t> sample = sample_integers(values);
  const IntegerRange range = measure_range(sample.data(), sample.size());
  std::vector<std::uint64_t> numbers(sample.size());
  to_numbers(range, sample.data(), sample.size(), numbers.data());
  IntegerCosts costs;
  costs.packed = estimate_packed_bits(numbers.data(), numbers.size());
  costs.planes = estimate_plane_bits(numbers.data(), numbers.size(),
                                     plane_width(range.greatest_number), values.size);
  const double runs = static_cast<double>(count_runs(sample.data(), sample.size()));
  costs.runs = runs * (costs.packed + 10) / static_cast<double>(sample.size());
  return costs;
}

const ColumnEncoding& choose_integers(const DenseValues& values) {
  if (values.size < kMeasureRowsMin) {
    return packed_integers();
  }
  const IntegerCosts costs = estimate_integers(values);
  if (costs.runs < kRunShare * std::min(costs.packed, costs.planes)) {
    return run_length();
  }
  return costs.planes < kPlaneShare * costs.packed ? byte_planes() : packed_integers();
}

// A stretch of neighbours from the middle, kTextSampleBytes of them.
DenseValues sample_texts(const DenseValues& values) {
  const auto* texts = values.data<std::string_view>();
  const std::size_t begin =
      values.size > kTextSampleRows ? values.size / 2 - kTextSampleRows / 2 : 0;
  std::size_t bytes = 0;
  std::size_t end = begin;
  while (end < values.size && end - begin < kTextSampleRows && bytes < kTextSampleBytes) {
    bytes += texts[end++].size();
  }
  return {values.type, end - begin, texts + begin};
}

struct TextChoice {
  const ColumnEncoding* encoding;
  double bytes;  // a value
};

// Bytes a value when the sample is compressed as string frames are.
TextChoice measure_frames(const DenseValues& sample) {
  std::string raw;
  std::size_t bytes = 0;
  const auto* texts = sample.data<std::string_view>();
  for (std::size_t i = 0; i < sample.size; ++i) {
    raw.append(texts[i].substr(0, kTextSampleBytes));
    bytes += texts[i].size();
  }
  if (raw.empty()) {
    return {&string_frames(), 1};
  }
  const std::size_t strong = compressed_size(raw, 1);
  const std::size_t light = sample.type == Type::kString ? light_size(raw) : raw.size();
  const bool is_light =
      static_cast<double>(light) < std::min(kLightShareMax * static_cast<double>(raw.size()),
                                            kLightGrowthMax * static_cast<double>(strong));
  const double share =
      static_cast<double>(is_light ? light : strong) / static_cast<double>(raw.size());
  return {is_light ? &light_frames() : &string_frames(),
          share * static_cast<double>(bytes) / static_cast<double>(sample.size) + 1};
}

TextChoice measure_texts(const DenseValues& values) {
  const DenseValues sample = sample_texts(values);
  TextChoice best = measure_frames(sample);
  if (values.type != Type::kString) {
    return best;
  }
  for (const ColumnEncoding* candidate : {&time_text(), &packed_text()}) {
    ByteWriter out;
    if (candidate->encode(sample, {}, out)) {
      const double bytes = static_cast<double>(out.size()) / static_cast<double>(sample.size);
      if (bytes < best.bytes) {
        best = {candidate, bytes};
      }
    }
  }
  return best;
}

template <class T>
bool all_equal(const DenseValues& values) {
  const T* data = values.data<T>();
  return std::all_of(data, data + values.size,
                     [first = data[0]](T value) { return value == first; });
}

// Reals are equal by their bits.
bool is_constant(const DenseValues& values) {
  switch (physical_of(values.type)) {
    case Physical::kNone:
      break;
    case Physical::kByte:
      return all_equal<std::uint8_t>(values);
    case Physical::kInt64:
    case Physical::kDouble:
      return all_equal<std::uint64_t>(values);
    case Physical::kView:
      return all_equal<std::string_view>(values);
  }
  return true;
}

// Whether a spread sample has few enough distinct numbers for a dictionary to be likely.
bool numbers_repeat(const DenseValues& values) {
  const auto* numbers = values.data<std::uint64_t>();
  const std::size_t step = std::max<std::size_t>(1, values.size / kNumberSampleRows);
  std::vector<std::uint64_t> sample;
  for (std::size_t i = 0; i < values.size; i += step) {
    sample.push_back(numbers[i]);
  }
  std::sort(sample.begin(), sample.end());
  const auto end = std::unique(sample.begin(), sample.end());
  return static_cast<std::size_t>(end - sample.begin()) * 4 <= sample.size();
}

std::optional<Dictionary> choose_number_dictionary(const DenseValues& values) {
  if (values.size < kMeasureRowsMin || !numbers_repeat(values)) {
    return std::nullopt;
  }
  std::optional<Dictionary> dictionary =
      build_dictionary(values, std::min(kNumberEntriesMax, values.size / kNumberRepeatsMin));
  if (!dictionary.has_value() || physical_of(values.type) != Physical::kInt64) {
    return dictionary;
  }
  // Few values are a dictionary whatever it costs; many must not cost more than packing them.
  const std::size_t entries = dictionary->entries.size;
  if (entries <= 256) {
    return dictionary;
  }
  const IntegerCosts costs = estimate_integers(values);
  const double bits = estimate_code_bits(dictionary->codes, entries) +
                      64.0 * static_cast<double>(entries) / static_cast<double>(values.size);
  const double other = std::min({costs.packed, costs.planes, costs.runs});
  return bits <= other ? std::move(dictionary) : std::nullopt;
}

// How many distinct values the first rows may have, so that unique ids cost little to refuse.
bool texts_repeat(const DenseValues& values) {
  constexpr std::size_t kProbeRows = 4096;
  const std::size_t rows = std::min(values.size, kProbeRows);
  const auto* texts = values.data<std::string_view>();
  const DenseValues probe{values.type, rows, texts + (values.size - rows) / 2};
  return build_dictionary(probe, rows * 97 / 100).has_value();
}

}  // namespace

const ColumnEncoding& choose_encoding(const DenseValues& values, const EncodeOptions& options) {
  if (values.chosen != nullptr) {
    return *values.chosen;
  }
  if (is_constant(values)) {
    return constant_encoding();
  }
  if (!options.analyse) {
    return fallback_encoding(values.type);
  }
  switch (physical_of(values.type)) {
    case Physical::kNone:
      break;
    case Physical::kByte:
      return bitmap_encoding();
    case Physical::kInt64:
      return choose_integers(values);
    case Physical::kDouble:
      return decimal_reals();
    case Physical::kView:
      return *measure_texts(values).encoding;
  }
  return constant_encoding();
}

const ColumnEncoding& fallback_encoding(Type type) {
  switch (physical_of(type)) {
    case Physical::kNone:
      return constant_encoding();
    case Physical::kByte:
      return bitmap_encoding();
    case Physical::kInt64:
      return packed_integers();
    case Physical::kDouble:
      return plain_reals();
    case Physical::kView:
      return string_frames();
  }
  return constant_encoding();
}

std::optional<Dictionary> choose_dictionary(DenseValues* values) {
  switch (physical_of(values->type)) {
    case Physical::kNone:
    case Physical::kByte:
      return std::nullopt;
    case Physical::kInt64:
    case Physical::kDouble:
      return choose_number_dictionary(*values);
    case Physical::kView:
      break;
  }
  if (values->size < kMeasureRowsMin || !texts_repeat(*values)) {
    return std::nullopt;
  }
  std::optional<Dictionary> dictionary = build_dictionary(*values, values->size * 7 / 8);
  if (dictionary.has_value() && !keep_dictionary(*dictionary)) {
    const TextChoice plain = measure_texts(*values);
    const TextChoice entry = measure_texts(dictionary->entries);
    const auto rows = static_cast<double>(values->size);
    const auto entries = static_cast<double>(dictionary->entries.size);
    const double coded = entries / rows * entry.bytes +
                         estimate_code_bits(dictionary->codes, dictionary->entries.size) / 8;
    if (coded > kDictionaryShare * plain.bytes) {
      values->chosen = plain.encoding;
      return std::nullopt;
    }
    dictionary->entries.chosen = entry.encoding;
  }
  return dictionary;
}

bool keep_dictionary(const Dictionary& dictionary) {
  return dictionary.entries.size * 8 <= dictionary.codes.size();
}

}  // namespace evq
