#include "apl/service/external_data.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"
#include "store/column/vector_builder.h"
#include "store/ingest/boundary.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/csv_record.h"

namespace evq {
namespace {

constexpr std::string_view kName = "externaldata";  // for memory errors
// How much is read at a time.
constexpr std::size_t kExternalPieceBytes = 256 * kKibibyte;

enum class Shape : std::uint8_t { kDelimited, kJson, kLines, kWhole };

struct Format {
  std::string_view name;
  Shape shape;
  char delimiter = 0;
};

// By the format's name, which is also the extension of its files.
constexpr std::array<Format, 12> kFormats = {{{"csv", Shape::kDelimited, ','},
                                              {"tsv", Shape::kDelimited, '\t'},
                                              {"scsv", Shape::kDelimited, ';'},
                                              {"psv", Shape::kDelimited, '|'},
                                              {"sohsv", Shape::kDelimited, '\x01'},
                                              {"json", Shape::kJson},
                                              {"ndjson", Shape::kJson},
                                              {"jsonl", Shape::kJson},
                                              {"multijson", Shape::kJson},
                                              {"txt", Shape::kLines},
                                              {"log", Shape::kLines},
                                              {"raw", Shape::kWhole}}};

bool is_address(std::string_view location) {
  return location.starts_with("http://") || location.starts_with("https://");
}

Result<Format> format_of(const plan::ExternalRequest& request) {
  const auto named = [](std::string_view name) {
    return std::ranges::find(kFormats, name, &Format::name);
  };
  if (!request.format.empty()) {
    if (const auto* at = named(request.format); at != kFormats.end()) {
      return *at;
    }
    std::string known = "the formats are";
    for (const Format& format : kFormats) {
      known.append(format.name == kFormats[0].name ? " " : ", ").append(format.name);
    }
    return make_error(ErrorCode::kUsage, "externaldata cannot read '" + request.format + "'",
                      std::move(known));
  }
  std::string_view name = request.locations[0];
  name = name.substr(0, is_address(name) ? name.find_first_of("?#") : std::string_view::npos);
  for (const std::string_view packed : {".gz", ".zst"}) {
    name = name.ends_with(packed) ? name.substr(0, name.size() - packed.size()) : name;
  }
  const std::size_t dot = name.rfind('.');
  const auto* at = dot == std::string_view::npos ? kFormats.end() : named(name.substr(dot + 1));
  return at == kFormats.end() ? kFormats[0] : *at;
}

// Makes room for `more` bytes. They are charged before they are there, and for a moment twice.
Status make_room(std::size_t more, std::string* bytes, MemoryLease* lease) {
  if (bytes->capacity() - bytes->size() >= more) {
    return Status::success();
  }
  const std::size_t room =
      std::max(bytes->size() + more,
               std::min(2 * bytes->capacity(), kExternalDataBytesMax + kExternalPieceBytes));
  EVQ_TRY(lease->grow(room));
  bytes->reserve(room);
  return lease->resize(bytes->capacity());
}

// Without compression, up to the limit. The lease, which holds nothing else, holds it.
Result<std::string> read_all(std::unique_ptr<ByteSource> packed, const std::string& location,
                             const QueryControl& control, MemoryLease* lease) {
  DecodeOptions options;
  options.limit_ratio = true;
  options.decoded_bytes_max = kExternalDataBytesMax;
  const std::unique_ptr<ByteSource> source = decoded_source(std::move(packed), options);
  std::string bytes;
  std::string buffer(kExternalPieceBytes, '\0');
  for (;;) {
    EVQ_TRY(control.check());
    EVQ_TRY_ASSIGN(const std::optional<std::size_t> got, source->read(buffer, kControlPollMsMax));
    if (!got.has_value()) {
      continue;
    }
    if (*got == 0) {
      return bytes;
    }
    EVQ_TRY(make_room(*got, &bytes, lease));
    bytes.append(buffer, 0, *got);
    if (bytes.size() > kExternalDataBytesMax) {
      return make_error(
          ErrorCode::kTooLarge,
          location + " is larger than " + std::to_string(kExternalDataBytesMax) + " bytes",
          "ingest it as a dataset instead");
    }
  }
}

// As UTF-8, as all texts are, without a byte order mark. The lease holds `bytes`.
Result<std::string> to_text(std::string bytes, MemoryLease* lease) {
  if (bytes.starts_with(kByteOrderMark)) {
    bytes.erase(0, kByteOrderMark.size());
  }
  if (is_valid_utf8(bytes)) {
    return bytes;
  }
  EVQ_TRY(lease->grow(bytes.size()));
  std::string repaired = repair_utf8(bytes);
  std::string().swap(bytes);
  EVQ_TRY(lease->resize(repaired.capacity()));
  return repaired;
}

// Texts or dynamic values, a column each, charged to the lease as they grow. Adding a row fails
// when there is no room, or when `control` says so.
class Rows {
 public:
  Rows(const plan::ExternalRequest& request, Type type, MemoryLease* lease,
       const QueryControl& control)
      : names_(request.columns),
        mapping_(request.mapping),
        columns_(request.columns.size(), VectorBuilder(type)),
        type_(type),
        lease_(lease),
        control_(control) {}

  // How many cells of a record are asked for.
  std::size_t width() const {
    std::size_t width = mapping_.empty() ? names_.size() : 1;
    for (const auto& place : mapping_) {
      width = std::max(width, place.has_value() ? place->ordinal.value_or(0) + 1 : 0);
    }
    return width;
  }

  // By position; empty cells and missing ones are null.
  Status add_record(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::string_view cell = i < cells.size() ? cells[i] : std::string_view();
      if (!mapping_.empty()) {
        cell = mapped_cell(mapping_[i], cells);
      }
      if (cell.empty()) {
        columns_[i].append_null();
      } else {
        columns_[i].append_text(cell);
      }
    }
    return end_row();
  }
  Status add_line(std::string_view line) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (i == 0) {
        columns_[i].append_text(line);
      } else {
        columns_[i].append_null();
      }
    }
    return end_row();
  }
  // By name; a name with dots may lead into nested objects.
  Status add_object(DynamicView object) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const DynamicView value =
          mapping_.empty() ? member(object, names_[i]) : mapped_value(mapping_[i], object);
      if (value.is_null()) {
        columns_[i].append_null();
      } else {
        columns_[i].append_text(value.bytes());
      }
    }
    return end_row();
  }
  Result<Table> finish() {
    EVQ_TRY(charge());
    Table table;
    std::vector<Field> fields;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      fields.push_back({names_[i], type_});
      table.columns.push_back(columns_[i].finish());
    }
    table.schema = Schema(std::move(fields));
    table.rows = rows_;
    return table;
  }

 private:
  Status end_row() {
    constexpr std::size_t kRowsPerCharge = 1024;
    if (++rows_ % kRowsPerCharge != 0) {
      return Status::success();
    }
    EVQ_TRY(control_.check());
    return charge();
  }
  Status charge() {
    std::size_t bytes = 0;
    for (const VectorBuilder& column : columns_) {
      bytes += column.size_bytes();
    }
    return lease_->grow(bytes - std::exchange(charged_bytes_, bytes));
  }

  static std::string_view mapped_cell(const std::optional<plan::ExternalPlace>& place,
                                      const std::vector<std::string>& cells) {
    if (!place.has_value() || !place->ordinal.has_value()) {
      return place.has_value() ? std::string_view(place->constant) : std::string_view();
    }
    return *place->ordinal < cells.size() ? cells[*place->ordinal] : std::string_view();
  }

  // Until the next call.
  DynamicView mapped_value(const std::optional<plan::ExternalPlace>& place, DynamicView object) {
    if (!place.has_value()) {
      return {};
    }
    if (!place->path.has_value()) {
      constant_.clear();
      constant_.add_string(place->constant);
      return DynamicView(constant_.bytes());
    }
    const std::vector<DynamicView> found = place->path->matches(object);
    return found.empty() ? DynamicView() : found[0];
  }

  static DynamicView member(DynamicView object, std::string_view name) {
    if (const auto direct = object.find(name); direct.has_value()) {
      return *direct;
    }
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
      return {};
    }
    const auto outer = object.find(name.substr(0, dot));
    return outer.has_value() ? member(*outer, name.substr(dot + 1)) : DynamicView();
  }

  const std::vector<std::string>& names_;
  const std::vector<std::optional<plan::ExternalPlace>>& mapping_;
  DynamicBuilder constant_;
  std::vector<VectorBuilder> columns_;
  Type type_;
  MemoryLease* lease_;
  const QueryControl& control_;
  std::size_t charged_bytes_ = 0;
  std::size_t rows_ = 0;
};

// Gives visit() the top-level JSON values of `text`, one after the other, in an array or not; kData
// with the line of the first that is none.
template <class Visit>
Status split_json(std::string_view text, const Visit& visit) {
  JsonReader reader;
  DynamicBuilder value;
  std::size_t line = 1;
  std::size_t at = 0;
  const auto skip = [&](std::string_view skipped) {
    for (; at < text.size() && skipped.find(text[at]) != std::string_view::npos; ++at) {
      line += text[at] == '\n' ? 1U : 0U;
    }
  };
  skip(" \t\r\n");
  while (at < text.size()) {
    const std::size_t begin = at;
    const std::size_t first_line = line;
    int depth = 0;
    bool in_string = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      line += c == '\n' ? 1U : 0U;
      if (in_string) {
        at += c == '\\' ? 1U : 0U;
        in_string = c != '"';
        continue;
      }
      in_string = c == '"';
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (depth <= 0 && !in_string) {
        break;
      }
    }
    at = std::min(at + 1, text.size());
    value.clear();
    const bool is_json = reader.read(text.substr(begin, at - begin), &value);
    const DynamicView view = is_json ? DynamicView(value.bytes()) : DynamicView();
    if (!view.is_array() && !view.is_bag()) {
      return make_error(ErrorCode::kData,
                        "line " + std::to_string(first_line) + " does not begin a JSON object");
    }
    DynamicView::Iterator elements(view);
    while (view.is_array() && elements.next()) {
      EVQ_TRY(visit(elements.value()));
    }
    if (view.is_bag()) {
      EVQ_TRY(visit(view));
    }
    skip(" \t\r\n,");
  }
  return Status::success();
}

// By the rules of ingest; a record that breaks them is kData with its line.
Status add_delimited(std::string_view text, char delimiter, bool skip_first, Rows* rows) {
  constexpr std::size_t kRecordsAtOnce = 1024;
  const std::unique_ptr<BoundaryScanner> scanner = make_record_scanner(delimiter);
  const std::string_view whole = text;
  bool skips = skip_first;
  while (!text.empty()) {
    EVQ_TRY(scanner->scan_to_end(text, kRecordsAtOnce));
    for (const ValueSpan& span : scanner->spans()) {
      const std::string_view record = text.substr(span.begin, span.size);
      if (is_blank_record(record) || std::exchange(skips, false)) {
        continue;
      }
      auto cells = read_csv_cells(record, delimiter, rows->width());
      Status added =
          cells.ok() ? rows->add_record(cells.value()) : Status(std::move(cells).take_error());
      if (!added.ok()) {
        Error error = std::move(added).take_error();
        if (error.code == ErrorCode::kData) {
          const auto before = static_cast<std::size_t>(record.data() - whole.data());
          const std::size_t line = 1 + count_line_feeds(whole.substr(0, before));
          error.message = "line " + std::to_string(line) + ": " + error.message;
        }
        return error;
      }
    }
    const std::size_t taken = scanner->whole_bytes();
    scanner->drop(taken);
    text.remove_prefix(taken);
  }
  return Status::success();
}

Status add_lines(std::string_view text, bool skip_first, Rows* rows) {
  bool skips = skip_first;
  while (!text.empty()) {
    const std::string_view line = take_line(&text);
    if (!std::exchange(skips, false)) {
      EVQ_TRY(rows->add_line(line));
    }
  }
  return Status::success();
}

Status add_json(std::string_view text, Rows* rows) {
  return split_json(text, [&](DynamicView value) { return rows->add_object(value); });
}

// Values of JSON are mapped by paths, cells of records by ordinals, and of lines there is only one.
Status check_mapping(const plan::ExternalRequest& request, const Format& format) {
  for (const auto& place : request.mapping) {
    const bool json = format.shape == Shape::kJson;
    if (place.has_value() && (json ? place->ordinal.has_value() : place->path.has_value())) {
      return make_error(ErrorCode::kUsage,
                        "the ingestionMapping does not fit '" + std::string(format.name) + "'",
                        json ? "values of JSON are mapped by a Path"
                             : "cells of a record are mapped by an Ordinal");
    }
  }
  if (!request.mapping.empty() && format.shape != Shape::kJson &&
      format.shape != Shape::kDelimited) {
    return make_error(ErrorCode::kUsage,
                      "lines of '" + std::string(format.name) + "' have no parts to be mapped",
                      "leave the ingestionMapping out; the first column is the line");
  }
  return Status::success();
}

Status add_text(std::string_view text, const Format& format, bool skip_first, Rows* rows) {
  switch (format.shape) {
    case Shape::kDelimited:
      return add_delimited(text, format.delimiter, skip_first, rows);
    case Shape::kJson:
      return add_json(text, rows);
    case Shape::kLines:
      return add_lines(text, skip_first, rows);
    case Shape::kWhole:
      return rows->add_line(text);
  }
  return Status::success();
}

}  // namespace

ExternalData::ExternalData(const ExternalAccess& access, MemoryBudget* budget,
                           const QueryControl& control)
    : access_(access), budget_(budget), control_(control), lease_(budget, kName) {}

Result<Table> ExternalData::read(const plan::ExternalRequest& request) {
  if (request.locations.empty()) {
    return make_error(ErrorCode::kUsage, "externaldata names no file or address",
                      "write externaldata (name:type, …) [\"data.csv\"]");
  }
  EVQ_TRY_ASSIGN(const Format format, format_of(request));
  EVQ_TRY(check_mapping(request, format));
  Rows rows(request, format.shape == Shape::kJson ? Type::kDynamic : Type::kString, &lease_,
            control_);
  for (const std::string& location : request.locations) {
    MemoryLease held(budget_, kName);
    EVQ_TRY_ASSIGN(std::string bytes, bytes_of(location, &held));
    EVQ_TRY_ASSIGN(const std::string text, to_text(std::move(bytes), &held));
    Status added = add_text(text, format, request.ignore_first_record, &rows);
    if (!added.ok()) {
      Error error = std::move(added).take_error();
      if (error.code == ErrorCode::kData) {
        error.message = location + ": " + error.message;
      }
      return error;
    }
  }
  return rows.finish();
}

Result<std::string> ExternalData::bytes_of(const std::string& location, MemoryLease* lease) const {
  const auto check = [&](const std::string& place) -> Status {
    if (access_.any || is_below(place, access_.prefixes)) {
      return Status::success();
    }
    return make_error(ErrorCode::kForbidden, "externaldata may not read '" + location + "' here",
                      "whoever runs the server may allow it: evq serve --allow-external PREFIX");
  };
  EVQ_TRY(check(location));
  if (!is_address(location)) {
    const std::string path = location.starts_with("file://") ? location.substr(7) : location;
    EVQ_TRY_ASSIGN(File file, File::open_input(path, control_));
    // The path may lead elsewhere than it did a moment ago: what counts is what was opened.
    EVQ_TRY(check("/proc/self/fd/" + std::to_string(file.descriptor())));
    return read_all(file_source(std::move(file)), location, control_, lease);
  }
  if (!access_.fetch) {
    return make_error(ErrorCode::kUnsupported, "addresses cannot be read here");
  }
  // A redirect could lead anywhere.
  EVQ_TRY_ASSIGN(std::string packed,
                 access_.fetch(location, kExternalDataBytesMax, access_.any, control_));
  MemoryLease fetched(budget_, kName);
  EVQ_TRY(fetched.grow(packed.capacity()));
  if (compression_of(std::string_view(packed).substr(0, 4)) == InputCompression::kNone) {
    lease->take(&fetched);
    return packed;  // there is no second copy of what is not packed
  }
  return read_all(memory_source(packed), location, control_, lease);
}

bool is_below(const std::string& location, const std::vector<std::string>& prefixes) {
  if (is_address(location)) {
    // Dot segments, plain or encoded, could climb out of the prefix.
    const bool climbs = location.find("/..") != std::string::npos ||
                        location.find('%') != std::string::npos ||
                        location.find('\\') != std::string::npos;
    return !climbs && std::ranges::any_of(prefixes, [&](const std::string& prefix) {
      if (!is_address(prefix) || !location.starts_with(prefix)) {
        return false;
      }
      const char next = location.size() > prefix.size() ? location[prefix.size()] : '/';
      return prefix.ends_with('/') || next == '/' || next == '?';
    });
  }
  const auto canonical = [](std::string path, std::filesystem::path* out) {
    if (path.starts_with("file://")) {
      path.erase(0, 7);
    }
    std::error_code error;
    *out = std::filesystem::canonical(path, error);
    return !error;
  };
  std::filesystem::path file;
  if (!canonical(location, &file)) {
    return false;
  }
  return std::ranges::any_of(prefixes, [&](const std::string& prefix) {
    std::filesystem::path directory;
    if (is_address(prefix) || !canonical(prefix, &directory)) {
      return false;
    }
    const auto [rest, at] = std::ranges::mismatch(directory, file);
    return rest == directory.end();
  });
}

}  // namespace evq
