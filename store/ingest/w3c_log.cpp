#include "store/ingest/w3c_log.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/column/dynamic.h"
#include "store/column/typed_json.h"
#include "store/ingest/csv_value.h"
#include "store/ingest/json_text.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/text_line.h"

namespace evq {

namespace {

constexpr std::string_view kW3cFields = "#fields:";
constexpr std::string_view kZeekFields = "#fields";

std::string_view without_cr(std::string_view line) {
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return line;
}

bool names_w3c_columns(std::string_view line) {
  return equals_ignoring_ascii_case(line.substr(0, kW3cFields.size()), kW3cFields) &&
         !is_blank(line.substr(kW3cFields.size()));
}

// What stands behind this word of Zeek's header and the character that ends it.
std::optional<std::string_view> zeek_value(std::string_view line, std::string_view word) {
  const bool there = line.size() > word.size() && line.starts_with(word) &&
                     line[word.size()] != ':' && line[word.size()] != '_' &&
                     !is_letter_or_digit(line[word.size()]);
  return there ? std::optional(line.substr(word.size() + 1)) : std::nullopt;
}

std::optional<char> escaped_byte(std::string_view text) {
  constexpr std::size_t kBytes = 4;
  unsigned byte = 0;
  if (text.size() < kBytes || !text.starts_with("\\x")) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + kBytes, byte, 16);
  return error == std::errc() && end == text.data() + kBytes
             ? std::optional(static_cast<char>(byte))
             : std::nullopt;
}

// Calls `visit` with what stands between separators; with a blank, between runs of them.
template <class Visit>
void for_each_part(std::string_view text, char separator, const Visit& visit) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (separator != ' ' || end > begin) {
      visit(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
}

W3cColumn::Type zeek_type(std::string_view type) {
  using enum W3cColumn::Type;
  if (type == "count" || type == "int" || type == "port") {
    return kNumber;
  }
  if (type == "double" || type == "time" || type == "interval") {
    return kReal;
  }
  return type == "bool" ? kBool : kText;
}

void type_columns(std::string_view types, char separator, std::vector<W3cColumn>* columns) {
  std::size_t i = 0;
  for_each_part(types, separator, [&](std::string_view type) {
    if (i == columns->size()) {
      return;
    }
    W3cColumn& column = (*columns)[i++];
    const std::size_t open = type.find('[');
    column.list = open != std::string_view::npos && type.ends_with(']');
    column.type = zeek_type(column.list ? type.substr(open + 1, type.size() - open - 2) : type);
  });
}

// The text with the bytes for `\x09`, put into `out`, which has room for it. Nothing: the text
// stays as it is, for there are none, or they are no UTF-8.
std::optional<std::string_view> without_escapes(std::string_view text, std::string* out) {
  if (text.find("\\x") == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t begin = out->size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = escaped_byte(text.substr(i));
    out->push_back(byte.value_or(text[i]));
    i += byte ? 3U : 0U;
  }
  const auto plain = std::string_view(*out).substr(begin);
  return is_valid_utf8(plain) ? std::optional(plain) : std::nullopt;
}

JsonNumber whole_number(std::string_view text) {
  const char* end = text.data() + text.size();
  const JsonNumber number = read_json_number(text.data(), end);
  return number.end == end ? number : JsonNumber{};
}

bool is_number(W3cColumn::Type type) {
  return type == W3cColumn::Type::kNumber || type == W3cColumn::Type::kReal;
}

// A value of a column that has a type.
void add_typed(DynamicBuilder* out, W3cColumn::Type type, std::string_view text) {
  using enum W3cColumn::Type;
  const JsonNumber value = is_number(type) ? whole_number(text) : JsonNumber{};
  if (value.kind == JsonNumberKind::kLong) {
    type == kReal ? out->add_real(static_cast<double>(value.integer))
                  : out->add_long(value.integer);
  } else if (value.kind == JsonNumberKind::kReal || value.kind == JsonNumberKind::kWidened) {
    out->add_real(value.real);
  } else if (type == kBool && (text == "T" || text == "F")) {
    out->add_bool(text == "T");
  } else {
    out->add_string(text);
  }
}

// What a cell of a column with a type means.
std::string typed_value(const W3cHeader& header, const W3cReader::Cell& cell) {
  DynamicBuilder value;
  const bool empty = cell.text == header.empty;
  if (!cell.column->list) {
    add_typed(&value, cell.column->type, empty ? "" : cell.text);
    return value.take();
  }
  value.begin_array();
  if (!empty) {
    for_each_part(cell.text, header.list_separator, [&](std::string_view element) {
      element == header.unset ? value.add_null() : add_typed(&value, cell.column->type, element);
    });
  }
  value.end_array();
  return value.take();
}

std::string_view kept_text(std::string_view text, EventAssembler& event) {
  char* const copy = event.scratch(text.size());
  return {copy, text.copy(copy, text.size())};
}

void add_value(DynamicView value, NodeId node, EventAssembler& event) {
  if (value.tag() == DynamicTag::kLong) {
    event.add_long(node, value.as_integer());
  } else if (value.tag() == DynamicTag::kReal) {
    event.add_real(node, value.as_real());
  } else if (value.is_bool()) {
    event.add_bool(node, value.as_bool());
  } else if (value.is_string()) {
    event.add_text(node, kept_text(value.as_string(), event));
  } else {
    event.add_dynamic(node, value.bytes());
  }
}

}  // namespace

std::optional<bool> begins_with_w3c_header(std::string_view head, bool at_end) {
  while (!head.empty()) {
    const bool whole = at_end || head.find('\n') != std::string_view::npos;
    const bool blank = is_blank(head.substr(0, head.find('\n')));
    if (!head.starts_with('#') && !blank) {
      return false;
    }
    if (!whole) {
      return std::nullopt;
    }
    const std::string_view line = without_cr(take_line(&head));
    if (names_w3c_columns(line) || zeek_value(line, kZeekFields)) {
      return true;
    }
  }
  return at_end ? std::optional(false) : std::nullopt;
}

void W3cHeader::take(std::string_view line) {
  constexpr std::string_view kDate = "#date:";
  if (names_w3c_columns(line)) {
    take_w3c_names(trimmed(line.substr(kW3cFields.size())));
  } else if (equals_ignoring_ascii_case(line.substr(0, kDate.size()), kDate)) {
    date = trimmed(line.substr(kDate.size()));
    date.resize(std::min(date.find_first_of(" T"), date.size()));
  } else if (const auto names = zeek_value(line, kZeekFields)) {
    zeek = true;
    separator = line[kZeekFields.size()];
    columns.clear();
    for_each_part(*names, separator, [this](std::string_view name) { add_column(name); });
  } else if (const auto types = zeek_value(line, "#types")) {
    type_columns(*types, separator, &columns);
  } else if (const auto list = zeek_value(line, "#set_separator"); list && !list->empty()) {
    list_separator = escaped_byte(*list).value_or(list->front());
  } else if (const auto mark = zeek_value(line, "#unset_field")) {
    unset = *mark;
  } else if (const auto nothing = zeek_value(line, "#empty_field")) {
    empty = *nothing;
  }
}

void W3cHeader::take_w3c_names(std::string_view names) {
  const bool commas = names.find(',') != std::string_view::npos;
  const bool tabs = names.find('\t') != std::string_view::npos;
  zeek = false;
  separator = commas ? ',' : kTabsOrBlanks;
  columns.clear();
  for_each_part(names,
                commas ? ','
                : tabs ? '\t'
                       : ' ',
                [this](std::string_view name) { add_column(trimmed(name)); });
}

// Lines that have more cells cannot be read, nor events with a longer name.
void W3cHeader::add_column(std::string_view name) {
  if (columns.size() < kHeaderColumnsMax) {
    columns.push_back({.name = repair_utf8(name.substr(0, kFieldNameBytesMax + 1))});
  }
}

std::shared_ptr<const W3cHeader> w3c_header_behind(std::string_view text,
                                                   std::shared_ptr<const W3cHeader> before) {
  std::shared_ptr<W3cHeader> header;
  for (std::size_t begin = 0; begin < text.size();) {
    if (text[begin] != '#') {
      const std::size_t next = text.find("\n#", begin);
      if (next == std::string_view::npos) {
        break;
      }
      begin = next + 1;
    }
    std::string_view rest = text.substr(begin);
    if (header == nullptr) {
      header = std::make_shared<W3cHeader>(before ? *before : W3cHeader{});
    }
    const std::string_view line = take_line(&rest);
    header->take(without_cr(line));
    begin += line.size() + 1;
  }
  return header == nullptr ? std::move(before) : std::move(header);
}

bool W3cReader::next(std::string_view line) {
  cells_.clear();
  decoded_.clear();
  line = without_cr(line);
  if (line.starts_with('#')) {
    header_.take(line);
    return false;
  }
  if (is_blank(line)) {
    return false;
  }
  line_ = line;
  decoded_.reserve(line.size());  // no text in it moves
  if (!split()) {
    cells_.clear();
  }
  return true;
}

// False when there are more cells than columns.
bool W3cReader::split() {
  char separator = header_.separator;
  if (separator == W3cHeader::kTabsOrBlanks) {
    separator = line_.find('\t') == std::string_view::npos ? ' ' : '\t';
  }
  const bool quotes = !header_.zeek && separator != '\t';
  std::size_t column = 0;
  for (std::size_t begin = 0; begin <= line_.size();) {
    if (separator == ' ' && (begin == line_.size() || line_[begin] == ' ')) {
      ++begin;
      continue;
    }
    if (column == header_.columns.size()) {
      return is_blank(line_.substr(begin));
    }
    Cell cell;
    cell.column = &header_.columns[column];
    std::size_t end = quotes ? take_quoted(begin, separator, &cell) : begin;
    if (end == begin) {
      end = std::min(line_.find(separator, begin), line_.size());
      cell.text = line_.substr(begin, end - begin);
      const auto plain = header_.zeek ? without_escapes(cell.text, &decoded_) : std::nullopt;
      cell.decoded = plain.has_value();
      cell.text = plain.value_or(cell.text);
    }
    if (!cell.text.empty() && cell.text != header_.unset) {
      cells_.push_back(cell);
    }
    ++column;
    begin = end + 1;
  }
  return true;
}

// The end of the cell in quotes that begins at `begin`, whose text `cell` gets; `begin` when none
// does that ends where a cell must.
std::size_t W3cReader::take_quoted(std::size_t begin, char separator, Cell* cell) {
  if (begin == line_.size() || line_[begin] != '"') {
    return begin;
  }
  bool doubled = false;
  std::size_t close = line_.find('"', begin + 1);
  while (close != std::string_view::npos && close + 1 < line_.size() && line_[close + 1] == '"') {
    doubled = true;
    close = line_.find('"', close + 2);
  }
  if (close == std::string_view::npos ||
      (close + 1 < line_.size() && line_[close + 1] != separator)) {
    return begin;
  }
  cell->text = line_.substr(begin + 1, close - begin - 1);
  if (doubled) {
    const std::size_t from = decoded_.size();
    for (std::size_t i = 0; i < cell->text.size(); ++i) {
      decoded_.push_back(cell->text[i]);
      i += cell->text[i] == '"' ? 1U : 0U;
    }
    cell->text = std::string_view(decoded_).substr(from);
    cell->decoded = true;
  }
  return close + 1;
}

std::string_view W3cReader::text_of(std::string_view column) const {
  const auto found = std::ranges::find_if(cells_, [column](const Cell& cell) {
    return equals_ignoring_ascii_case(cell.column->name, column);
  });
  return found == cells_.end() ? std::string_view() : found->text;
}

std::optional<std::int64_t> W3cReader::time(std::int64_t from_ns) const {
  if (cells_.empty()) {
    return leading_time(line_, from_ns);
  }
  const std::string_view time = text_of("time");
  const std::string_view date = text_of("date");
  if (!time.empty()) {
    const auto whole =
        whole_time(std::string(date.empty() ? header_.date : date) + " " + std::string(time));
    if (whole) {
      return whole;
    }
  }
  for (const char* name : {"ts", "date-time", "datetime", "timestamp", "time"}) {
    if (const auto whole = whole_time(text_of(name))) {
      return whole;
    }
  }
  return std::nullopt;
}

void W3cReader::read(EventAssembler& event) const {
  if (cells_.empty()) {
    read_text_line(line_, event);
    return;
  }
  for (const Cell& cell : cells_) {
    const NodeId node = event.visit(EventAssembler::kRoot, cell.column->name);
    if (cell.column->type == W3cColumn::Type::kUntyped) {
      event.add_raw_text(node, cell.decoded ? kept_text(cell.text, event) : cell.text);
    } else {
      add_value(DynamicView(typed_value(header_, cell)), node, event);
    }
  }
}

namespace {

// What the cells of columns without a type are, all of a column together.
using ColumnClasses = std::map<std::string, std::uint8_t>;

void append_untyped(JsonWriter* json, std::string_view text, Type type) {
  if (type == Type::kString) {
    json->string(text);
  } else if (type == Type::kBool) {
    json->boolean(text.front() == 't' || text.front() == 'T');
  } else {
    json->raw(text);
  }
}

// A real as it stands, since 2.000000 is one and 2 is none; false when the text is no such number.
bool append_real(std::string_view text, JsonWriter* json) {
  const JsonNumberKind kind = whole_number(text).kind;
  if (kind == JsonNumberKind::kLong) {
    json->raw(std::string(text) + ".0");
  } else if (kind == JsonNumberKind::kReal) {
    json->raw(text);
  }
  return kind == JsonNumberKind::kLong || kind == JsonNumberKind::kReal;
}

void append_event(std::string* out, const W3cReader& reader, std::optional<std::int64_t> time,
                  const ColumnClasses& classes) {
  if (reader.cells().empty()) {
    append_text_as_json(out, reader.line(), time);
    return;
  }
  JsonWriter json(*out);
  json.begin_object();
  if (time) {
    json.key("_time");  // a column of that name comes later and wins
    json.instant(*time);
  }
  for (const W3cReader::Cell& cell : reader.cells()) {
    const W3cColumn& column = *cell.column;
    json.key(column.name);
    if (column.type == W3cColumn::Type::kUntyped) {
      append_untyped(&json, cell.text, type_of_csv_classes(classes.at(column.name)));
    } else if (column.list || column.type != W3cColumn::Type::kReal ||
               !append_real(cell.text, &json)) {
      append_typed_json(DynamicView(typed_value(reader.header(), cell)), &json.raw());
    }
  }
  json.end_object();
}

}  // namespace

void append_w3c_as_json(std::string* out, const Piece& piece, bool find_times) {
  const auto for_each_line = [&piece](const auto& visit) {
    W3cReader reader(piece.w3c_header.get());
    for (std::string_view text = piece.text(); !text.empty();) {
      const std::string_view line = take_line(&text);
      const std::string repaired = is_valid_utf8(line) ? std::string() : repair_utf8(line);
      visit(reader, reader.next(repaired.empty() ? line : repaired));
    }
  };
  ColumnClasses classes;
  for_each_line([&classes](const W3cReader& reader, bool event) {
    for (const W3cReader::Cell& cell : reader.cells()) {
      if (event && cell.column->type == W3cColumn::Type::kUntyped) {
        classes[cell.column->name] |= classify_csv_value(cell.text);
      }
    }
  });
  for_each_line([&](const W3cReader& reader, bool event) {
    if (event) {
      append_event(out, reader, find_times ? reader.time(piece.times_from_ns()) : std::nullopt,
                   classes);
    }
    out->push_back('\n');
  });
}

}  // namespace evq
