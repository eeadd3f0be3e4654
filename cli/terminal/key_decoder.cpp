// Input begins with either an escape character, whose sequence has one of the forms
//   ESC [ parameters final     ESC O final     ESC [ [ letter     ESC character (Alt)
// or a control character, or UTF-8. Between ESC [ 200 ~ and ESC [ 201 ~ all is pasted text.

#include "cli/terminal/key_decoder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

constexpr char kEscapeByte = '\x1b';
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr int kPasteStartNumber = 200;

struct FinalRow {
  char final;
  KeyCode code;
};

// ESC [ letter and ESC O letter.
constexpr std::array<FinalRow, 10> kFinals = {{{'A', KeyCode::kUp},
                                               {'B', KeyCode::kDown},
                                               {'C', KeyCode::kRight},
                                               {'D', KeyCode::kLeft},
                                               {'H', KeyCode::kHome},
                                               {'F', KeyCode::kEnd},
                                               {'a', KeyCode::kUp},
                                               {'b', KeyCode::kDown},
                                               {'c', KeyCode::kRight},
                                               {'d', KeyCode::kLeft}}};

struct NumberRow {
  int number;
  KeyCode code;
};

// ESC [ number ~
constexpr std::array<NumberRow, 7> kNumbers = {{{1, KeyCode::kHome},
                                                {3, KeyCode::kDelete},
                                                {4, KeyCode::kEnd},
                                                {5, KeyCode::kPageUp},
                                                {6, KeyCode::kPageDown},
                                                {7, KeyCode::kHome},
                                                {8, KeyCode::kEnd}}};

Key make_key(KeyCode code) {
  Key key;
  key.code = code;
  return key;
}

Key control_key(unsigned char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return make_key(KeyCode::kEnter);
    case '\t':
      return make_key(KeyCode::kTab);
    case 0x08:
    case 0x7F:
      return make_key(KeyCode::kBackspace);
    default: {
      Key key = make_key(KeyCode::kText);
      key.ctrl = true;
      const auto letter = static_cast<char>(byte + '@');
      key.text =
          std::string(1, letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter);
      return key;
    }
  }
}

// A code point as a key, as the "CSI u" form sends it.
Key key_of_code_point(int number) {
  if (number == kEscapeByte) {
    return make_key(KeyCode::kEscape);
  }
  if (number < 0x20 || number == 0x7F) {
    return control_key(static_cast<unsigned char>(number));
  }
  Key key = make_key(KeyCode::kText);
  append_code_point(key.text, static_cast<char32_t>(number));
  return key;
}

std::vector<int> numbers_of(std::string_view parameters) {
  std::vector<int> numbers;
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    int number = 0;
    std::from_chars(parameters.data(), parameters.data() + end, number);
    numbers.push_back(number);
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return numbers;
}

// xterm sends one more than the sum of shift 1, alt 2, ctrl 4.
void apply_modifiers(Key& key, int parameter) {
  const unsigned bits = parameter > 1 ? static_cast<unsigned>(parameter - 1) : 0;
  key.shift = (bits & 1U) != 0;
  key.alt = (bits & 2U) != 0;
  key.ctrl = key.ctrl || (bits & 4U) != 0;
}

Key key_of_tilde(const std::vector<int>& numbers) {
  const int number = numbers.empty() ? 0 : numbers[0];
  Key key;
  if (number == 27 && numbers.size() > 2) {  // modifyOtherKeys: 27 ; modifiers ; code point
    key = key_of_code_point(numbers[2]);
  }
  for (const NumberRow& row : kNumbers) {
    key = row.number == number ? make_key(row.code) : key;
  }
  if (numbers.size() > 1) {
    apply_modifiers(key, numbers[1]);
  }
  return key;
}

Key key_of_sequence(std::string_view parameters, char final) {
  const std::vector<int> numbers = numbers_of(parameters);
  if (final == '~') {
    return key_of_tilde(numbers);
  }
  Key key;
  if (final == 'Z') {
    key = make_key(KeyCode::kTab);
    key.shift = true;
    return key;
  }
  if (final == 'u' && !numbers.empty()) {
    key = key_of_code_point(numbers[0]);
  }
  for (const FinalRow& row : kFinals) {
    key = row.final == final ? make_key(row.code) : key;
  }
  if (numbers.size() > 1) {
    apply_modifiers(key, numbers[1]);
  }
  key.shift = key.shift || (final >= 'a' && final <= 'd');
  return key;
}

std::size_t sequence_size(unsigned char lead) {
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
}

// Terminals send a pasted line break as a carriage return.
std::string pasted_text(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\r') {
      out.push_back('\n');
      i += i + 1 < bytes.size() && bytes[i + 1] == '\n' ? 1U : 0U;
    } else {
      out.push_back(bytes[i]);
    }
  }
  return repair_utf8(out);
}

}  // namespace

std::optional<Key> KeyDecoder::next() {
  if (pasting_) {
    return next_pasted();
  }
  if (pending_.empty()) {
    return std::nullopt;
  }
  if (pending_[0] == kEscapeByte) {
    return escape_sequence(false);
  }
  return character(0, false);
}

std::optional<Key> KeyDecoder::flush() {
  if (pasting_ || pending_.empty()) {
    return std::nullopt;
  }
  if (pending_[0] == kEscapeByte) {
    return escape_sequence(true);
  }
  return character(0, true);
}

std::optional<Key> KeyDecoder::next_pasted() {
  const std::size_t end = pending_.find(kPasteEnd);
  if (end == std::string::npos) {
    // The end marker may be cut in two: its possible start stays pending.
    const std::size_t sure = pending_.size() - std::min(pending_.size(), kPasteEnd.size() - 1);
    pasted_.append(pending_, 0, sure);
    drop(sure);
    // What is past any text's limit need not be kept, only skipped.
    pasted_.resize(std::min(pasted_.size(), kEditorPasteBytesMax));
    return std::nullopt;
  }
  pasted_.append(pending_, 0, end);
  pasted_.resize(std::min(pasted_.size(), kEditorPasteBytesMax));
  drop(end + kPasteEnd.size());
  pasting_ = false;
  Key key = make_key(KeyCode::kPaste);
  key.text = pasted_text(pasted_);
  pasted_.clear();
  return key;
}

std::optional<Key> KeyDecoder::escape_sequence(bool complete) {
  // Two escape characters in a row are Alt before a sequence (rxvt), or Alt-Escape.
  const bool doubled = pending_.size() > 1 && pending_[1] == kEscapeByte;
  const std::size_t start = doubled ? 2 : 1;
  if (pending_.size() == start) {
    if (!complete) {
      return std::nullopt;
    }
    drop(start);
    return make_key(KeyCode::kEscape);
  }
  const char kind = pending_[start];
  if (kind == '[' || kind == 'O') {
    std::optional<Key> key = control_sequence(start, doubled);
    if (!key && complete && !pasting_) {
      drop(pending_.size());
      return make_key(KeyCode::kUnknown);
    }
    return key;
  }
  std::optional<Key> key = character(start, complete);
  if (key) {
    key->alt = true;
  }
  return key;
}

std::optional<Key> KeyDecoder::control_sequence(std::size_t start, bool alt) {
  const bool application = pending_[start] == 'O';
  const std::size_t begin = start + 1;
  std::size_t end = begin;
  if (!application && end < pending_.size() && pending_[end] == '[') {
    ++end;  // the Linux console's function keys: ESC [ [ A
  }
  while (end < pending_.size() && pending_[end] >= 0x20 && pending_[end] < 0x40) {
    ++end;
  }
  if (end >= pending_.size()) {
    if (pending_.size() - start <= kEscapeSequenceBytesMax) {
      return std::nullopt;
    }
    drop(pending_.size());
    return make_key(KeyCode::kUnknown);
  }
  const std::string parameters = pending_.substr(begin, end - begin);
  const char final = pending_[end];
  drop(end + 1);
  if (final == '~' && parameters == std::to_string(kPasteStartNumber)) {
    pasting_ = true;
    return next_pasted();
  }
  // The console's function keys, and answers to questions nobody asked, are no keys here.
  const bool foreign = !parameters.empty() && parameters[0] >= '<';
  Key key = foreign ? make_key(KeyCode::kUnknown) : key_of_sequence(parameters, final);
  key.alt = key.alt || alt;
  return key;
}

std::optional<Key> KeyDecoder::character(std::size_t start, bool complete) {
  const auto first = static_cast<unsigned char>(pending_[start]);
  if (first < 0x20 || first == 0x7F) {
    drop(start + 1);
    return control_key(first);
  }
  const std::string_view rest =
      std::string_view(pending_).substr(start, std::min(sequence_size(first), kUtf8BytesMax));
  std::size_t size = 0;
  Key key = make_key(KeyCode::kText);
  append_code_point(key.text, next_code_point(rest, size));
  // A malformed part that reaches the end may still become a whole character.
  if (!complete && size == rest.size() && rest.size() < sequence_size(first)) {
    return std::nullopt;
  }
  drop(start + size);
  return key;
}

}  // namespace evq
