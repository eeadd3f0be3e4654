#pragma once
// Why events fail, as far as advice hangs on it. A failure is told as text, in answers of servers
// too, so the texts are made and recognised in one place. Pure; nothing here fails.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evq {

enum class FailureKind : std::uint8_t {
  kOther,
  kUnreadTime,   // the field that carries the time tells none
  kDistantTime,  // it tells one that evq cannot hold
  kManyFields,   // more fields or new keys than an event may have
  kLargeValues,  // a value, or all lists and objects together
  kManyCells,    // a record of CSV has more cells than its header has names
};

// The reason of kUnreadTime. `value` is the text that is no time, of which the beginning is shown;
// leave it out for a value that cannot be shown.
std::string unread_time_reason(std::string_view field);
std::string unread_time_reason(std::string_view field, std::string_view value);
// The reason of kDistantTime; `value` is the time's text, as far as it is one.
std::string distant_time_reason(std::string_view field, std::string_view value);
std::string many_fields_reason();
std::string many_new_keys_reason();
std::string large_value_reason();
std::string large_value_reason(std::string_view field, std::size_t bytes);
std::string large_lists_reason(std::size_t bytes_max);
std::string long_event_reason(std::size_t bytes_max);
std::string many_cells_reason(std::size_t fields);
// Why a header is refused that names more than kHeaderColumnsMax columns.
std::string many_columns_reason();

// The beginning of a text of the input, between quotes, for a message.
std::string shown_text(std::string_view text);

// Adds to a reason how many lines the lost event took, when they are several.
std::string lost_lines_reason(std::string reason, std::size_t lines);
// Whether `reason` tells of lines that lost_lines_reason() added.
bool tells_lost_lines(std::string_view reason);

// The kind of a reason that one of these functions made.
FailureKind kind_of_failure(std::string_view reason);

}  // namespace evq
