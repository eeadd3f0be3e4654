#include "store/encoding/dictionary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "store/base/check.h"
#include "store/base/checksum.h"
#include "store/base/text_hash.h"
#include "store/encoding/bitpack.h"
#include "store/encoding/byte_planes.h"
#include "store/encoding/run_length.h"
#include "store/encoding/schemes.h"

namespace evq {
namespace {

enum CodeKind : std::uint8_t {
  kPackedCodes = 0,
  kPlaneCodes = 1,
  kRecentCodes = 2,  // of older files
  kRunCodes = 3,
  kFirstCodes = 4,
};

// Fewer rows than one for this many entries read only their own entries.
constexpr std::size_t kEntriesPerRowFew = 4;
// A scheme slower to read than packed codes must save at least this share.
constexpr double kSlowSchemeShare = 0.85;

// Numbers of entries do not depend on hashes, so the seed may differ from run to run: nobody can
// choose values that collide.
std::uint64_t table_seed() {
  static const std::uint64_t kSeed = random_seed();
  return kSeed;
}

std::uint64_t hash_value(std::string_view value, std::uint64_t seed) {
  return hash_text(value, seed);
}

std::uint64_t hash_value(std::uint64_t value, std::uint64_t seed) {
  return hash64(value, seed);
}

inline bool is_same(std::string_view a, std::string_view b) {
  constexpr std::size_t kShortBytes = 64;
  return a.size() <= kShortBytes ? equal_text(a, b) : a == b;
}

bool is_same(std::uint64_t a, std::uint64_t b) {
  return a == b;
}

// Open addressing over the entries found so far; a slot holds an entry's number plus one and the
// high bits of its hash, so that most mismatches are seen without touching the entry. The highest
// bits say where it belongs, so that a larger table is filled without hashing entries again.
template <class T>
class EntryTable {
 public:
  explicit EntryTable(std::size_t entries_max)
      : entries_max_(entries_max), slots_(std::size_t{1} << kFirstBits) {}

  // Brings what a look-up of the value needs nearer.
  std::uint64_t hash_of(const T& value) const {
    const std::uint64_t hash = hash_value(value, seed_);
    __builtin_prefetch(&slots_[hash >> shift_]);
    return hash;
  }
  // The same of what its likely entry is compared with, in two steps.
  void fetch_entry(std::uint64_t hash) const {
    if (const std::uint64_t slot = slots_[hash >> shift_]; is_likely(slot, hash)) {
      __builtin_prefetch(&entries[(slot & kNumberMask) - 1]);
    }
  }
  void fetch_text(std::uint64_t hash) const {
    if (const std::uint64_t slot = slots_[hash >> shift_]; is_likely(slot, hash)) {
      __builtin_prefetch(entries[(slot & kNumberMask) - 1].data());
    }
  }
  // The code of `value`; nothing when it would be one entry too many.
  bool code_of(const T& value, std::uint64_t hash, Code* code) {
    const std::uint64_t tag = hash & ~kNumberMask;
    std::size_t at = hash >> shift_;
    for (;; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint64_t slot = slots_[at];
      if (slot == 0) {
        break;
      }
      const std::size_t entry = (slot & kNumberMask) - 1;
      if ((slot & ~kNumberMask) == tag && is_same(entries[entry], value)) {
        *code = static_cast<Code>(entry);
        return true;
      }
    }
    if (entries.size() == entries_max_) {
      return false;
    }
    *code = static_cast<Code>(entries.size());
    entries.push_back(value);
    slots_[at] = tag | entries.size();
    if (entries.size() * 2 > slots_.size()) {
      grow();
    }
    return true;
  }

  std::vector<T> entries;

 private:
  static constexpr unsigned kFirstBits = 8;
  static constexpr std::size_t kWideSlots = std::size_t{1} << 16;
  static constexpr std::uint64_t kNumberMask = 0x1FFFF;

  static bool is_likely(std::uint64_t slot, std::uint64_t hash) {
    return slot != 0 && ((slot ^ hash) & ~kNumberMask) == 0;
  }

  // Fast at first; the last step leaves a table that the level 2 cache holds.
  void grow() {
    const unsigned step_bits = slots_.size() < kWideSlots ? 2 : 1;
    std::vector<std::uint64_t> slots(slots_.size() << step_bits);
    slots_.swap(slots);
    shift_ -= step_bits;
    for (const std::uint64_t slot : slots) {
      if (slot == 0) {
        continue;
      }
      std::size_t at = slot >> shift_;
      while (slots_[at] != 0) {
        at = (at + 1) & (slots_.size() - 1);
      }
      slots_[at] = slot;
    }
  }

  std::size_t entries_max_;
  std::uint64_t seed_ = table_seed();
  unsigned shift_ = 64 - kFirstBits;
  std::vector<std::uint64_t> slots_;
};

template <class T>
std::optional<Dictionary> build(const DenseValues& values, std::size_t entries_max) {
  EntryTable<T> table(entries_max);
  Dictionary dictionary;
  dictionary.codes.resize(values.size);
  const T* data = values.data<T>();
  // Look-ups of many values in turn do not wait for each other's memory.
  std::array<std::uint64_t, 64> hashes;
  for (std::size_t begin = 0; begin < values.size; begin += hashes.size()) {
    const std::size_t end = std::min(begin + hashes.size(), values.size);
    std::transform(data + begin, data + end, hashes.begin(),
                   [&table](const T& value) { return table.hash_of(value); });
    if constexpr (std::is_same_v<T, std::string_view>) {
      const std::span these = std::span(hashes).first(end - begin);
      std::ranges::for_each(these, [&table](std::uint64_t hash) { table.fetch_entry(hash); });
      std::ranges::for_each(these, [&table](std::uint64_t hash) { table.fetch_text(hash); });
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (i > 0 && is_same(data[i], data[i - 1])) {
        dictionary.codes[i] = dictionary.codes[i - 1];
      } else if (!table.code_of(data[i], hashes[i - begin], &dictionary.codes[i])) {
        return std::nullopt;
      }
    }
  }
  auto entries = std::make_shared<std::vector<T>>(std::move(table.entries));
  dictionary.entries = {values.type, entries->size(), entries->data()};
  dictionary.owner = std::move(entries);
  return dictionary;
}

// Which rows have a code's first occurrence, one bit each, and of the others how many codes ago
// theirs was given out. Needs codes numbered by first occurrence.
struct FirstCodes {
  std::string firsts;
  std::vector<std::int64_t> distances;
};

FirstCodes split_firsts(const std::vector<Code>& codes, std::size_t entries) {
  FirstCodes split;
  split.firsts.assign((codes.size() + 7) / 8, '\0');
  split.distances.resize(codes.size() - entries);
  std::size_t given = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const bool first = codes[i] == given;
    if (first) {
      split.firsts[i / 8] = static_cast<char>(split.firsts[i / 8] | (1 << (i % 8)));
      ++given;
    } else {
      split.distances[others++] = static_cast<std::int64_t>(given - codes[i]);
    }
  }
  return split;
}

struct CodeCosts {
  double packed = 0;  // bits a row
  double planes = 0;
  double firsts = 0;
  double runs = 0;
};

// Mean bits of a row's mark and of the distances of those that have one.
double estimate_first_bits(const std::vector<Code>& codes) {
  std::size_t given = 0;
  std::size_t bits = codes.size();
  for (const Code code : codes) {
    if (code == given) {
      ++given;
    } else {
      bits += static_cast<std::size_t>(std::bit_width(given - code)) + 1;
    }
  }
  return static_cast<double>(bits) / static_cast<double>(codes.size());
}

CodeCosts estimate_costs(const std::vector<Code>& codes, std::size_t entries) {
  CodeCosts costs;
  costs.packed = packed_width(entries - 1);
  costs.planes = estimate_plane_bits(codes.data(), codes.size(), plane_width(entries - 1));
  std::size_t runs = 1;
  for (std::size_t i = 1; i < codes.size(); ++i) {
    runs += codes[i] != codes[i - 1] ? 1U : 0U;
  }
  costs.runs =
      (costs.packed + 10) * static_cast<double>(runs) / static_cast<double>(codes.size()) + 0.01;
  // Distances pay for ids: many entries, each for a short time or seldom twice.
  costs.firsts = entries >= 1024 && entries * 16 > codes.size() ? estimate_first_bits(codes)
                                                                : costs.packed * 2;
  return costs;
}

CodeKind choose_kind(const CodeCosts& costs) {
  CodeKind kind = kPackedCodes;
  double best = costs.packed * kSlowSchemeShare;
  for (const auto& [cost, candidate] :
       {std::pair{costs.runs, kRunCodes}, std::pair{costs.firsts, kFirstCodes},
        std::pair{costs.planes, kPlaneCodes}}) {
    if (cost < best) {
      best = cost;
      kind = candidate;
    }
  }
  return kind;
}

void write_codes(const std::vector<Code>& codes, std::size_t entries, const EncodeOptions& options,
                 ByteWriter& out) {
  const CodeKind kind =
      options.analyse ? choose_kind(estimate_costs(codes, entries)) : kPackedCodes;
  out.u8(kind);
  switch (kind) {
    case kPackedCodes: {
      const unsigned width = packed_width(entries - 1);
      out.u8(static_cast<std::uint8_t>(width));
      pack_bits(codes.data(), codes.size(), width, out);
      return;
    }
    case kPlaneCodes:
      return write_planes(codes.data(), codes.size(), plane_width(entries - 1), options.zstd_level,
                          out);
    case kFirstCodes: {
      const FirstCodes split = split_firsts(codes, entries);
      out.raw(split.firsts);
      if (!split.distances.empty()) {
        encode_stream({Type::kLong, split.distances.size(), split.distances.data()}, options, out);
      }
      return;
    }
    case kRecentCodes:
      break;
    case kRunCodes:
      return write_runs(split_runs(codes.data(), codes.size()), Type::kLong, options, out);
  }
}

Status read_packed(ByteReader& in, const DecodeRequest& request, Code* codes) {
  const unsigned width = in.u8();
  const std::string_view bits = in.take(packed_bytes(request.size, std::min(width, 64U)));
  if (!in.ok() || width > 16) {
    return corrupt_segment("packed codes end early");
  }
  const RowSet& rows = request.rows;
  if (rows.is_all(request.size)) {
    unpack_bits(bits.data(), request.size, width, codes);
    return {};
  }
  for (std::size_t i = 0; i < rows.count; ++i) {
    codes[i] = static_cast<Code>(unpack_one(bits.data(), request.size, width, rows[i]));
  }
  return {};
}

Status read_recent(ByteReader& in, const DecodeRequest& request, Code* codes) {
  EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, request.inner(Type::kLong, request.size)));
  const Vector distances = coded.flatten();
  const auto* data = distances.values().data<std::int64_t>();
  const RowSet& rows = request.rows;
  std::uint64_t given = 0;
  std::size_t taken = 0;
  const std::size_t end = rows.count == 0 ? 0 : rows[rows.count - 1] + 1;
  for (std::size_t i = 0; i < end; ++i) {
    const std::uint64_t code = given - static_cast<std::uint64_t>(data[i]);
    given += data[i] == 0 ? 1 : 0;
    if (rows[taken] == i) {
      codes[taken++] = static_cast<Code>(code);
    }
  }
  return {};
}

Status read_firsts(ByteReader& in, const DecodeRequest& request, Code* codes) {
  const std::string_view firsts = in.take((request.size + 7) / 8);
  if (!in.ok()) {
    return corrupt_segment("marks of first codes end early");
  }
  std::string marks(firsts);
  marks.append(sizeof(std::uint64_t), '\0');
  std::size_t others = request.size;
  for (std::size_t i = 0; i < request.size; i += 64) {
    const std::size_t left = request.size - i;
    const std::uint64_t rows = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    others -= static_cast<std::size_t>(std::popcount(load64(marks.data() + i / 8) & rows));
  }
  Vector distances = Vector::constant(Value::integer(0), 1);
  if (others > 0) {
    EVQ_TRY_ASSIGN(distances, decode_stream(in, request.inner(Type::kLong, others)));
  }
  distances = distances.flatten();
  const auto* const distance = distances.values().data<std::int64_t>();
  const std::size_t last = std::max<std::size_t>(others, 1) - 1;
  std::size_t given = 0;
  std::uint64_t word = 0;
  // The code of row `i`; rows are asked for in order. Without a branch: neither case is rare.
  const auto code_of = [&](std::size_t i) {
    word = i % 64 == 0 ? load64(marks.data() + i / 8) : word >> 1;
    const std::size_t first = word & 1;
    const auto back = static_cast<std::uint64_t>(distance[std::min(i - given, last)]);
    const std::uint64_t code = given - (back & (first - 1));
    given += first;
    return static_cast<Code>(code);
  };
  const RowSet& rows = request.rows;
  if (rows.list == nullptr) {
    for (std::size_t i = 0; i < rows.begin; ++i) {
      code_of(i);
    }
    for (std::size_t i = 0; i < rows.count; ++i) {
      codes[i] = code_of(rows.begin + i);
    }
    return {};
  }
  std::size_t row = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (; row < rows.list[i]; ++row) {
      code_of(row);
    }
    codes[i] = code_of(row++);
  }
  return {};
}

Status read_codes(ByteReader& in, const DecodeRequest& request, std::size_t entries, Code* codes) {
  switch (in.u8()) {
    case kPackedCodes:
      EVQ_TRY(read_packed(in, request, codes));
      break;
    case kPlaneCodes:
      EVQ_TRY(read_planes(in, request.size, plane_width(entries - 1), request.rows, codes));
      break;
    case kRecentCodes:
      EVQ_TRY(read_recent(in, request, codes));
      break;
    case kRunCodes: {
      EVQ_TRY_ASSIGN(const StoredRuns runs, read_runs(in, request, Type::kLong));
      spread_runs(runs, request.rows, codes);
      break;
    }
    case kFirstCodes:
      EVQ_TRY(read_firsts(in, request, codes));
      break;
    default:
      return corrupt_segment("codes of an unknown kind");
  }
  Code greatest = 0;
  for (std::size_t i = 0; i < request.rows.count; ++i) {
    greatest = std::max(greatest, codes[i]);
  }
  if (greatest >= entries) {
    return corrupt_segment("a code names no entry");
  }
  return {};
}

bool in_frames(ByteReader in) {
  const auto id = static_cast<EncodingId>(in.u8());
  return id == EncodingId::kStringFrames || id == EncodingId::kLightFrames;
}

// Few rows of many texts in frames: the codes first, then the frames of the entries they name. The
// vector has those entries only, in the order of their codes.
Result<Vector> decode_few(ByteReader& in, const DecodeRequest& request, std::size_t entries) {
  DecodeRequest wanted = request.inner(request.type, entries);
  wanted.rows = {0, 0, nullptr};
  ByteReader behind = in;  // string frames say where they end, whatever is asked of them
  EVQ_TRY_ASSIGN(const Vector none, decode_stream(behind, wanted));
  EVQ_CHECK(none.size() == 0);
  auto codes = make_codes(request.rows.count);
  EVQ_TRY(read_codes(behind, request, entries, codes.get()));
  std::vector<std::uint32_t> used(codes.get(), codes.get() + request.rows.count);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  wanted.rows = {0, used.size(), used.data()};
  EVQ_TRY_ASSIGN(const Vector texts, decode_stream(in, wanted));
  in = behind;
  for (Code& code : std::span(codes.get(), request.rows.count)) {
    code = static_cast<Code>(std::ranges::lower_bound(used, code) - used.begin());
  }
  return Vector::dictionary(texts.shared_values(), std::move(codes), request.rows.count);
}

class DictionaryEncoding final : public ColumnEncoding {
 public:
  EncodingId id() const override { return EncodingId::kDictionary; }
  std::string_view name() const override { return "dictionary"; }
  bool accepts(Type type) const override { return type != Type::kBool && type != Type::kNull; }

  bool encode(const DenseValues& values, const EncodeOptions& options,
              ByteWriter& out) const override {
    const std::optional<Dictionary> dictionary = build_dictionary(values, values.size);
    if (!dictionary.has_value()) {
      return false;
    }
    write_dictionary(*dictionary, options, out);
    return true;
  }

  Result<Vector> decode(ByteReader& in, const DecodeRequest& request) const override {
    ByteReader ahead = in;
    const std::uint64_t count = ahead.varint();
    if (request.rows.count > 0 && request.rows.count < count / kEntriesPerRowFew &&
        count <= request.size && in_frames(ahead)) {
      in = ahead;
      return decode_few(in, request, count);
    }
    EVQ_TRY_ASSIGN(const Vector entries, read_dictionary_entries(in, request));
    auto codes = make_codes(request.rows.count);
    EVQ_TRY(read_codes(in, request, entries.size(), codes.get()));
    return Vector::dictionary(entries.shared_values(), std::move(codes), request.rows.count);
  }
};

}  // namespace

std::optional<Dictionary> build_dictionary(const DenseValues& values, std::size_t entries_max) {
  switch (physical_of(values.type)) {
    case Physical::kNone:
    case Physical::kByte:
      return std::nullopt;
    case Physical::kInt64:
    case Physical::kDouble:
      return build<std::uint64_t>(values, entries_max);
    case Physical::kView:
      return build<std::string_view>(values, entries_max);
  }
  return std::nullopt;
}

void write_dictionary(const Dictionary& dictionary, const EncodeOptions& options, ByteWriter& out) {
  out.varint(dictionary.entries.size);
  encode_stream(dictionary.entries, options, out);
  write_codes(dictionary.codes, dictionary.entries.size, options, out);
}

Result<Vector> read_dictionary_entries(ByteReader& in, const DecodeRequest& request) {
  const std::uint64_t entries = in.varint();
  if (!in.ok() || entries == 0 || entries > request.size) {
    return corrupt_segment("a dictionary has more entries than rows");
  }
  EVQ_TRY_ASSIGN(const Vector coded, decode_stream(in, request.inner(request.type, entries)));
  return coded.flatten();
}

double estimate_code_bits(const std::vector<Code>& codes, std::size_t entries) {
  const CodeCosts costs = estimate_costs(codes, entries);
  return std::min({costs.packed, costs.planes, costs.firsts, costs.runs});
}

const ColumnEncoding& dictionary_encoding() {
  static const DictionaryEncoding kEncoding;
  return kEncoding;
}

}  // namespace evq
