// The keys of the line editor, as two tables: those that edit text and those that do more. A key
// with Shift means the same as without, unless a row says otherwise.

#include <algorithm>
#include <array>

#include "cli/terminal/editor_session.h"

namespace evq {

namespace {

enum class Modifier : std::uint8_t { kNone, kCtrl, kAlt, kShift };

template <class Command>
struct KeyRow {
  KeyCode code;
  std::string_view text;  // of kText
  Modifier modifier;
  Command command;
};

using enum KeyCode;
using enum Modifier;

constexpr std::array kEditKeys = std::to_array<KeyRow<EditCommand>>({
    {kText, "a", kCtrl, EditCommand::kLineStart},
    {kText, "b", kCtrl, EditCommand::kLeft},
    {kText, "k", kCtrl, EditCommand::kKillLineEnd},
    {kText, "t", kCtrl, EditCommand::kTranspose},
    {kText, "u", kCtrl, EditCommand::kKillLineStart},
    {kText, "w", kCtrl, EditCommand::kKillBlankLeft},
    {kText, "y", kCtrl, EditCommand::kYank},
    {kText, "_", kCtrl, EditCommand::kUndo},
    {kText, "b", kAlt, EditCommand::kWordLeft},
    {kText, "d", kAlt, EditCommand::kKillWordRight},
    {kText, "y", kAlt, EditCommand::kYankOlder},
    {kText, "u", kAlt, EditCommand::kUpperWord},
    {kText, "l", kAlt, EditCommand::kLowerWord},
    {kText, "c", kAlt, EditCommand::kTitleWord},
    {kText, "<", kAlt, EditCommand::kTextStart},
    {kText, ">", kAlt, EditCommand::kTextEnd},
    {kText, "/", kAlt, EditCommand::kRedo},
    {kText, "_", kAlt, EditCommand::kRedo},
    {kBackspace, "", kNone, EditCommand::kDeleteLeft},
    {kBackspace, "", kAlt, EditCommand::kKillWordLeft},
    {kBackspace, "", kCtrl, EditCommand::kKillWordLeft},
    {kDelete, "", kNone, EditCommand::kDeleteRight},
    {kDelete, "", kAlt, EditCommand::kKillWordRight},
    {kDelete, "", kCtrl, EditCommand::kKillWordRight},
    {kLeft, "", kNone, EditCommand::kLeft},
    {kLeft, "", kAlt, EditCommand::kWordLeft},
    {kLeft, "", kCtrl, EditCommand::kWordLeft},
    {kHome, "", kNone, EditCommand::kLineStart},
    {kHome, "", kCtrl, EditCommand::kTextStart},
    {kEnd, "", kCtrl, EditCommand::kTextEnd},
});

constexpr std::array kSessionKeys = std::to_array<KeyRow<SessionCommand>>({
    {kEnter, "", kNone, SessionCommand::kAccept},
    {kEnter, "", kAlt, SessionCommand::kNewLine},
    {kEnter, "", kShift, SessionCommand::kNewLine},
    {kEnter, "", kCtrl, SessionCommand::kNewLine},
    {kTab, "", kNone, SessionCommand::kComplete},
    {kTab, "", kShift, SessionCommand::kCompleteBack},
    {kEscape, "", kNone, SessionCommand::kCancel},
    {kUp, "", kNone, SessionCommand::kOlder},
    {kDown, "", kNone, SessionCommand::kNewer},
    {kPageUp, "", kNone, SessionCommand::kOlderStarting},
    {kPageDown, "", kNone, SessionCommand::kNewerStarting},
    {kRight, "", kNone, SessionCommand::kForward},
    {kRight, "", kAlt, SessionCommand::kForwardWord},
    {kRight, "", kCtrl, SessionCommand::kForwardWord},
    {kEnd, "", kNone, SessionCommand::kForwardEnd},
    {kText, "c", kCtrl, SessionCommand::kInterrupt},
    {kText, "d", kCtrl, SessionCommand::kDeleteOrEnd},
    {kText, "e", kCtrl, SessionCommand::kForwardEnd},
    {kText, "f", kCtrl, SessionCommand::kForward},
    {kText, "f", kAlt, SessionCommand::kForwardWord},
    {kText, "g", kCtrl, SessionCommand::kCancel},
    {kText, "l", kCtrl, SessionCommand::kClearScreen},
    {kText, "n", kCtrl, SessionCommand::kNewer},
    {kText, "p", kCtrl, SessionCommand::kOlder},
    {kText, "r", kCtrl, SessionCommand::kSearch},
    {kText, "x", kCtrl, SessionCommand::kPrefix},
    {kText, "z", kCtrl, SessionCommand::kSuspend},
});

Modifier modifier_of(const Key& key) {
  return key.ctrl                                                ? kCtrl
         : key.alt                                               ? kAlt
         : key.shift && (key.code == kTab || key.code == kEnter) ? kShift
                                                                 : kNone;
}

template <class Table>
auto find_command(const Table& table, const Key& key) -> std::optional<decltype(table[0].command)> {
  const Modifier modifier = modifier_of(key);
  const auto row = std::find_if(table.begin(), table.end(), [&](const auto& candidate) {
    return candidate.code == key.code && candidate.modifier == modifier &&
           candidate.text == key.text;
  });
  if (row == table.end()) {
    return std::nullopt;
  }
  return row->command;
}

}  // namespace

std::optional<EditCommand> find_edit_command(const Key& key) {
  return find_command(kEditKeys, key);
}

std::optional<SessionCommand> find_session_command(const Key& key) {
  return find_command(kSessionKeys, key);
}

}  // namespace evq
