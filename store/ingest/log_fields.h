#pragma once
// Reads the named values, besides the time, in lines of web servers' access logs and of syslog.
// Pure functions; nothing here fails.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace evq {

struct LogField {
  std::string_view name;
  std::string_view text;
  std::optional<std::int64_t> number;  // the text, where the field is one
};

// Up to ten fields, in a fixed order. The texts are views of the line they were read from.
class LogFields {
 public:
  // Adds a field. Does nothing for an empty text and for "-", which stand for no value.
  void add(std::string_view name, std::string_view text);
  // Adds a field of decimal digits; anything else is no value either.
  void add_number(std::string_view name, std::string_view digits);
  std::span<const LogField> fields() const { return {fields_.data(), count_}; }

 private:
  static constexpr std::size_t kFieldsMax = 10;
  std::array<LogField, kFieldsMax> fields_;
  std::size_t count_ = 0;
};

// Takes the priority off the start of a syslog line, "<34>Oct 11 …", and returns it: eight times
// the facility, plus the severity.
std::optional<unsigned> take_priority(std::string_view* line);

// Whether a word is the level of a log line, as in "INFO", "[warn]" and "error:".
bool is_level_word(std::string_view word);

// The fields of a line in
//   the common or combined format of Apache and nginx: client, user, method, path, protocol,
//     status, bytes, referer, user_agent, and host where the name of a virtual host comes first;
//     the client is the first of the addresses that proxies make of it, the user may have blanks,
//     and the protocol may be missing;
//   a container as Kubernetes keeps it, "TIME stdout F message": stream;
//   syslog of either RFC, or with an ISO 8601 time as rsyslog writes it to files, or with the time
//     of journalctl -o short-full or short-precise: host, program, pid, and of its priority
//     facility and severity; the host may be missing before a program with its pid, or with a colon
//     behind its name.
// Any other line has none.
LogFields log_fields(std::string_view line);

}  // namespace evq
