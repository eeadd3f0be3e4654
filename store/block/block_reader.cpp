#include "store/block/block_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/base/check.h"
#include "store/base/checksum.h"
#include "store/block/time_units.h"
#include "store/encoding/segment.h"

namespace evq {
namespace {

Error corrupt_column(const ColumnHeader& column, std::string_view what) {
  return make_error(ErrorCode::kCorrupt,
                    "column '" + column.name + "' is corrupt: " + std::string(what));
}

class PackedSource final : public SegmentSource {
 public:
  PackedSource(const BlockHeader& header, SharedBytes packed)
      : packed_(std::move(packed)), ranges_(header) {}

  Result<SharedBytes> fetch(std::size_t column, SegmentPart part) override {
    const PackedRanges::Range& range = ranges_.of(column, part);
    if (range.offset > packed_.view.size() || range.size > packed_.view.size() - range.offset) {
      return make_error(ErrorCode::kCorrupt, "packed block ends early");
    }
    return SharedBytes{packed_.view.substr(range.offset, range.size), packed_.owner};
  }

 private:
  SharedBytes packed_;
  PackedRanges ranges_;
};

// Of a column that `_time` tells.
Result<Vector> read_time_units(BlockReader& reader, std::size_t column, std::string_view bytes,
                               const Selection& selection) {
  const std::optional<std::size_t> time = reader.find(kTimeField);
  if (!time.has_value() || *time == column) {
    return corrupt_segment("it refers to _time, which the block does not have beside it");
  }
  std::optional<Vector> times = reader.source().decoded(*time);
  if (!times.has_value()) {
    EVQ_TRY_ASSIGN(times, reader.read(*time, selection));
  } else if (selection.is_range()) {
    times = times->slice(selection.begin(), selection.size(reader.rows()));
  } else if (!selection.is_all()) {
    times = times->gather(selection.list());
  }
  return decode_time_units(bytes, reader.header().columns[column].type, reader.rows(), *times);
}

}  // namespace

// What was fetched of one column.
struct BlockReader::Held {
  std::optional<SharedBytes> segment;
  std::optional<SharedBytes> filter;
};

Selection Selection::range(std::size_t begin, std::size_t count) {
  Selection selection;
  selection.kind_ = Kind::kRange;
  selection.begin_ = begin;
  selection.count_ = count;
  return selection;
}

Selection Selection::rows(std::span<const std::uint32_t> rows) {
  Selection selection;
  selection.kind_ = Kind::kRows;
  selection.rows_ = rows;
  return selection;
}

std::size_t Selection::size(std::size_t block_rows) const {
  switch (kind_) {
    case Kind::kAll:
      return block_rows;
    case Kind::kRange:
      return count_;
    case Kind::kRows:
      return rows_.size();
  }
  return 0;
}

BlockReader::BlockReader(std::shared_ptr<const BlockHeader> header,
                         std::unique_ptr<SegmentSource> source)
    : header_(std::move(header)), source_(std::move(source)), held_(header_->columns.size()) {}

BlockReader::~BlockReader() = default;

Result<std::string_view> BlockReader::fetch(std::size_t column, SegmentPart part) {
  EVQ_CHECK(column < held_.size());
  const bool segment = part == SegmentPart::kSegment;
  std::optional<SharedBytes>& held = segment ? held_[column].segment : held_[column].filter;
  if (held.has_value()) {
    return held->view;
  }
  const ColumnHeader& header = header_->columns[column];
  has_fetched_ = has_fetched_ || segment;
  EVQ_TRY_ASSIGN(SharedBytes bytes, source_->fetch(column, part));
  const std::uint64_t size = segment ? header.segment_bytes : header.filter_bytes;
  const std::uint64_t checksum = segment ? header.segment_checksum : header.filter_checksum;
  if (bytes.view.size() != size || checksum64(bytes.view) != checksum) {
    return corrupt_column(
        header, segment ? "its segment fails the checksum" : "its filter fails the checksum");
  }
  held = std::move(bytes);
  return held->view;
}

Result<Vector> BlockReader::read(std::size_t column, const Selection& selection) {
  const ColumnHeader& header = header_->columns[column];
  const std::size_t count = selection.size(rows());
  RowSet wanted{0, count, nullptr};
  if (selection.is_range()) {
    EVQ_CHECK(selection.begin() <= rows() && count <= rows() - selection.begin());
    wanted.begin = selection.begin();
  } else if (!selection.is_all()) {
    const std::span<const std::uint32_t> list = selection.list();
    EVQ_CHECK(count == 0 || list.back() < rows());
    const bool is_run = count > 0 && list.back() - list.front() + 1 == count;
    wanted.begin = is_run ? list.front() : 0;
    wanted.list = is_run ? nullptr : list.data();
  }
  if (header.nulls == rows() || count == 0) {
    return count == 0 ? Vector::flat(Values::make(header.type, 0))
                      : Vector::constant(Value::null(header.type), count);
  }
  EVQ_TRY_ASSIGN(const std::string_view bytes, fetch(column, SegmentPart::kSegment));
  Result<Vector> vector = is_time_units(bytes) ? read_time_units(*this, column, bytes, selection)
                                               : decode_segment(bytes, header.type, rows(), wanted);
  // The bytes of `_time`, which may tell this column, may also not have been read.
  if (!vector.ok() && vector.error().code == ErrorCode::kCorrupt) {
    return corrupt_column(header, vector.error().message);
  }
  return vector;
}

std::optional<Vector> BlockReader::known_dictionary(std::size_t column) {
  if (!header_->columns[column].has(kColumnIsDictionary)) {
    return std::nullopt;
  }
  const std::optional<Vector> known = source_->decoded(column);
  return known.has_value() && known->is_dictionary()
             ? std::optional(Vector::flat(known->shared_values()))
             : std::nullopt;
}

Result<std::optional<Vector>> BlockReader::read_dictionary(std::size_t column) {
  const ColumnHeader& header = header_->columns[column];
  if (!header.has(kColumnIsDictionary)) {
    return std::optional<Vector>();
  }
  if (std::optional<Vector> known = known_dictionary(column)) {
    return known;
  }
  EVQ_TRY_ASSIGN(const std::string_view bytes, fetch(column, SegmentPart::kSegment));
  Result<std::optional<Vector>> entries = decode_entries(bytes, header.type, rows());
  if (!entries.ok()) {
    return corrupt_column(header, entries.error().message);
  }
  return entries;
}

Result<bool> BlockReader::may_have_text(std::size_t column, std::string_view text) {
  if (source_->decoded(column).has_value()) {
    return true;
  }
  EVQ_TRY_ASSIGN(const std::string_view bytes, fetch(column, SegmentPart::kSegment));
  return segment_may_have_text(bytes, rows(), text);
}

Result<std::string_view> BlockReader::filter(std::size_t column) {
  if (header_->columns[column].filter_bytes == 0) {
    return std::string_view();
  }
  std::optional<SharedBytes>& held = held_[column].filter;
  if (held.has_value()) {
    return held->view;
  }
  held = source_->kept_filter(column);
  if (held.has_value()) {
    return held->view;
  }
  EVQ_TRY_ASSIGN(const std::string_view bytes, fetch(column, SegmentPart::kFilter));
  source_->keep_filter(column, *held);
  return bytes;
}

void BlockReader::release(std::size_t column) {
  held_[column] = Held();
}

PackedRanges::PackedRanges(const BlockHeader& header) {
  std::uint64_t offset = 0;
  segments_.reserve(header.columns.size());
  for (const ColumnHeader& column : header.columns) {
    segments_.push_back({offset, column.segment_bytes});
    offset += column.segment_bytes;
  }
  filters_.reserve(header.columns.size());
  for (const ColumnHeader& column : header.columns) {
    filters_.push_back({offset, column.filter_bytes});
    offset += column.filter_bytes;
  }
}

std::unique_ptr<SegmentSource> make_packed_source(const BlockHeader& header, SharedBytes packed) {
  return std::make_unique<PackedSource>(header, std::move(packed));
}

}  // namespace evq
