#pragma once
// JsonWriter: compact JSON text, appended to a string as it is told. It places the commas; the
// caller keeps objects and arrays balanced and writes a key before each member's value. Strings are
// escaped as JSON needs and no more: quote, backslash and bytes below 0x20; other UTF-8 is kept
// as it is. No allocation other than the string's own growth. One thread at a time.

#include <cstdint>
#include <string>
#include <string_view>

namespace evq {

// Appends `text` as a JSON string, with quotes and escapes.
void append_json_string(std::string& out, std::string_view text);

class JsonWriter {
 public:
  // Writes to `out`, which must outlive the writer; what it holds already is kept.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void string(std::string_view text);
  void integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);
  // NaN and infinities become null.
  void real(double value);
  void boolean(bool value);
  void null();
  // A value that is JSON already, or members of an object.
  void raw(std::string_view json);
  // Begins a raw value, which the caller appends to the returned string.
  std::string& raw() {
    separate();
    return out_;
  }
  // An instant in nanoseconds as RFC 3339 text in quotes.
  void instant(std::int64_t ns);

  // Starts a new top-level value, for one value a line.
  void new_line();

 private:
  void open(char bracket);
  void close(char bracket);
  void separate() {
    if (comma_due_) {
      out_.push_back(',');
    }
    comma_due_ = true;
  }

  std::string& out_;
  // True after a value: the next key or value needs a comma before it.
  bool comma_due_ = false;
};

}  // namespace evq
