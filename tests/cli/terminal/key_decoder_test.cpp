#include "cli/terminal/key_decoder.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"

namespace evq {
namespace {

std::string name_of(const Key& key) {
  static const std::vector<std::string> kNames = {
      "text", "paste", "enter", "tab",  "backspace", "delete", "escape",   "up",
      "down", "left",  "right", "home", "end",       "pageup", "pagedown", "unknown"};
  std::string out = key.ctrl ? "C-" : "";
  out += key.alt ? "A-" : "";
  out += key.shift ? "S-" : "";
  out += key.code == KeyCode::kText ? key.text : kNames[static_cast<std::size_t>(key.code)];
  return key.code == KeyCode::kPaste ? out + "(" + key.text + ")" : out;
}

// The keys' names with blanks between, after a time-out at the end.
std::string keys_of(std::string_view bytes, std::size_t piece) {
  KeyDecoder decoder;
  std::string out;
  const auto take = [&](const Key& key) { out += (out.empty() ? "" : " ") + name_of(key); };
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    decoder.push(bytes.substr(at, piece));
    while (const auto key = decoder.next()) {
      take(*key);
    }
  }
  while (const auto key = decoder.flush()) {
    take(*key);
    while (const auto more = decoder.next()) {
      take(*more);
    }
  }
  return out;
}

TEST_CASE("bytes become keys, in whatever pieces they come") {
  const struct {
    std::string bytes;
    std::string keys;
  } rows[] = {
      {"aé日👍", "a é 日 👍"},
      {"\r\n\t\x7f\x08", "enter enter tab backspace backspace"},
      {std::string("\0\x01\x03\x12\x1a\x1f", 6), "C-@ C-a C-c C-r C-z C-_"},
      {"\x1b[A\x1b[B\x1b[C\x1b[D", "up down right left"},
      {"\x1bOA\x1bOB\x1bOH\x1bOF", "up down home end"},
      {"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "home end home end home end"},
      {"\x1b[3~\x1b[5~\x1b[6~", "delete pageup pagedown"},
      {"\x1b[1;5C\x1b[1;3D\x1b[1;2A\x1b[3;5~", "C-right A-left S-up C-delete"},
      {"\x1b[Z", "S-tab"},
      {"\x1b\r", "A-enter"},
      {"\x1b"
       "b\x1b\x7f",
       "A-b A-backspace"},
      {"\x1b", "escape"},
      {"\x1b\x1b[D", "A-left"},
      {"\x1b[13;2u\x1b[27;2;13~\x1b[99;5u", "S-enter S-enter C-c"},
      {"\x1b[200~two\r\nli\x1b[31mnes\x1b[201~x", "paste(two\nli\x1b[31mnes) x"},
      {"\x1b[200~\xff\x1b[201~", "paste(\uFFFD)"},
      {"\x1b[[A\x1b[15~\x1b[?1;2c\x1b[M", "unknown unknown unknown unknown"},
      {"\xff"
       "a\xe6\x97",
       "\uFFFD a \uFFFD"},
      {"\xc3(", "\uFFFD ("},
      {"\x1b[12", "unknown"},
      {"\x1b"
       "é",
       "A-é"},
  };
  for (const auto& row : rows) {
    for (std::size_t piece = 1; piece <= row.bytes.size(); ++piece) {
      CAPTURE(piece);
      CHECK(keys_of(row.bytes, piece) == row.keys);
    }
  }
}

TEST_CASE("an endless sequence and an endless paste hold little memory") {
  KeyDecoder decoder;
  decoder.push("\x1b[" + std::string(kEscapeSequenceBytesMax + 1, '1'));
  const auto key = decoder.next();
  REQUIRE(key);
  CHECK(key->code == KeyCode::kUnknown);
  CHECK_FALSE(decoder.is_waiting());

  decoder.push("\x1b[200~");
  CHECK_FALSE(decoder.next());
  for (int i = 0; i < 64; ++i) {
    decoder.push(std::string(16384, 'x'));
    CHECK_FALSE(decoder.next());
    CHECK_FALSE(decoder.flush());
    CHECK_FALSE(decoder.is_ambiguous());
  }
  decoder.push("\x1b[201~");
  const auto paste = decoder.next();
  REQUIRE(paste);
  CHECK(paste->text.size() == kEditorPasteBytesMax);
}

TEST_CASE("any two bytes are consumed and leave nothing behind") {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      KeyDecoder decoder;
      decoder.push(std::string{static_cast<char>(first), static_cast<char>(second)});
      for (int i = 0; i < 4 && decoder.is_waiting(); ++i) {
        if (!decoder.next()) {
          static_cast<void>(decoder.flush());
        }
      }
      REQUIRE_FALSE(decoder.is_waiting());
    }
  }
}

}  // namespace
}  // namespace evq
