#pragma once
// BlockReader: decodes chosen columns and rows of one block. It asks a SegmentSource for bytes when
// they are first needed, checks them against the header's checksums, and keeps them until released,
// so that a filter's columns can be read whole and the others for the surviving rows only, without
// fetching or verifying anything twice.
// A reader is for one thread at a time. Vectors it returns own what they need and outlive it.
// Bytes that are not what the header promises, or do not decode, are kCorrupt; other errors are the
// source's own.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/block/format.h"
#include "store/column/vector.h"

namespace evq {

// Bytes and what keeps them alive.
struct SharedBytes {
  std::string_view view;
  std::shared_ptr<const void> owner;
};

enum class SegmentPart : std::uint8_t { kSegment, kFilter };

class SegmentSource {
 public:
  virtual ~SegmentSource() = default;
  // The stored bytes of column number `column` of the header, unverified.
  virtual Result<SharedBytes> fetch(std::size_t column, SegmentPart part) = 0;
  // All rows of the column, when the source has them decoded already.
  virtual std::optional<Vector> decoded(std::size_t /*column*/) { return std::nullopt; }
  // A filter of the block that was verified before, where the source keeps them.
  virtual std::optional<SharedBytes> kept_filter(std::size_t /*column*/) { return std::nullopt; }
  virtual void keep_filter(std::size_t /*column*/, const SharedBytes& /*verified*/) {}
};

// Which rows of a block: all, a range, or an ascending list without repetitions (which the
// selection only views). Rows past the end of the block are a broken invariant.
class Selection {
 public:
  static Selection all() { return {}; }
  static Selection range(std::size_t begin, std::size_t count);
  static Selection rows(std::span<const std::uint32_t> rows);

  bool is_all() const { return kind_ == Kind::kAll; }
  bool is_range() const { return kind_ == Kind::kRange; }
  std::size_t begin() const { return begin_; }  // of a range
  std::span<const std::uint32_t> list() const { return rows_; }
  // How many rows that is, in a block of `block_rows`.
  std::size_t size(std::size_t block_rows) const;

 private:
  enum class Kind : std::uint8_t { kAll, kRange, kRows };

  Kind kind_ = Kind::kAll;
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
  std::span<const std::uint32_t> rows_;
};

class BlockReader {
 public:
  BlockReader(std::shared_ptr<const BlockHeader> header, std::unique_ptr<SegmentSource> source);
  ~BlockReader();
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  const BlockHeader& header() const { return *header_; }
  const std::shared_ptr<const BlockHeader>& shared_header() const { return header_; }
  SegmentSource& source() { return *source_; }
  std::size_t rows() const { return header_->rows; }
  // The position of the column called `name`; a block without it is null there in every row.
  std::optional<std::size_t> find(std::string_view name) const { return header_->find(name); }

  // The selected rows of a column, of the type the header states. Dictionaries keep their shape,
  // and all their entries unless few rows are read. Strings of a flat column read whole have
  // contiguous_text().
  Result<Vector> read(std::size_t column, const Selection& selection);
  // The entries of a dictionary column as a flat vector (a null entry included when rows are null),
  // without touching the codes; nothing when the column is no dictionary.
  Result<std::optional<Vector>> read_dictionary(std::size_t column);
  // Like read_dictionary(), but only if it can be had without reading.
  std::optional<Vector> known_dictionary(std::size_t column);
  // False when no row of a string column is `text`. True also where telling would cost what
  // decoding does, or the column lies decoded already.
  Result<bool> may_have_text(std::size_t column, std::string_view text);
  // The verified bytes of the column's token filter; empty when it has none.
  Result<std::string_view> filter(std::size_t column);

  // Whether any column's values had to be fetched.
  bool has_fetched() const { return has_fetched_; }
  // Lets go of a column's bytes; they are fetched again when needed again.
  void release(std::size_t column);

 private:
  struct Held;
  Result<std::string_view> fetch(std::size_t column, SegmentPart part);

  std::shared_ptr<const BlockHeader> header_;
  std::unique_ptr<SegmentSource> source_;
  std::vector<Held> held_;
  bool has_fetched_ = false;
};

// The offsets and sizes of a block's parts in one run of bytes without gaps: segments, then
// filters, in header order.
class PackedRanges {
 public:
  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  explicit PackedRanges(const BlockHeader& header);
  const Range& of(std::size_t column, SegmentPart part) const {
    return part == SegmentPart::kSegment ? segments_[column] : filters_[column];
  }

 private:
  std::vector<Range> segments_;
  std::vector<Range> filters_;
};

// Makes a source over the packed parts of a block in memory.
std::unique_ptr<SegmentSource> make_packed_source(const BlockHeader& header, SharedBytes packed);

}  // namespace evq
