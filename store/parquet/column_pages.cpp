#include "store/parquet/column_pages.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <zstd.h>

#include "store/base/bytes.h"
#include "store/base/seeded_text_hash.h"
#include "store/column/dynamic_json.h"
#include "store/parquet/compact_writer.h"

namespace evq {
namespace {

constexpr int kZstdLevel = 3;
// A page ends at either.
constexpr std::size_t kPageRowsMax = 20'000;
constexpr std::size_t kPageBytesMax = std::size_t{1} << 20U;
// A dictionary must save something: so many entries at most, of so many bytes, each used twice on
// average.
constexpr std::size_t kDictionaryEntriesMax = 65'536;
constexpr std::size_t kDictionaryBytesMax = std::size_t{1} << 20U;

// In groups of eight, lowest bits first; the last one is filled up with zeros.
void append_packed(ByteWriter* out, std::span<const std::uint32_t> numbers, unsigned width) {
  const std::size_t groups = (numbers.size() + 7) / 8;
  std::uint64_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < groups * 8; ++i) {
    bits |= std::uint64_t{i < numbers.size() ? numbers[i] : 0U} << held;
    for (held += width; held >= 8; held -= 8) {
      out->u8(static_cast<std::uint8_t>(bits));
      bits >>= 8U;
    }
  }
}

// Numbers of `width` bits in the hybrid of runs and bit packing: one run when all are equal, else
// all of them packed.
void append_hybrid(ByteWriter* out, std::span<const std::uint32_t> numbers, unsigned width) {
  const bool equal =
      std::ranges::all_of(numbers, [&](std::uint32_t number) { return number == numbers.front(); });
  if (equal && !numbers.empty()) {
    out->varint(static_cast<std::uint64_t>(numbers.size()) << 1U);
    for (unsigned shift = 0; shift < width; shift += 8) {
      out->u8(static_cast<std::uint8_t>(numbers.front() >> shift));
    }
    return;
  }
  const std::size_t groups = (numbers.size() + 7) / 8;
  out->varint((static_cast<std::uint64_t>(groups) << 1U) | 1U);
  append_packed(out, numbers, width);
}

unsigned bit_width(std::size_t entries) {
  unsigned width = 1;
  while (width < 32 && (std::size_t{1} << width) < entries) {
    ++width;
  }
  return width;
}

// Collects the pages of one column.
class PageWriter {
 public:
  explicit PageWriter(ColumnPages* pages) : pages_(pages) {}

  Status dictionary(std::string_view body, std::size_t entries) {
    EVQ_TRY(page(ParquetPage::kDictionary, body, entries, ParquetEncoding::kPlain));
    pages_->data_offset = pages_->bytes.size();
    return Status::success();
  }
  // `present` has a number a row: 1 for a value, 0 for null.
  Status data(std::span<const std::uint32_t> present, std::string_view values,
              ParquetEncoding encoding) {
    ByteWriter levels;
    append_hybrid(&levels, present, 1);
    ByteWriter body;
    body.u32(static_cast<std::uint32_t>(levels.size()));
    body.raw(levels.view());
    body.raw(values);
    return page(ParquetPage::kData, body.view(), present.size(), encoding);
  }

 private:
  Status page(ParquetPage kind, std::string_view body, std::size_t values,
              ParquetEncoding encoding) {
    // The format's sizes have 31 bits, and what does not compress grows a little.
    if (ZSTD_compressBound(body.size()) > std::numeric_limits<std::int32_t>::max()) {
      return make_error(ErrorCode::kTooLarge, "a page of a Parquet file would be more than 2 GiB",
                        "export such columns as NDJSON");
    }
    std::string packed(ZSTD_compressBound(body.size()), '\0');
    const std::size_t size =
        ZSTD_compress(packed.data(), packed.size(), body.data(), body.size(), kZstdLevel);
    if (ZSTD_isError(size) != 0) {
      return make_error(ErrorCode::kInternal, std::string("zstd: ") + ZSTD_getErrorName(size));
    }
    ByteWriter header;
    CompactWriter writer(header);
    writer.begin_struct();
    writer.i32(1, static_cast<std::int32_t>(kind));
    writer.i32(2, static_cast<std::int32_t>(body.size()));
    writer.i32(3, static_cast<std::int32_t>(size));
    writer.begin_struct(kind == ParquetPage::kData ? 5 : 7);
    writer.i32(1, static_cast<std::int32_t>(values));
    writer.i32(2, static_cast<std::int32_t>(encoding));
    if (kind == ParquetPage::kData) {
      writer.i32(3, static_cast<std::int32_t>(ParquetEncoding::kRle));
      writer.i32(4, static_cast<std::int32_t>(ParquetEncoding::kRle));
    }
    writer.end_struct();
    writer.end_struct();
    pages_->bytes.append(header.view()).append(packed.data(), size);
    pages_->uncompressed_bytes += header.size() + body.size();
    return Status::success();
  }

  ColumnPages* pages_;
};

// One text a row, dynamics as JSON; entries of a dictionary vector are rendered once.
class TextReader {
 public:
  explicit TextReader(const Vector& part) : part_(part) {
    if (part.type() == Type::kDynamic) {
      rendered_.resize(part.values().size());
    }
  }
  std::string_view text(std::size_t row) {
    const std::size_t slot = part_.slot(row);
    const std::string_view stored = part_.values().data<std::string_view>()[slot];
    if (part_.type() != Type::kDynamic) {
      return stored;
    }
    if (rendered_[slot].empty()) {
      append_json(DynamicView(stored), &rendered_[slot]);
    }
    return rendered_[slot];
  }

 private:
  const Vector& part_;
  std::vector<std::string> rendered_;
};

// Calls `each(part, row)` for all rows, and `page_end()` after every page's worth of them.
template <class Each, class PageEnd>
Status for_each_page(std::span<const Vector* const> parts, Each&& each, PageEnd&& page_end) {
  std::size_t rows = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t row = 0; row < parts[part]->size(); ++row) {
      const std::size_t bytes = each(part, row);
      if (++rows == kPageRowsMax || bytes >= kPageBytesMax) {
        EVQ_TRY(page_end());
        rows = 0;
      }
    }
  }
  return rows > 0 ? page_end() : Status::success();
}

Status encode_fixed(Type type, std::span<const Vector* const> parts, PageWriter& writer,
                    ColumnPages* pages) {
  std::vector<std::uint32_t> present;
  std::vector<std::uint32_t> bits;  // of a bool column
  ByteWriter values;
  const auto each = [&](std::size_t part, std::size_t row) -> std::size_t {
    const Vector& vector = *parts[part];
    const bool null = vector.is_null(row);
    present.push_back(null ? 0 : 1);
    if (null) {
      ++pages->nulls;
    } else if (type == Type::kBool) {
      bits.push_back(vector.values().data<std::uint8_t>()[vector.slot(row)] != 0 ? 1 : 0);
    } else if (type == Type::kReal) {
      values.f64(vector.values().data<double>()[vector.slot(row)]);
    } else {
      const std::int64_t value = vector.values().data<std::int64_t>()[vector.slot(row)];
      values.i64(value);
      pages->least = std::min(value, pages->least.value_or(value));
      pages->greatest = std::max(value, pages->greatest.value_or(value));
    }
    return values.size();
  };
  const auto page_end = [&]() -> Status {
    append_packed(&values, bits, 1);
    EVQ_TRY(writer.data(present, values.view(), ParquetEncoding::kPlain));
    present.clear();
    bits.clear();
    values.clear();
    return Status::success();
  };
  return for_each_page(parts, each, page_end);
}

// The distinct texts in order of appearance; given up when there are too many for the rows.
class TextDictionary {
 public:
  static std::optional<TextDictionary> build(std::span<const Vector* const> parts,
                                             std::vector<TextReader>& readers) {
    TextDictionary made;
    std::size_t values = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (std::size_t row = 0; row < parts[part]->size(); ++row) {
        if (parts[part]->is_null(row)) {
          continue;
        }
        ++values;
        const std::string_view text = readers[part].text(row);
        if (made.codes_.try_emplace(text, made.codes_.size()).second) {
          made.plain_.u32(static_cast<std::uint32_t>(text.size()));
          made.plain_.raw(text);
        }
        if (made.codes_.size() > kDictionaryEntriesMax ||
            made.plain_.size() > kDictionaryBytesMax) {
          return std::nullopt;
        }
      }
    }
    const bool worth = !made.codes_.empty() && made.codes_.size() * 2 <= values;
    return worth ? std::optional(std::move(made)) : std::nullopt;
  }
  std::uint32_t code(std::string_view text) const {
    return static_cast<std::uint32_t>(codes_.at(text));
  }
  std::size_t size() const { return codes_.size(); }
  std::string_view plain() const { return plain_.view(); }

 private:
  std::unordered_map<std::string_view, std::size_t, SeededTextHash> codes_;
  ByteWriter plain_;
};

Status encode_texts(std::span<const Vector* const> parts, PageWriter& writer, ColumnPages* pages) {
  std::vector<TextReader> readers;
  readers.reserve(parts.size());
  for (const Vector* part : parts) {
    readers.emplace_back(*part);
  }
  const std::optional<TextDictionary> dictionary = TextDictionary::build(parts, readers);
  const unsigned width = dictionary.has_value() ? bit_width(dictionary->size()) : 0;
  if (dictionary.has_value()) {
    EVQ_TRY(writer.dictionary(dictionary->plain(), dictionary->size()));
  }
  std::vector<std::uint32_t> present;
  std::vector<std::uint32_t> codes;
  ByteWriter values;
  const auto each = [&](std::size_t part, std::size_t row) -> std::size_t {
    const bool null = parts[part]->is_null(row);
    present.push_back(null ? 0 : 1);
    if (null) {
      ++pages->nulls;
      return values.size();
    }
    const std::string_view text = readers[part].text(row);
    if (dictionary.has_value()) {
      codes.push_back(dictionary->code(text));
    } else {
      values.u32(static_cast<std::uint32_t>(text.size()));
      values.raw(text);
    }
    return values.size();
  };
  const auto page_end = [&]() -> Status {
    if (dictionary.has_value()) {
      values.u8(static_cast<std::uint8_t>(width));
      append_hybrid(&values, codes, width);
    }
    EVQ_TRY(writer.data(
        present, values.view(),
        dictionary.has_value() ? ParquetEncoding::kRleDictionary : ParquetEncoding::kPlain));
    present.clear();
    codes.clear();
    values.clear();
    return Status::success();
  };
  return for_each_page(parts, each, page_end);
}

}  // namespace

ParquetType parquet_type(Type type) {
  switch (type) {
    case Type::kBool:
      return ParquetType::kBoolean;
    case Type::kLong:
    case Type::kDatetime:
    case Type::kTimespan:
      return ParquetType::kInt64;
    case Type::kReal:
      return ParquetType::kDouble;
    case Type::kNull:
    case Type::kString:
    case Type::kDynamic:
      break;
  }
  return ParquetType::kByteArray;
}

Result<ColumnPages> encode_column_pages(Type type, std::span<const Vector* const> parts) {
  ColumnPages pages;
  for (const Vector* part : parts) {
    pages.values += part->size();
  }
  PageWriter writer(&pages);
  if (parquet_type(type) == ParquetType::kByteArray) {
    EVQ_TRY(encode_texts(parts, writer, &pages));
  } else {
    EVQ_TRY(encode_fixed(type, parts, writer, &pages));
  }
  return pages;
}

}  // namespace evq
