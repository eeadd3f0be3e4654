#include "store/encoding/segment.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "store/base/limits.h"
#include "store/column/physical.h"
#include "store/encoding/chooser.h"
#include "store/encoding/dictionary.h"
#include "store/encoding/null_section.h"
#include "store/encoding/statistics.h"
#include "store/encoding/token_filter.h"
#include "store/encoding/wanted_values.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace evq {
namespace {

// Text dictionaries with more entries get a token filter too: testing it is cheaper than decoding
// the entries.
constexpr std::size_t kFilterEntriesMin = 1024;

// A column taken apart: which rows are null, and the other values, dense or as a dictionary.
struct Parts {
  NullSection nulls;
  DenseValues dense;  // unused when `dictionary` is there
  std::optional<Dictionary> dictionary;
  std::shared_ptr<const void> owner;  // of the dense slots
};

template <class T>
void gather_dense(const Vector& column, const NullSection& nulls, Parts* parts) {
  const std::size_t values = nulls.rows - nulls.nulls;
  auto dense = Values::make(column.type(), values);
  const T* data = column.values().data<T>();
  T* to = dense->template mutable_data<T>();
  for (std::size_t word = 0; word < nulls.valid.size(); ++word) {
    if (nulls.valid[word] == ~std::uint64_t{0}) {
      to = std::copy_n(data + word * 64, 64, to);
      continue;
    }
    for (std::uint64_t bits = nulls.valid[word]; bits != 0; bits &= bits - 1) {
      *to++ = data[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
    }
  }
  parts->dense = {column.type(), values, dense->template data<T>()};
  parts->owner = std::move(dense);
}

const void* slots_of(const Vector& column) {
  const void* slots = nullptr;
  with_physical(column.type(), [&](auto slot) { slots = column.values().data<decltype(slot)>(); });
  return slots;
}

Parts split_flat(const Vector& column) {
  Parts parts;
  parts.nulls = make_null_section(column.values().validity(), column.size());
  if (parts.nulls.nulls == 0 || parts.nulls.nulls == column.size()) {
    parts.dense = {column.type(), column.size() - parts.nulls.nulls, slots_of(column)};
    return parts;
  }
  with_physical(column.type(),
                [&](auto slot) { gather_dense<decltype(slot)>(column, parts.nulls, &parts); });
  return parts;
}

Parts split_constant(const Vector& column) {
  Parts parts;
  parts.nulls.rows = column.size();
  if (column.is_null(0)) {
    parts.nulls.nulls = column.size();
    parts.dense = {column.type(), 0, nullptr};
    return parts;
  }
  const Vector flat = column.flatten();
  parts = split_flat(flat);
  parts.owner = flat.shared_values();
  return parts;
}

// Which of some codes, at most 64, are not `null`, one bit each.
std::uint64_t other_codes(const Code* codes, std::size_t size, Code null) {
  std::uint64_t others = 0;
#if defined(__SSE2__)
  if (size == 64) {
    const __m128i nulls = _mm_set1_epi16(static_cast<std::int16_t>(null));
    const auto eight_at = [codes, nulls](unsigned i) {
      return _mm_cmpeq_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + i)), nulls);
    };
    for (unsigned i = 0; i < 64; i += 16) {
      const __m128i same = _mm_packs_epi16(eight_at(i), eight_at(i + 8));
      others |= std::uint64_t{static_cast<std::uint16_t>(~_mm_movemask_epi8(same))} << i;
    }
    return others;
  }
#endif
  for (std::size_t i = 0; i < size; ++i) {
    others |= std::uint64_t{codes[i] != null} << i;
  }
  return others;
}

// Copies those of 64 codes whose bits are set, from the first place of `to` on; how many.
std::size_t copy_codes(const Code* from, std::uint64_t which, Code* to) {
  const Code* const begin = to;
  if (which == ~std::uint64_t{0}) {
    std::copy_n(from, 64, to);
    return 64;
  }
  for (; which != 0; which &= which - 1) {
    *to++ = from[std::countr_zero(which)];
  }
  return static_cast<std::size_t>(to - begin);
}

// The null section of a dictionary vector, and the codes of its other rows.
std::vector<Code> split_codes(const Vector& column, NullSection* nulls) {
  const Code* codes = column.codes();
  std::vector<Code> dense;
  dense.reserve(column.size());
  nulls->rows = column.size();
  if (!column.values().has_nulls()) {
    dense.assign(codes, codes + column.size());
    return dense;
  }
  std::vector<std::uint8_t> is_value(column.values().size());
  std::size_t nulls_known = 0;
  Code null = 0;
  for (std::size_t entry = 0; entry < is_value.size(); ++entry) {
    is_value[entry] = column.values().is_null(entry) ? 0 : 1;
    null = is_value[entry] != 0 ? null : static_cast<Code>(entry);
    nulls_known += is_value[entry] != 0 ? 0U : 1U;
  }
  const auto values_of = [&](const Code* some, std::size_t size) {
    if (nulls_known == 1) {
      return other_codes(some, size, null);
    }
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) {
      word |= std::uint64_t{is_value[some[i]]} << i;
    }
    return word;
  };
  std::vector<std::uint64_t> valid((column.size() + 63) / 64, 0);
  dense.resize(column.size());
  std::size_t next = 0;
  for (std::size_t begin = 0; begin < column.size(); begin += 64) {
    const std::uint64_t word =
        values_of(codes + begin, std::min<std::size_t>(column.size() - begin, 64));
    next += copy_codes(codes + begin, word, dense.data() + next);
    valid[begin / 64] = word;
  }
  dense.resize(next);
  *nulls = make_null_section(valid.data(), column.size());
  return dense;
}

// Numbers the entries in use by first occurrence, equal entries together.
template <class T>
void renumber(const Vector& column, std::vector<Code> dense, Parts* parts) {
  DenseValues entries{column.type(), column.values().size(), column.values().data<T>()};
  std::optional<Dictionary> distinct;
  if (!column.values().are_distinct()) {
    distinct = build_dictionary(entries, entries.size);
    EVQ_CHECK(distinct.has_value());
    std::ranges::transform(dense, dense.begin(), [&](Code code) { return distinct->codes[code]; });
    entries = distinct->entries;
  }
  constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers(entries.size, kUnused);
  auto used = std::make_shared<std::vector<T>>();
  for (Code& code : dense) {
    std::uint32_t& number = numbers[code];
    if (number == kUnused) {
      number = static_cast<std::uint32_t>(used->size());
      used->push_back(entries.data<T>()[code]);
    }
    code = static_cast<Code>(number);
  }
  Dictionary dictionary;
  dictionary.entries = {column.type(), used->size(), used->data()};
  dictionary.owner = std::move(used);
  dictionary.codes = std::move(dense);
  parts->dictionary = std::move(dictionary);
}

// The rows of a dictionary as dense values, when the dictionary is not worth keeping.
template <class T>
void spread(const DenseValues& entries, std::span<const Code> codes, Parts* parts) {
  auto dense = std::make_shared<std::vector<T>>(codes.size());
  std::ranges::transform(codes, dense->begin(),
                         [values = entries.data<T>()](Code code) { return values[code]; });
  parts->dense = {entries.type, dense->size(), dense->data()};
  parts->owner = std::move(dense);
}

// Of some of the entries of `column`.
template <class T>
Parts split_entries(const Vector& column, std::vector<Code> dense, Parts parts) {
  const Values& values = column.values();
  const DenseValues all{column.type(), values.size(), values.data<T>()};
  // Entries that nobody compared, as many as rows: how a column of few values comes.
  if (!values.are_distinct() && values.size() >= dense.size()) {
    spread<T>(all, dense, &parts);
    return parts;
  }
  renumber<T>(column, std::move(dense), &parts);
  const Dictionary& dictionary = *parts.dictionary;
  const std::size_t entries = dictionary.entries.size;
  if (entries == 1 || entries * 4 > dictionary.codes.size() * 3) {
    spread<T>(dictionary.entries, dictionary.codes, &parts);
    parts.dictionary.reset();
  }
  return parts;
}

Parts split_dictionary(const Vector& column) {
  Parts parts;
  std::vector<Code> dense = split_codes(column, &parts.nulls);
  if (dense.empty()) {
    parts.dense = {column.type(), 0, nullptr};
    return parts;
  }
  return physical_of(column.type()) == Physical::kView
             ? split_entries<std::string_view>(column, std::move(dense), std::move(parts))
             : split_entries<std::uint64_t>(column, std::move(dense), std::move(parts));
}

Parts split(const Vector& column) {
  if (column.type() == Type::kNull) {
    Parts parts;
    parts.nulls.rows = parts.nulls.nulls = column.size();
    return parts;
  }
  if (column.is_constant()) {
    return split_constant(column);
  }
  if (!column.is_dictionary()) {
    return split_flat(column);
  }
  // Bools have no dictionary scheme.
  return column.type() == Type::kBool ? split_flat(column.flatten()) : split_dictionary(column);
}

std::string make_filter(const DenseValues& texts) {
  return make_token_filter(std::span(texts.data<std::string_view>(), texts.size));
}

void encode_dense(const Parts& parts, const EncodeOptions& options, EncodedSegment* segment) {
  ByteWriter out;
  out.u8(0);
  write_null_section(parts.nulls, options, out);
  segment->encoding = encode_body(parts.dense, options, out);
  out.patch_u8(0, static_cast<std::uint8_t>(segment->encoding));
  segment->bytes = out.release();
  if (options.analyse && parts.dense.type == Type::kString &&
      segment->encoding != EncodingId::kConstant) {
    segment->filter = make_filter(parts.dense);
  }
  const bool constant = segment->encoding == EncodingId::kConstant;
  segment->statistics.distinct = constant ? 1 : static_cast<std::uint32_t>(parts.dense.size);
  segment->statistics.distinct_exact = constant;
}

void encode_dictionary(const Parts& parts, const EncodeOptions& options, EncodedSegment* segment) {
  const DenseValues& entries = parts.dictionary->entries;
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(EncodingId::kDictionary));
  write_null_section(parts.nulls, options, out);
  write_dictionary(*parts.dictionary, options, out);
  segment->encoding = EncodingId::kDictionary;
  segment->bytes = out.release();
  if (options.analyse && entries.type == Type::kString && entries.size >= kFilterEntriesMin) {
    segment->filter = make_filter(entries);
  }
  segment->statistics.distinct = static_cast<std::uint32_t>(entries.size);
  segment->statistics.distinct_exact = true;
  segment->statistics.is_dictionary = true;
}

std::uint64_t raw_bytes_of_parts(const Parts& parts) {
  if (!parts.dictionary.has_value()) {
    return raw_bytes_of(parts.dense);
  }
  const Dictionary& dictionary = *parts.dictionary;
  if (physical_of(dictionary.entries.type) != Physical::kView) {
    return dictionary.codes.size() * sizeof(std::int64_t);
  }
  std::uint64_t bytes = 0;
  const auto* entries = dictionary.entries.data<std::string_view>();
  for (const Code code : dictionary.codes) {
    bytes += entries[code].size();
  }
  return bytes;
}

// Whether the column takes no more than kBlockBytesMax when it is decoded: a constant's value is
// there once, and so is each entry of a dictionary.
bool fits_block(const Vector& column, const Parts& parts) {
  if (parts.dictionary.has_value()) {
    return raw_bytes_of(parts.dictionary->entries) <= kBlockBytesMax;
  }
  const DenseValues& dense = parts.dense;
  return raw_bytes_of(column.is_constant() ? DenseValues{dense.type, 1, dense.slots} : dense) <=
         kBlockBytesMax;
}

// ---------------------------------------------------------------- decoding

// Puts dense slots to the places whose bits are set, `zero` to the others.
template <class T>
void scatter(const T* dense, const std::vector<std::uint64_t>& valid, std::size_t rows, T zero,
             T* out) {
  std::fill_n(out, rows, zero);
  std::size_t next = 0;
  for (std::size_t word = 0; word < valid.size(); ++word) {
    for (std::uint64_t bits = valid[word]; bits != 0; bits &= bits - 1) {
      out[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))] = dense[next++];
    }
  }
}

template <class T>
std::shared_ptr<Values> scatter_values(const Vector& dense, std::vector<std::uint64_t> valid,
                                       std::size_t rows) {
  auto out = Values::make(dense.type(), rows);
  scatter(dense.values().data<T>(), valid, rows, T{}, out->template mutable_data<T>());
  out->add_owners_of(dense.values());
  out->set_contiguous_text(dense.values().contiguous_text());
  out->set_validity(std::move(valid));
  return out;
}

Vector expand_flat(const Vector& dense, std::vector<std::uint64_t> valid, std::size_t rows) {
  if (physical_of(dense.type()) == Physical::kNone) {
    return Vector::constant(Value::null(dense.type()), rows);
  }
  std::shared_ptr<const Values> values;
  with_physical(dense.type(), [&](auto slot) {
    values = scatter_values<decltype(slot)>(dense, std::move(valid), rows);
  });
  return Vector::flat(std::move(values));
}

template <class T>
std::shared_ptr<Values> append_null(const Values& entries) {
  auto out = Values::make(entries.type(), entries.size() + 1);
  std::copy_n(entries.data<T>(), entries.size(), out->template mutable_data<T>());
  out->add_owners_of(entries);
  out->set_null(entries.size());
  return out;
}

// The entries with a null entry behind them.
std::shared_ptr<const Values> with_null_entry(const Values& entries) {
  if (physical_of(entries.type()) == Physical::kNone) {
    return Values::make_constant(Value::null(entries.type()));
  }
  std::shared_ptr<const Values> with_null;
  with_physical(entries.type(),
                [&](auto slot) { with_null = append_null<decltype(slot)>(entries); });
  return with_null;
}

// Dense rows become all wanted rows, the others null. Few values become the entries of a
// dictionary, of which a row takes no more than a code, and on which functions are evaluated once.
Vector expand(const Vector& dense, std::vector<std::uint64_t> valid, std::size_t rows) {
  if (dense.size() == rows) {
    return dense;
  }
  if (dense.is_flat() && !is_sparse(dense.size(), rows)) {
    return expand_flat(dense, std::move(valid), rows);
  }
  auto codes = make_codes(rows);
  const auto null_code = static_cast<Code>(dense.values().size());
  if (dense.is_dictionary()) {
    scatter(dense.codes(), valid, rows, null_code, codes.get());
  } else {
    std::vector<Code> dense_codes(dense.size(), 0);
    if (dense.is_flat()) {
      std::iota(dense_codes.begin(), dense_codes.end(), Code{0});
    }
    scatter(dense_codes.data(), valid, rows, null_code, codes.get());
  }
  return Vector::dictionary(with_null_entry(dense.values()), std::move(codes), rows);
}

struct Opened {
  const ColumnEncoding* encoding = nullptr;
  NullSection nulls;
};

Result<Opened> open_segment(ByteReader& in, Type type, std::size_t rows) {
  EVQ_CHECK(rows > 0 && rows <= kBlockRowsMax);
  Opened opened;
  opened.encoding = find_encoding(static_cast<EncodingId>(in.u8()));
  if (!in.ok() || opened.encoding == nullptr || !opened.encoding->accepts(type)) {
    return corrupt_segment("unknown or unfitting encoding");
  }
  EVQ_TRY_ASSIGN(opened.nulls, read_null_section(in, rows));
  return opened;
}

}  // namespace

Result<EncodedSegment> encode_segment(const Vector& column, const EncodeOptions& options,
                                      std::size_t bound_bytes_max) {
  EVQ_CHECK(column.size() > 0 && column.size() <= kBlockRowsMax);
  Parts parts = split(column);
  EncodedSegment segment;
  segment.statistics.nulls = static_cast<std::uint32_t>(parts.nulls.nulls);
  if (parts.nulls.nulls == column.size()) {
    ByteWriter out;
    out.u8(static_cast<std::uint8_t>(EncodingId::kConstant));
    write_null_section(parts.nulls, options, out);
    segment.bytes = out.release();
    segment.statistics.distinct_exact = true;
    return segment;
  }
  if (!fits_block(column, parts)) {
    return make_error(ErrorCode::kTooLarge, "a column of a block holds too much text");
  }
  segment.statistics.raw_bytes = std::min<std::uint64_t>(raw_bytes_of_parts(parts), kBlockBytesMax);
  if (!parts.dictionary.has_value() && options.analyse && !column.is_constant()) {
    parts.dictionary = choose_dictionary(&parts.dense);
  }
  if (parts.dictionary.has_value() && parts.dictionary->entries.size > 1) {
    encode_dictionary(parts, options, &segment);
    measure_bounds(parts.dictionary->entries, bound_bytes_max, &segment.statistics);
  } else {
    encode_dense(parts, options, &segment);
    measure_bounds(parts.dense, bound_bytes_max, &segment.statistics);
  }
  return segment;
}

Result<Vector> decode_segment(std::string_view bytes, Type type, std::size_t rows,
                              const RowSet& wanted) {
  ByteReader in(bytes);
  EVQ_TRY_ASSIGN(const Opened opened, open_segment(in, type, rows));
  const NullSection& nulls = opened.nulls;
  if (nulls.nulls == rows) {
    return Vector::constant(Value::null(type), wanted.count);
  }
  if (nulls.nulls == 0) {
    return opened.encoding->decode(in, {type, rows, wanted, 0});
  }
  WantedValues found = find_wanted_values(nulls, wanted);
  if (found.dense.count == 0) {
    return Vector::constant(Value::null(type), wanted.count);
  }
  EVQ_TRY_ASSIGN(const Vector values,
                 opened.encoding->decode(in, {type, rows - nulls.nulls, found.dense, 0}));
  return expand(values, std::move(found.valid), wanted.count);
}

bool segment_may_have_text(std::string_view bytes, std::size_t rows, std::string_view text) {
  ByteReader in(bytes);
  const Result<Opened> opened = open_segment(in, Type::kString, rows);
  return !opened.ok() || opened->encoding->may_have_text(in, rows - opened->nulls.nulls, text);
}

Result<std::optional<Vector>> decode_entries(std::string_view bytes, Type type, std::size_t rows) {
  ByteReader in(bytes);
  EVQ_TRY_ASSIGN(const Opened opened, open_segment(in, type, rows));
  const EncodingId id = opened.encoding->id();
  const std::size_t values = rows - opened.nulls.nulls;
  if (values == 0) {
    return std::optional(Vector::flat(Values::make_constant(Value::null(type))));
  }
  const DecodeRequest request{type, values, {0, values, nullptr}, 0};
  Vector entries;
  if (id == EncodingId::kDictionary) {
    EVQ_TRY_ASSIGN(entries, read_dictionary_entries(in, request));
  } else if (id == EncodingId::kConstant) {
    EVQ_TRY_ASSIGN(const Vector constant, opened.encoding->decode(in, request));
    entries = Vector::flat(constant.shared_values());
  } else {
    return std::optional<Vector>();
  }
  if (opened.nulls.nulls > 0) {
    entries = Vector::flat(with_null_entry(entries.values()));
  }
  return std::optional(entries);
}

std::string_view encoding_name(EncodingId id) {
  const ColumnEncoding* encoding = find_encoding(id);
  return encoding == nullptr ? std::string_view("unknown") : encoding->name();
}

}  // namespace evq
