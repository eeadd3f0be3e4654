#include "store/ingest/tolerant_json.h"

#include <cstdint>
#include <utility>

#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/ingest/failure_reason.h"
#include "store/ingest/json_text.h"

namespace evq {

namespace {

constexpr const char* kRepairSurrogate = "a lone surrogate became U+FFFD";
constexpr const char* kRepairHex = "an escape with x, which JSON does not have, became its byte";
constexpr const char* kRepairInteger = "an integer outside of 64 bits became the nearest real";
constexpr const char* kRepairHuge = "a number beyond every real became null";

}  // namespace

bool TolerantJson::fail(std::size_t offset, std::string reason) {
  if (fault_.empty()) {
    fault_ = std::move(reason);
    fault_offset_ = offset;
  }
  return false;
}

void TolerantJson::skip_blanks() {
  while (position_ < text_.size() && is_json_blank(text_[position_])) {
    ++position_;
  }
}

bool TolerantJson::at_end() {
  skip_blanks();
  return position_ == text_.size() || fail(position_, "unexpected text after the event");
}

bool TolerantJson::check_depth(std::size_t depth) {
  if (depth <= kJsonDepthMax) {
    return true;
  }
  fault_is_limit_ = true;
  return fail(position_, "nested deeper than " + std::to_string(kJsonDepthMax) + " levels");
}

bool TolerantJson::keep_item(const DynamicBuilder::Mark& before) {
  if (skipping_) {
    dynamic_.return_to(before);
  }
  if (dynamic_.size() <= built_bytes_max_) {
    return true;
  }
  fault_is_limit_ = true;
  return fail(position_, large_value_reason());
}

bool TolerantJson::parse_event() {
  skip_blanks();
  switch (peek()) {
    case '{':
      return parse_object(EventAssembler::kRoot, 1);
    case '\0':
      if (position_ == text_.size()) {
        return fail(position_, "expected an object, found nothing");
      }
      break;
    case '[':
      return fail(position_, "expected an object, found an array");
    case '"':
      return fail(position_, "expected an object, found a string");
    default:
      break;
  }
  return fail(position_, "expected an object");
}

bool TolerantJson::parse_row(std::span<const std::string> names) {
  skip_blanks();
  if (peek() != '[') {
    return fail(position_, "expected an array of values, as the lines before");
  }
  ++position_;
  skip_blanks();
  if (peek() == ']') {
    ++position_;
    return true;
  }
  bool done = false;
  std::size_t field = 0;
  do {
    skip_blanks();
    if (field == names.size()) {
      return fail(position_, "more values than the " + std::to_string(names.size()) +
                                 " names of the first line");
    }
    if (!parse_value(event_.visit(EventAssembler::kRoot, names[field++]), 1)) {
      return false;
    }
  } while (next_item(']', done));
  return done;
}

bool TolerantJson::read_value(DynamicBuilder* out) {
  skip_blanks();
  std::swap(dynamic_, *out);
  const std::size_t built_bytes_max = std::exchange(built_bytes_max_, SIZE_MAX);
  const DynamicBuilder::Mark before = dynamic_.mark();
  const bool good = parse_dynamic(1);
  if (!good) {
    dynamic_.return_to(before);
  }
  built_bytes_max_ = built_bytes_max;
  std::swap(dynamic_, *out);
  return good;
}

bool TolerantJson::skip_value() {
  skip_blanks();
  dynamic_.clear();
  skipping_ = true;
  const bool good = parse_dynamic(1);
  skipping_ = false;
  return good;
}

// ---------------------------------------------------------------- objects that become fields

bool TolerantJson::next_item(char close, bool& done) {
  skip_blanks();
  const char c = peek();
  if (c == ',') {
    ++position_;
    return true;
  }
  if (c == close && position_ < text_.size()) {
    ++position_;
    done = true;
    return false;
  }
  if (position_ == text_.size()) {
    return fail(position_, close == '}' ? "the object is not closed" : "the array is not closed");
  }
  return fail(position_,
              close == '}' ? "expected ',' or '}' after value" : "expected ',' or ']' after value");
}

bool TolerantJson::parse_object(NodeId node, std::size_t depth) {
  if (!check_depth(depth)) {
    return false;
  }
  ++position_;
  skip_blanks();
  if (peek() == '}') {
    ++position_;
    return true;
  }
  bool done = false;
  do {
    if (!parse_member(node, depth)) {
      return false;
    }
  } while (next_item('}', done));
  return done;
}

bool TolerantJson::parse_key(std::string_view& key) {
  skip_blanks();
  if (peek() != '"') {
    return fail(position_, position_ == text_.size() ? "the object is not closed"
                                                     : "expected a key in double quotes");
  }
  if (!parse_string(key)) {
    return false;
  }
  skip_blanks();
  if (peek() != ':') {
    return fail(position_, "expected ':' after key");
  }
  ++position_;
  skip_blanks();
  return true;
}

bool TolerantJson::parse_member(NodeId parent, std::size_t depth) {
  std::string_view key;
  return parse_key(key) && parse_value(event_.visit(parent, key), depth);
}

bool TolerantJson::parse_value(NodeId node, std::size_t depth) {
  switch (peek()) {
    case '{':
      if (event_.is_map(node)) {
        return parse_dynamic_field(node, depth + 1);
      }
      event_.open(node);
      return parse_object(node, depth + 1);
    case '[':
      return parse_dynamic_field(node, depth + 1);
    case '"': {
      std::string_view text;
      if (!parse_string(text)) {
        return false;
      }
      event_.add_text(node, text);
      return true;
    }
    case 't':
      event_.add_bool(node, true);
      return parse_word("true");
    case 'f':
      event_.add_bool(node, false);
      return parse_word("false");
    case 'n':
      return parse_word("null");
    default:
      return parse_number(node);
  }
}

bool TolerantJson::parse_word(std::string_view word) {
  if (text_.substr(position_, word.size()) != word) {
    return fail(position_, "expected a value");
  }
  position_ += word.size();
  return true;
}

bool TolerantJson::parse_number(NodeId node) {
  const JsonNumber number = read_json_number(text_.data() + position_, text_.data() + text_.size());
  const std::string_view written(text_.data() + position_,
                                 static_cast<std::size_t>(number.end - text_.data()) - position_);
  switch (number.kind) {
    case JsonNumberKind::kInvalid:
      return fail(static_cast<std::size_t>(number.end - text_.data()),
                  position_ == text_.size()                ? "expected a value, found the end"
                  : number.end == text_.data() + position_ ? "expected a value"
                                                           : "malformed number");
    case JsonNumberKind::kLong:
      event_.add_long(node, number.integer);
      break;
    case JsonNumberKind::kReal:
      event_.add_real(node, number.real, written);
      break;
    case JsonNumberKind::kWidened:
      event_.note_repair(position_, kRepairInteger);
      event_.add_real(node, number.real, written);
      break;
    case JsonNumberKind::kTooLarge:
      event_.note_repair(position_, kRepairHuge);
      break;
  }
  position_ = static_cast<std::size_t>(number.end - text_.data());
  return true;
}

// ---------------------------------------------------------------- strings

// From `begin`, after the opening quote, to the closing one.
bool TolerantJson::find_string_end(std::size_t begin, bool& escaped, bool& ascii,
                                   std::size_t& end) {
  for (std::size_t i = begin; i < text_.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text_[i]);
    if (c == '"') {
      end = i;
      return true;
    }
    if (c < 0x20) {
      return fail(i, "control character in a string; JSON wants it escaped");
    }
    ascii = ascii && c < 0x80;
    if (c == '\\') {
      escaped = true;
      ++i;
      if (i < text_.size() && static_cast<unsigned char>(text_[i]) < 0x20) {
        return fail(i, "control character in a string; JSON wants it escaped");
      }
    }
  }
  return fail(text_.size(), "the string is not closed");
}

bool TolerantJson::parse_string(std::string_view& text) {
  const std::size_t begin = position_ + 1;
  bool escaped = false;
  bool ascii = true;
  std::size_t end = 0;
  if (!find_string_end(begin, escaped, ascii, end)) {
    return false;
  }
  text = text_.substr(begin, end - begin);
  position_ = end + 1;
  const std::string_view raw = text;
  if (escaped) {
    char* out = event_.scratch(text.size());
    const JsonUnescaped result = unescape_json(text, out);
    if (!result.valid) {
      return fail(begin + result.fault, "unknown escape in a string");
    }
    if (result.repaired) {
      event_.note_repair(begin, kRepairSurrogate);
    }
    if (result.hex) {
      event_.note_repair(begin, kRepairHex);
      ascii = false;
    }
    text = {out, result.size};
  }
  // After the escapes, whose characters are whole and cannot complete a broken one.
  if (!ascii && !is_valid_utf8(text)) {
    event_.note_repair(begin + valid_utf8_prefix(raw), kRepairUtf8);
    text = event_.repair_text(text, begin);
  }
  return true;
}

// ---------------------------------------------------------------- values that stay whole

bool TolerantJson::parse_dynamic_field(NodeId node, std::size_t depth) {
  dynamic_.clear();
  if (!parse_dynamic(depth)) {
    return false;
  }
  event_.add_dynamic(node, dynamic_.bytes());
  return true;
}

bool TolerantJson::parse_dynamic(std::size_t depth) {
  switch (peek()) {
    case '{':
      return parse_dynamic_object(depth);
    case '[':
      return parse_dynamic_array(depth);
    case '"': {
      std::string_view text;
      if (!parse_string(text)) {
        return false;
      }
      dynamic_.add_string(text);
      return true;
    }
    case 't':
      dynamic_.add_bool(true);
      return parse_word("true");
    case 'f':
      dynamic_.add_bool(false);
      return parse_word("false");
    case 'n':
      dynamic_.add_null();
      return parse_word("null");
    default:
      return parse_dynamic_number();
  }
}

bool TolerantJson::parse_dynamic_number() {
  const JsonNumber number = read_json_number(text_.data() + position_, text_.data() + text_.size());
  switch (number.kind) {
    case JsonNumberKind::kInvalid:
      return fail(static_cast<std::size_t>(number.end - text_.data()),
                  number.end == text_.data() + position_ ? "expected a value" : "malformed number");
    case JsonNumberKind::kLong:
      dynamic_.add_long(number.integer);
      break;
    case JsonNumberKind::kReal:
      dynamic_.add_real(number.real);
      break;
    case JsonNumberKind::kWidened:
      event_.note_repair(position_, kRepairInteger);
      dynamic_.add_real(number.real);
      break;
    case JsonNumberKind::kTooLarge:
      event_.note_repair(position_, kRepairHuge);
      dynamic_.add_null();
      break;
  }
  position_ = static_cast<std::size_t>(number.end - text_.data());
  return true;
}

bool TolerantJson::parse_dynamic_array(std::size_t depth) {
  if (!check_depth(depth)) {
    return false;
  }
  ++position_;
  dynamic_.begin_array();
  skip_blanks();
  if (peek() == ']') {
    ++position_;
    dynamic_.end_array();
    return true;
  }
  bool done = false;
  do {
    skip_blanks();
    const DynamicBuilder::Mark before = dynamic_.mark();
    if (!parse_dynamic(depth + 1) || !keep_item(before)) {
      return false;
    }
  } while (next_item(']', done));
  if (done) {
    dynamic_.end_array();
  }
  return done;
}

bool TolerantJson::parse_dynamic_object(std::size_t depth) {
  if (!check_depth(depth)) {
    return false;
  }
  ++position_;
  dynamic_.begin_bag();
  skip_blanks();
  if (peek() == '}') {
    ++position_;
    dynamic_.end_bag();
    return true;
  }
  bool done = false;
  do {
    std::string_view key;
    if (!parse_key(key)) {
      return false;
    }
    const DynamicBuilder::Mark before = dynamic_.mark();
    dynamic_.key(key);
    if (!parse_dynamic(depth + 1) || !keep_item(before)) {
      return false;
    }
  } while (next_item('}', done));
  if (done) {
    dynamic_.end_bag();
  }
  return done;
}

}  // namespace evq
