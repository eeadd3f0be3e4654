#include "cli/shell_word.h"

#include <algorithm>

#include "cli/options.h"
#include "store/base/ascii.h"

namespace evq {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlainMarks = "_@.:/+-,";
  const bool plain = std::ranges::all_of(text, [&](char c) {
    return is_letter_or_digit(c) || kPlainMarks.find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string evq_command(const GlobalOptions& global) {
  std::string command = "evq";
  for (const std::string name : {"store", "server"}) {
    const Setting& setting = global.settings.setting(name);
    if (setting.weight == SettingWeight::kOption) {
      command += " --" + name + " " + shell_word(setting.value);
    }
  }
  return command;
}

}  // namespace evq
