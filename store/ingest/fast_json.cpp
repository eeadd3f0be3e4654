#include "store/ingest/fast_json.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "store/base/limits.h"
#include "store/ingest/json_text.h"

namespace evq {

bool FastJson::open(std::string_view window) {
  text_ = window.data();
  window_ = window;
  escape_ = 0;
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
  if (next_ >= count_ || positions_[next_] >= end || at(next_) != '{') {
    return false;
  }
  if (escape_ <= begin) {  // one look for all events up to the next one
    escape_ = std::min(window_.find('\\', begin), window_.size());
  }
  escapes_ = escape_ < end;
  const std::size_t first = next_;
  // The last bracket may belong to what follows when this object is not closed.
  if (parse_object(event) && positions_[next_ - 1] < end &&
      (next_ >= count_ || positions_[next_] >= end)) {
    return true;
  }
  next_ = first;
  return false;
}

namespace {

// The bytes between the quotes of the string at positions[0]; no data at all when its end is not
// where the following position says.
[[gnu::always_inline]] inline std::string_view raw_text(const char* text,
                                                        const std::uint32_t* positions) {
  const char* begin = text + positions[0] + 1;
  const char* end = text + positions[1] - 1;
  while (end > begin && *end != '"' && is_json_blank(*end)) {
    --end;
  }
  if (end < begin || *end != '"') [[unlikely]] {
    return {};
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

// True when [begin, end) is `word` and blanks.
bool is_word(const char* begin, const char* end, std::string_view word) {
  if (static_cast<std::size_t>(end - begin) < word.size() ||
      std::memcmp(begin, word.data(), word.size()) != 0) {
    return false;
  }
  return std::all_of(begin + word.size(), end, is_json_blank);
}

// The number that is all of [begin, end), blanks aside.
bool read_whole_number(const char* begin, const char* end, JsonNumber& number) {
  number = read_json_number(begin, end);
  if (number.kind != JsonNumberKind::kLong && number.kind != JsonNumberKind::kReal) {
    return false;
  }
  return std::all_of(number.end, end, is_json_blank);
}

// A short natural number that is all of [begin, end): most numbers of events are.
[[gnu::always_inline]] inline bool read_short_number(const char* begin, const char* end,
                                                     std::int64_t& value) {
  constexpr std::ptrdiff_t kDigitsMax = 18;
  if (end - begin > kDigitsMax || (*begin == '0' && end - begin > 1)) {
    return false;
  }
  value = 0;
  for (const char* p = begin; p < end; ++p) {
    const unsigned digit = static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0';
    if (digit > 9) {
      return false;
    }
    value = value * 10 + static_cast<std::int64_t>(digit);
  }
  return true;
}

// A number or word as the value of `node`.
bool add_scalar(const char* begin, const char* end, NodeId node, EventAssembler& event) {
  std::int64_t natural = 0;
  if (read_short_number(begin, end, natural)) {
    event.add_long(node, natural);
    return true;
  }
  JsonNumber number;
  if (*begin == 't' || *begin == 'f') {
    event.add_bool(node, *begin == 't');
    return is_word(begin, end, *begin == 't' ? "true" : "false");
  }
  if (*begin == 'n') {
    return is_word(begin, end, "null");
  }
  if (!read_whole_number(begin, end, number)) {
    return false;
  }
  if (number.kind == JsonNumberKind::kLong) {
    event.add_long(node, number.integer);
  } else {
    event.add_real(node, number.real, {begin, static_cast<std::size_t>(number.end - begin)});
  }
  return true;
}

}  // namespace

// The text of the string at `at`, without escapes; no data: refused. By value, for a text that is
// passed through memory costs a wait each time.
[[gnu::always_inline]] inline std::string_view FastJson::read_text(const std::uint32_t* at,
                                                                   EventAssembler& event) const {
  const std::string_view raw = raw_text(text_, at);
  return escapes_ && raw.data() != nullptr ? unescape(event, raw) : raw;
}

std::string_view FastJson::unescape(EventAssembler& event, std::string_view text) {
  if (std::memchr(text.data(), '\\', text.size()) == nullptr) {
    return text;
  }
  char* out = event.scratch(text.size());
  const JsonUnescaped result = unescape_json(text, out);
  const bool plain = result.valid && !result.repaired && !result.hex;
  return plain ? std::string_view(out, result.size) : std::string_view();
}

// Objects below the event's own are kept on a stack of their nodes: they become dotted names. A
// member has at least four positions (key, colon, value, and what follows), so one comparison a
// member keeps the walk inside of the index.
bool FastJson::parse_object(EventAssembler& event) {
  const char* const text = text_;
  std::array<NodeId, kJsonDepthMax> parents;
  std::size_t depth = 0;
  NodeId parent = EventAssembler::kRoot;
  const std::uint32_t* const limit = positions_ + count_;
  const std::uint32_t* at = positions_ + next_ + 1;
  bool empty = at < limit && text[*at] == '}';
  while (true) {
    if (!empty) {
      if (limit - at < 4 || text[at[0]] != '"' || text[at[1]] != ':') {
        return false;
      }
      // The usual key is a known one, and its colon stands right behind it.
      NodeId node = EventAssembler::kRoot;
      const std::string_view quoted(text + at[0] + 1, at[1] - at[0] - 2);
      if (at[1] - at[0] >= 2 && *quoted.end() == '"') {
        node = event.recall(parent, quoted);
      }
      if (node != EventAssembler::kRoot) {
        event.visit_recalled(parent, node);
      } else {
        const std::string_view key = read_text(at, event);
        if (key.data() == nullptr) {
          return false;
        }
        node = event.visit(parent, key);
      }
      at += 2;
      if (text[*at] == '{' && !event.is_map(node)) {
        event.open(node);
        // The event's object is the first of the levels.
        if (depth + 2 > kJsonDepthMax) {
          return false;
        }
        parents[depth++] = parent;
        parent = node;
        ++at;
        empty = text[*at] == '}';
        continue;
      }
      if (text[*at] == '"') {
        const std::string_view value = read_text(at, event);
        if (value.data() == nullptr) {
          return false;
        }
        event.add_readable_text(node, value);
        ++at;
      } else if (!parse_value(at, node, depth + 1, event)) {
        return false;
      }
    }
    empty = false;
    while (at < limit && text[*at] == '}') {
      ++at;
      if (depth == 0) {
        next_ = static_cast<std::size_t>(at - positions_);
        return true;
      }
      parent = parents[--depth];
    }
    if (at >= limit || text[*at] != ',') {
      return false;
    }
    ++at;
  }
}

// The value at `at`, which is no string; it moves past it.
[[gnu::always_inline]] inline bool FastJson::parse_value(const std::uint32_t*& at, NodeId node,
                                                         std::size_t depth, EventAssembler& event) {
  const char c = text_[*at];
  if (c == '{' || c == '[') {
    next_ = static_cast<std::size_t>(at - positions_);
    const bool good = parse_dynamic_field(node, event, depth + 1);
    at = positions_ + next_;
    return good;
  }
  const bool good = add_scalar(text_ + at[0], text_ + at[1], node, event);
  ++at;
  return good;
}

// ---------------------------------------------------------------- values that stay whole

bool FastJson::parse_dynamic_field(NodeId node, EventAssembler& event, std::size_t depth) {
  dynamic_.clear();
  if (!parse_dynamic(event, depth)) {
    return false;
  }
  event.add_dynamic(node, dynamic_.bytes());
  return true;
}

bool FastJson::parse_dynamic(EventAssembler& event, std::size_t depth) {
  if (next_ >= count_) {
    return false;
  }
  switch (at(next_)) {
    case '"': {
      const std::string_view text = read_text(positions_ + next_, event);
      if (text.data() == nullptr) {
        return false;
      }
      ++next_;
      dynamic_.add_string(text);
      return true;
    }
    case '{':
      return depth <= kJsonDepthMax && parse_dynamic_object(event, depth);
    case '[':
      return depth <= kJsonDepthMax && parse_dynamic_array(event, depth);
    case 't':
      dynamic_.add_bool(true);
      return is_word(here(), following(), "true") && ++next_ != 0;
    case 'f':
      dynamic_.add_bool(false);
      return is_word(here(), following(), "false") && ++next_ != 0;
    case 'n':
      dynamic_.add_null();
      return is_word(here(), following(), "null") && ++next_ != 0;
    default:
      return parse_dynamic_number();
  }
}

bool FastJson::parse_dynamic_number() {
  JsonNumber number;
  if (!read_whole_number(here(), following(), number)) {
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
  while (parse_dynamic(event, depth + 1) && next_ < count_ && !too_long()) {
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
  while (next_ < count_ && at(next_) == '"' && !too_long()) {
    const std::string_view key = read_text(positions_ + next_, event);
    if (key.data() == nullptr || next_ + 2 >= count_ || at(next_ + 1) != ':') {
      return false;
    }
    next_ += 2;
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
