#include "tests/bench/output.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace evq::bench {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{8} << 20;

}  // namespace

void append_hex(std::string& out, std::uint64_t value, std::size_t digits) {
  const std::size_t start = out.size();
  out.append(digits, '0');
  for (std::size_t i = digits; i-- > 0; value >>= 4) {
    out[start + i] = "0123456789abcdef"[value & 15];
  }
}

void append_padded(std::string& out, std::uint64_t value, std::size_t width) {
  const std::size_t start = out.size();
  out.append(width, '0');
  for (std::size_t i = width; i-- > 0; value /= 10) {
    out[start + i] = static_cast<char>('0' + value % 10);
  }
}

void append_base32(std::string& out, std::uint64_t value, std::size_t digits,
                   std::string_view alphabet) {
  const std::size_t start = out.size();
  out.append(digits, '0');
  for (std::size_t i = digits; i-- > 0; value >>= 5) {
    out[start + i] = alphabet[value & 31];
  }
}

void append_thousandths(std::string& out, std::uint64_t value) {
  out += std::to_string(value / 1000);
  const std::uint64_t fraction = value % 1000;
  if (fraction == 0) {
    return;
  }
  out += '.';
  append_padded(out, fraction, 3);
  out.erase(out.find_last_not_of('0') + 1);
}

void append_timestamp(std::string& out, std::uint64_t micros, std::size_t digits) {
  const std::uint64_t seconds = micros / 1000000;
  const std::chrono::sys_days day{std::chrono::days{static_cast<int>(seconds / 86400)}};
  const std::chrono::year_month_day date{day};
  append_padded(out, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, seconds / 3600 % 24, 2);
  out += ':';
  append_padded(out, seconds / 60 % 60, 2);
  out += ':';
  append_padded(out, seconds % 60, 2);
  out += '.';
  append_padded(out, digits == 3 ? micros % 1000000 / 1000 : micros % 1000000, digits);
  out += 'Z';
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_csv_cell(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') {
      out += '"';
    }
    out += c;
  }
  out += '"';
}

Output::Output() {
  text_.reserve(kBufferBytes + (std::size_t{1} << 20));
}

void Output::end_event() {
  text_ += '\n';
  if (text_.size() >= kBufferBytes) {
    flush();
  }
}

void Output::flush() {
  if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size()) {
    std::_Exit(1);
  }
  text_.clear();
}

}  // namespace evq::bench
