#include "store/ingest/fast_json.h"

#include <array>
#include <cstring>

#include "store/base/limits.h"
#include "store/ingest/json_text.h"

namespace evq {

bool FastJson::open(std::string_view window) {
  text_ = window.data();
  next_ = 0;
  count_ = 0;
  if (!index_.build(window.data(), window.size())) {
    return false;
  }
  positions_ = index_.positions();
  count_ = index_.count();
  return true;
}

bool FastJson::parse_event(std::size_t begin, std::size_t end, EventAssembler& event) {
  while (next_ < count_ && positions_[next_] < begin) {
    ++next_;
  }
  if (next_ >= count_ || at(next_) != '{') {
    return false;
  }
  escapes_ = std::memchr(text_ + begin, '\\', end - begin) != nullptr;
  // The index ends the walk: past its last position the text's size is found, where no bracket is.
  if (!parse_object(event)) {
    return false;
  }
  return positions_[next_ - 1] < end && (next_ >= count_ || positions_[next_] >= end);
}

// Objects below the event's own are kept on a stack of their nodes: they become dotted names.
bool FastJson::parse_object(EventAssembler& event) {
  std::array<NodeId, kJsonDepthMax> parents{};
  std::size_t depth = 0;
  NodeId parent = EventAssembler::kRoot;
  bool first = true;
  ++next_;
  while (true) {
    char c = at(next_);
    if (first && c == '}') {
      // An empty object: its end is handled below, as after a value.
    } else {
      std::string_view key;
      if (c != '"' || !read_key(event, key)) {
        return false;
      }
      const NodeId node = event.visit(parent, key);
      if (at(next_) == '{' && !event.is_map(node)) {
        event.open(node);
        if (depth + 1 >= kJsonDepthMax) {
          return false;
        }
        parents[depth++] = parent;
        parent = node;
        first = true;
        ++next_;
        continue;
      }
      depth_ = depth + 1;
      if (!parse_value(node, event)) {
        return false;
      }
      c = at(next_);
    }
    first = false;
    while (c == '}') {
      ++next_;
      if (depth == 0) {
        return true;
      }
      if (next_ >= count_) {
        return false;
      }
      parent = parents[--depth];
      c = at(next_);
    }
    if (c != ',' || next_ >= count_) {
      return false;
    }
    ++next_;
  }
}

// The text of the string at next_, which ends before the following position.
bool FastJson::read_text(EventAssembler& event, std::string_view& text) {
  const char* begin = text_ + positions_[next_] + 1;
  const char* end = text_ + positions_[next_ + 1] - 1;
  while (end >= begin && is_json_blank(*end)) {
    --end;
  }
  if (end < begin || *end != '"') {
    return false;
  }
  text = {begin, static_cast<std::size_t>(end - begin)};
  ++next_;
  if (!escapes_ || std::memchr(text.data(), '\\', text.size()) == nullptr) [[likely]] {
    return true;
  }
  char* out = event.scratch(text.size());
  const JsonUnescaped result = unescape_json(text, out);
  text = {out, result.size};
  return result.valid && !result.repaired;
}

bool FastJson::read_key(EventAssembler& event, std::string_view& key) {
  if (!read_text(event, key) || at(next_) != ':' || next_ >= count_) {
    return false;
  }
  ++next_;
  return true;
}

// True when `word` is all there is up to the following position.
bool FastJson::is_word(std::string_view word) const {
  const char* begin = text_ + positions_[next_];
  const char* end = text_ + positions_[next_ + 1];
  if (static_cast<std::size_t>(end - begin) < word.size() ||
      std::memcmp(begin, word.data(), word.size()) != 0) {
    return false;
  }
  for (const char* p = begin + word.size(); p < end; ++p) {
    if (!is_json_blank(*p)) {
      return false;
    }
  }
  return true;
}

bool FastJson::parse_value(NodeId node, EventAssembler& event) {
  if (next_ >= count_) {
    return false;
  }
  switch (at(next_)) {
    case '"': {
      std::string_view text;
      if (!read_text(event, text)) {
        return false;
      }
      event.add_text(node, text);
      return true;
    }
    case 't':
      if (!is_word("true")) {
        return false;
      }
      event.add_bool(node, true);
      ++next_;
      return true;
    case 'f':
      if (!is_word("false")) {
        return false;
      }
      event.add_bool(node, false);
      ++next_;
      return true;
    case 'n':
      return is_word("null") && ++next_ != 0;
    case '{':
    case '[':
      return parse_dynamic_field(node, event, depth_ + 1);
    default:
      return parse_number(node, event);
  }
}

namespace {

// The number that is all of [begin, end), blanks aside.
bool read_whole_number(const char* begin, const char* end, JsonNumber& number) {
  number = read_json_number(begin, end);
  if (number.kind != JsonNumberKind::kLong && number.kind != JsonNumberKind::kReal) {
    return false;
  }
  for (const char* p = number.end; p < end; ++p) {
    if (!is_json_blank(*p)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool FastJson::parse_number(NodeId node, EventAssembler& event) {
  JsonNumber number;
  if (!read_whole_number(text_ + positions_[next_], text_ + positions_[next_ + 1], number)) {
    return false;
  }
  if (number.kind == JsonNumberKind::kLong) {
    event.add_long(node, number.integer);
  } else {
    event.add_real(node, number.real);
  }
  ++next_;
  return true;
}

// ---------------------------------------------------------------- values that stay whole

bool FastJson::parse_dynamic_field(NodeId node, EventAssembler& event, std::size_t depth) {
  dynamic_.clear();
  if (!parse_dynamic(event, depth)) {
    return false;
  }
  const std::string_view bytes = dynamic_.bytes();
  char* copy = event.scratch(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  event.add_dynamic(node, {copy, bytes.size()});
  return true;
}

bool FastJson::parse_dynamic(EventAssembler& event, std::size_t depth) {
  if (next_ >= count_) {
    return false;
  }
  switch (at(next_)) {
    case '"': {
      std::string_view text;
      if (!read_text(event, text)) {
        return false;
      }
      dynamic_.add_string(text);
      return true;
    }
    case '{':
      return depth <= kJsonDepthMax && parse_dynamic_object(event, depth);
    case '[':
      return depth <= kJsonDepthMax && parse_dynamic_array(event, depth);
    case 't':
      dynamic_.add_bool(true);
      return is_word("true") && ++next_ != 0;
    case 'f':
      dynamic_.add_bool(false);
      return is_word("false") && ++next_ != 0;
    case 'n':
      dynamic_.add_null();
      return is_word("null") && ++next_ != 0;
    default:
      return parse_dynamic_number();
  }
}

bool FastJson::parse_dynamic_number() {
  JsonNumber number;
  if (!read_whole_number(text_ + positions_[next_], text_ + positions_[next_ + 1], number)) {
    return false;
  }
  if (number.kind == JsonNumberKind::kLong) {
    dynamic_.add_long(number.integer);
  } else {
    dynamic_.add_real(number.real);
  }
  ++next_;
  return true;
}

bool FastJson::parse_dynamic_array(EventAssembler& event, std::size_t depth) {
  ++next_;
  dynamic_.begin_array();
  if (at(next_) == ']') {
    ++next_;
    dynamic_.end_array();
    return true;
  }
  while (parse_dynamic(event, depth + 1) && next_ < count_) {
    const char c = at(next_++);
    if (c == ']') {
      dynamic_.end_array();
      return true;
    }
    if (c != ',') {
      return false;
    }
  }
  return false;
}

bool FastJson::parse_dynamic_object(EventAssembler& event, std::size_t depth) {
  ++next_;
  dynamic_.begin_bag();
  if (at(next_) == '}') {
    ++next_;
    dynamic_.end_bag();
    return true;
  }
  while (next_ < count_ && at(next_) == '"') {
    std::string_view key;
    if (!read_key(event, key)) {
      return false;
    }
    dynamic_.key(key);
    if (!parse_dynamic(event, depth + 1)) {
      return false;
    }
    const char c = next_ < count_ ? at(next_++) : '\0';
    if (c == '}') {
      dynamic_.end_bag();
      return true;
    }
    if (c != ',') {
      return false;
    }
  }
  return false;
}

}  // namespace evq
