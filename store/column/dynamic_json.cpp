#include "store/column/dynamic_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/timespan.h"

// The parser refuses integers beyond 64 bits and numbers beyond every double, which strict JSON
// allows. Such texts are rare: they are parsed a second time with an exponent of zero behind every
// long integer, which makes it a real without changing its value, and with null for what no double
// can hold.

namespace evq {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kParseBufferBytesMin = 1024;
// For longer texts to come.
constexpr std::size_t kParseBufferRoomMax = 1 * kMebibyte;
// Fewer digits than this always fit 64 bits.
constexpr std::size_t kLongDigits = 19;

bool add_element(const dom::element& element, std::size_t depth_left, DynamicBuilder* builder);

bool add_array(const dom::array& array, std::size_t depth_left, DynamicBuilder* builder) {
  if (depth_left == 0) {
    return false;
  }
  builder->begin_array();
  for (const dom::element element : array) {
    if (!add_element(element, depth_left - 1, builder)) {
      return false;
    }
  }
  builder->end_array();
  return true;
}

bool add_object(const dom::object& object, std::size_t depth_left, DynamicBuilder* builder) {
  if (depth_left == 0) {
    return false;
  }
  builder->begin_bag();
  for (const dom::key_value_pair entry : object) {
    builder->key(entry.key);
    if (!add_element(entry.value, depth_left - 1, builder)) {
      return false;
    }
  }
  builder->end_bag();
  return true;
}

bool add_element(const dom::element& element, std::size_t depth_left, DynamicBuilder* builder) {
  switch (element.type()) {
    case dom::element_type::ARRAY:
      return add_array(element.get_array().value_unsafe(), depth_left, builder);
    case dom::element_type::OBJECT:
      return add_object(element.get_object().value_unsafe(), depth_left, builder);
    case dom::element_type::INT64:
      builder->add_long(element.get_int64().value_unsafe());
      return true;
    case dom::element_type::UINT64:
      builder->add_real(static_cast<double>(element.get_uint64().value_unsafe()));
      return true;
    case dom::element_type::DOUBLE:
      builder->add_real(element.get_double().value_unsafe());
      return true;
    case dom::element_type::STRING:
      builder->add_string(element.get_string().value_unsafe());
      return true;
    case dom::element_type::BOOL:
      builder->add_bool(element.get_bool().value_unsafe());
      return true;
    case dom::element_type::NULL_VALUE:
      builder->add_null();
      return true;
  }
  return false;
}

// Whether the digits of a number stand as JSON wants them: no zero before others, and some on both
// sides of a point.
bool are_digits_of_json(std::string_view number) {
  const std::size_t point = number.find('.');
  const auto digit_at = [&](std::size_t i) { return i < number.size() && is_digit(number[i]); };
  const bool leading_zero = number[0] == '0' && digit_at(1);
  return digit_at(0) && !leading_zero && (point == std::string_view::npos || digit_at(point + 1));
}

// Appends the number at the beginning of `token`, which may be none of JSON, in a form that the
// parser takes.
void append_held_number(std::string_view token, HugeNumbers huge, std::string* out) {
  const std::string_view digits = token.substr(token.front() == '-' ? 1 : 0);
  if (huge == HugeNumbers::kNull && !digits.empty() && are_digits_of_json(digits) &&
      std::isinf(parse_real(token).value_or(0))) {
    out->append("null");
    return;
  }
  out->append(token);
  if (digits.size() >= kLongDigits && std::ranges::all_of(digits, is_digit)) {
    out->append("e0");
  }
}

// The text with each number outside of strings in a form that the parser takes.
std::string with_held_numbers(std::string_view text, HugeNumbers huge) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!quoted && (is_digit(text[i]) || text[i] == '-')) {
      const std::size_t end = text.find_first_not_of("0123456789+-.eE", i);
      const std::string_view token = text.substr(i, end == std::string_view::npos ? end : end - i);
      append_held_number(token, huge, &out);
      i += token.size() - 1;
      continue;
    }
    out.push_back(text[i]);
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      out.push_back(text[++i]);
    }
  }
  return out;
}

// What is nested too deep fails as a whole, and only a text of so many brackets may be, of which
// those within strings are counted, too.
bool may_be_deeper(std::string_view text, std::size_t depth_max) {
  const auto brackets = std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; });
  return static_cast<std::size_t>(brackets) > depth_max;
}

// The value that the keys lead to; of repeated ones the last.
std::optional<dom::element> follow(dom::element value, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    dom::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    std::optional<dom::element> member;
    for (const dom::key_value_pair entry : object) {
      if (entry.key == key) {
        member = entry.value;
      }
    }
    if (!member.has_value()) {
      return std::nullopt;
    }
    value = *member;
  }
  return value;
}

}  // namespace

struct JsonReader::Parser {
  bool parse(std::string_view text, HugeNumbers huge, dom::element* root) {
    const simdjson::error_code error = parse_as_written(text, root);
    if (error != simdjson::NUMBER_ERROR) {
      return error == simdjson::SUCCESS;
    }
    const bool held = parse_as_written(with_held_numbers(text, huge), root) == simdjson::SUCCESS;
    return held && !root->is_null();  // nothing but a huge number
  }

 private:
  simdjson::error_code parse_as_written(std::string_view text, dom::element* root) {
    if (buffer.size() < text.size() + simdjson::SIMDJSON_PADDING) {
      const std::size_t room = std::min(text.size(), kParseBufferRoomMax);
      buffer.resize(std::max(kParseBufferBytesMin, text.size() + room) +
                    simdjson::SIMDJSON_PADDING);
    }
    std::copy(text.begin(), text.end(), buffer.begin());
    return parser.parse(buffer.data(), text.size(), false).get(*root);
  }

  dom::parser parser{std::numeric_limits<std::uint32_t>::max()};
  // The text, with the room behind it that the parser reads past the end.
  std::vector<char> buffer;
};

JsonReader::JsonReader() : parser_(std::make_unique<Parser>()) {}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&& other) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&& other) noexcept = default;

bool JsonReader::read(std::string_view text, DynamicBuilder* builder, std::size_t depth_max,
                      HugeNumbers huge) {
  dom::element root;
  if (!parser_->parse(text, huge, &root)) {
    return false;
  }
  const DynamicBuilder::Mark mark = builder->mark();
  if (!add_element(root, depth_max, builder)) {
    builder->return_to(mark);
    return false;
  }
  return true;
}

bool JsonReader::read_path(std::string_view text, std::span<const std::string_view> keys,
                           DynamicBuilder* builder, std::size_t depth_max) {
  if (!may_be_deeper(text, depth_max)) {
    dom::element root;
    const std::optional<dom::element> value =
        parser_->parse(text, HugeNumbers::kNull, &root) ? follow(root, keys) : std::nullopt;
    return value.has_value() && add_element(*value, depth_max, builder);
  }
  DynamicBuilder whole;
  std::optional<DynamicView> value;
  if (read(text, &whole, depth_max)) {
    value = DynamicView(whole.bytes());
  }
  for (std::size_t i = 0; value.has_value() && i < keys.size(); ++i) {
    value = value->find(keys[i]);
  }
  if (value.has_value()) {
    builder->add_encoded(*value);
  }
  return value.has_value();
}

bool JsonReader::read_members(std::string_view text, std::span<const std::string_view> keys,
                              DynamicBuilder* builder, std::size_t depth_max) {
  if (may_be_deeper(text, depth_max)) {
    return read(text, builder, depth_max);  // with the others as well
  }
  dom::element root;
  dom::object object;
  if (!parser_->parse(text, HugeNumbers::kNull, &root) ||
      root.get_object().get(object) != simdjson::SUCCESS) {
    return false;
  }
  builder->begin_bag();
  for (const dom::key_value_pair entry : object) {
    if (std::ranges::find(keys, entry.key) != keys.end()) {
      builder->key(entry.key);
      add_element(entry.value, depth_max, builder);
    }
  }
  builder->end_bag();
  return true;
}

std::optional<std::string> dynamic_from_json(std::string_view text, std::size_t depth_max) {
  DynamicBuilder builder;
  if (!JsonReader().read(text, &builder, depth_max, HugeNumbers::kRefused)) {
    return std::nullopt;
  }
  return builder.take();
}

// ---------------------------------------------------------------- writing

namespace {

struct Entry {
  std::string_view key;
  DynamicView value;
};

void append_entry(const Entry& entry, bool first, KeyOrder keys, std::string* out) {
  if (!first) {
    out->push_back(',');
  }
  append_json_string(*out, entry.key);
  out->push_back(':');
  append_json(entry.value, out, keys);
}

void append_bag(DynamicView bag, KeyOrder keys, std::string* out) {
  out->push_back('{');
  DynamicView::Iterator iterator(bag);
  std::vector<Entry> sorted;
  bool first = true;
  while (iterator.next()) {
    if (keys == KeyOrder::kSorted) {
      sorted.push_back({iterator.key(), iterator.value()});
    } else {
      append_entry({iterator.key(), iterator.value()}, first, keys, out);
      first = false;
    }
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  for (const Entry& entry : sorted) {
    append_entry(entry, first, keys, out);
    first = false;
  }
  out->push_back('}');
}

void append_array(DynamicView array, KeyOrder keys, std::string* out) {
  out->push_back('[');
  DynamicView::Iterator iterator(array);
  bool first = true;
  while (iterator.next()) {
    if (!first) {
      out->push_back(',');
    }
    first = false;
    append_json(iterator.value(), out, keys);
  }
  out->push_back(']');
}

}  // namespace

void append_json(DynamicView value, std::string* out, KeyOrder keys) {
  switch (value.tag()) {
    case DynamicTag::kNull:
      out->append("null");
      return;
    case DynamicTag::kFalse:
      out->append("false");
      return;
    case DynamicTag::kTrue:
      out->append("true");
      return;
    case DynamicTag::kLong:
      append_int(*out, value.as_integer());
      return;
    case DynamicTag::kReal:
      append_real_json(*out, value.as_real());
      return;
    case DynamicTag::kString:
      append_json_string(*out, value.as_string());
      return;
    case DynamicTag::kDatetime:
      out->push_back('"');
      append_instant(*out, value.as_integer());
      out->push_back('"');
      return;
    case DynamicTag::kTimespan:
      out->push_back('"');
      append_duration(*out, value.as_integer());
      out->push_back('"');
      return;
    case DynamicTag::kArray:
      append_array(value, keys, out);
      return;
    case DynamicTag::kBag:
      append_bag(value, keys, out);
      return;
  }
}

std::string json_from_dynamic(DynamicView value) {
  std::string out;
  append_json(value, &out);
  return out;
}

}  // namespace evq
