#pragma once
// Output: the generators' text, gathered in a buffer and written to standard output in large
// pieces. One thread. Ends the program when standard output cannot be written, as there is nobody
// to tell.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evq::bench {

// Appends to a string what the data sets are made of.
void append_hex(std::string& out, std::uint64_t value, std::size_t digits);
void append_padded(std::string& out, std::uint64_t value, std::size_t width);
void append_base32(std::string& out, std::uint64_t value, std::size_t digits,
                   std::string_view alphabet);
// 12345 as 12.345, without trailing zeros, as JSON writers do.
void append_thousandths(std::string& out, std::uint64_t value);
// RFC 3339 in UTC with three or six fractional digits.
void append_timestamp(std::string& out, std::uint64_t micros, std::size_t digits);
// A JSON string; quotes, backslashes and newlines are escaped, the rest must need no escape.
void append_json_string(std::string& out, std::string_view text);
void append_csv_cell(std::string& out, std::string_view text);

class Output {
 public:
  Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  // The buffer to append to; call end_event after each event.
  std::string& text() { return text_; }
  void end_event();
  void flush();

 private:
  std::string text_;
};

}  // namespace evq::bench
