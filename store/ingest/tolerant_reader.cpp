#include "store/ingest/tolerant_reader.h"

#include <algorithm>

#include "store/base/limits.h"
#include "store/ingest/event_rules.h"
#include "store/ingest/tolerant_json.h"

// Nearly all texts are strict JSON, which is read many times as fast. The others are read again by
// the parser that events have, which repairs the same and says what is wrong in the same words.

namespace evq {
namespace {

// A strict reader keeps several times the text that it read last. Above this size that is given
// back before the text is read a second time, and made anew for the next one.
constexpr std::size_t kKeptTextBytesMax = kMebibyte;

}  // namespace

std::optional<JsonFault> TolerantReader::read(std::string_view text, DynamicBuilder* builder) {
  if (strict_.read(text, builder)) {
    return std::nullopt;
  }
  if (text.size() > kKeptTextBytesMax) {
    strict_ = JsonReader();
  }
  if (helped_ == nullptr) {
    helped_ = std::make_unique<EventAssembler>(std::make_shared<const EventRules>());
  }
  helped_->begin();
  TolerantJson parser(text, *helped_);
  const DynamicBuilder::Mark before = builder->mark();
  if (!parser.read_value(builder)) {
    return JsonFault{parser.fault_offset(), parser.fault()};
  }
  parser.skip_blanks();
  if (parser.position() == text.size()) {
    return std::nullopt;
  }
  builder->return_to(before);
  return JsonFault{parser.position(), "unexpected text behind the value"};
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return "line " + std::to_string(lines + 1) + ", column " +
         std::to_string(before.size() - line_begin + 1);
}

}  // namespace evq
