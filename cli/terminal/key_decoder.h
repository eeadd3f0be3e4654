#pragma once
// KeyDecoder: the bytes a terminal sends, as keys. Bytes may come in any pieces; a key is handed
// out once it is complete. It understands xterm, VT220, rxvt and Linux console sequences, the
// modifiers of xterm, the "CSI u" form, and bracketed paste; an unknown sequence is swallowed as
// one kUnknown, so that its letters never end up in the text. Any bytes are fine: malformed UTF-8
// arrives as U+FFFD. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evq {

enum class KeyCode : std::uint8_t {
  kText,  // Key::text holds one character; with ctrl, the lower-case letter
  kPaste,
  kEnter,
  kTab,
  kBackspace,
  kDelete,
  kEscape,
  kUp,
  kDown,
  kLeft,
  kRight,
  kHome,
  kEnd,
  kPageUp,
  kPageDown,
  kUnknown,
};

struct Key {
  KeyCode code = KeyCode::kUnknown;
  bool ctrl = false;
  bool alt = false;
  bool shift = false;
  std::string text;
  friend bool operator==(const Key&, const Key&) = default;
};

class KeyDecoder {
 public:
  void push(std::string_view bytes) { pending_.append(bytes); }
  // Returns the next complete key; nullopt when more bytes are needed.
  std::optional<Key> next();
  // Takes what is there as complete, such as a lone Escape, when nothing more came for a while.
  // Does nothing inside of a paste, whose end always comes.
  std::optional<Key> flush();
  // Returns input that is not decoded yet, as it came; empty inside of a paste.
  std::string_view pending() const { return pasting_ ? std::string_view() : pending_; }
  bool is_waiting() const { return !pending_.empty() || pasting_; }
  // Whether there is a half-sent sequence that time decides, as opposed to a paste.
  bool is_ambiguous() const { return !pending_.empty() && !pasting_; }

 private:
  std::optional<Key> next_pasted();
  std::optional<Key> escape_sequence(bool complete);
  std::optional<Key> control_sequence(std::size_t start, bool alt);
  std::optional<Key> character(std::size_t start, bool complete);
  void drop(std::size_t size) { pending_.erase(0, size); }

  std::string pending_;
  std::string pasted_;
  bool pasting_ = false;
};

}  // namespace evq
