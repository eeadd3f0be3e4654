#include "store/ingest/failure_reason.h"

#include <algorithm>

#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

constexpr std::string_view kValueOf = "the value of '";
constexpr std::string_view kIsNoTime = "' is no time";
constexpr std::string_view kIsDistant = "' is outside of the times that evq holds, 1677 to 2262";
constexpr std::string_view kEventHas = "the event has more than ";
constexpr std::string_view kFields = " fields";
constexpr std::string_view kNewKeys = " keys not seen before";
constexpr std::string_view kLimit = " bytes, more than the limit of ";
constexpr std::string_view kValueHas = "a value has more than the limit of ";
constexpr std::string_view kLinesSkipped = " lines skipped";
constexpr std::string_view kMoreCells = "more cells than the ";
constexpr std::string_view kListsHave = "the lists and objects of the event have more than ";

// The texts, one behind the other.
template <class... Texts>
std::string joined(Texts... texts) {
  std::string all;
  (all.append(texts), ...);
  return all;
}

}  // namespace

std::string unread_time_reason(std::string_view field) {
  return joined(kValueOf, field, kIsNoTime);
}

std::string many_columns_reason() {
  return joined("the header has more than ", std::to_string(kHeaderColumnsMax), " columns");
}

std::string shown_text(std::string_view text) {
  constexpr std::size_t kShownBytesMax = 64;
  return joined("'", utf8_prefix(text, kShownBytesMax), text.size() > kShownBytesMax ? "…'" : "'");
}

std::string unread_time_reason(std::string_view field, std::string_view value) {
  return joined(unread_time_reason(field), ": ", shown_text(value));
}

std::string distant_time_reason(std::string_view field, std::string_view value) {
  return joined(kValueOf, field, kIsDistant, value.empty() ? "" : ": " + shown_text(value));
}

std::string many_fields_reason() {
  return joined(kEventHas, std::to_string(kEventFieldsMax), kFields);
}

std::string many_new_keys_reason() {
  return joined(kEventHas, std::to_string(kEventNewKeysMax), kNewKeys);
}

std::string large_value_reason() {
  return joined(kValueHas, std::to_string(kFieldValueBytesMax), " bytes");
}

std::string large_value_reason(std::string_view field, std::size_t bytes) {
  return joined(kValueOf, field, "' has ", std::to_string(bytes), kLimit,
                std::to_string(kFieldValueBytesMax));
}

std::string large_lists_reason(std::size_t bytes_max) {
  return joined(kListsHave, std::to_string(bytes_max), " bytes");
}

std::string long_event_reason(std::size_t bytes_max) {
  return joined("the event is longer than the limit of ", std::to_string(bytes_max), " bytes");
}

std::string many_cells_reason(std::size_t fields) {
  return joined(kMoreCells, std::to_string(fields), " fields of the header");
}

std::string lost_lines_reason(std::string reason, std::size_t lines) {
  return lines > 1 ? joined(reason, ": ", std::to_string(lines), kLinesSkipped) : reason;
}

bool tells_lost_lines(std::string_view reason) {
  return reason.ends_with(kLinesSkipped);
}

FailureKind kind_of_failure(std::string_view reason) {
  if (reason.starts_with(kEventHas) && (reason.ends_with(kFields) || reason.ends_with(kNewKeys))) {
    return FailureKind::kManyFields;
  }
  if (reason.starts_with(kValueHas) || reason.starts_with(kListsHave)) {
    return FailureKind::kLargeValues;
  }
  if (reason.starts_with(kMoreCells)) {
    return FailureKind::kManyCells;
  }
  if (!reason.starts_with(kValueOf)) {
    return FailureKind::kOther;
  }
  // The name and the value of the field may hold anything: what comes first is ours.
  const std::size_t time = reason.find(kIsNoTime);
  const std::size_t distant = reason.find(kIsDistant);
  const std::size_t limit = reason.find(kLimit);
  const std::size_t first = std::min({time, distant, limit});
  return first == std::string_view::npos ? FailureKind::kOther
         : first == time                 ? FailureKind::kUnreadTime
         : first == distant              ? FailureKind::kDistantTime
                                         : FailureKind::kLargeValues;
}

}  // namespace evq
