#pragma once
// FastJson: events straight from the index of a window of text, no document in between. It takes
// plain valid JSON objects and refuses everything else, whatever the reason; the tolerant parser,
// its slow twin, then decides. The two agree on everything this one takes.

#include <cstddef>
#include <string_view>

#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/ingest/event_assembler.h"
#include "store/ingest/json_index.h"

namespace evq {

class FastJson {
 public:
  // Indexes the text to take events from, which JsonIndex::kPaddingBytes readable bytes follow and
  // which must outlive the events. False: nothing in it can be taken fast.
  bool open(std::string_view window);

  // Parses the object that is all of [begin, end) of the window, blanks aside, into `event`, which
  // has begun. Ranges come in ascending order. False: not taken; the event holds a part of it.
  bool parse_event(std::size_t begin, std::size_t end, EventAssembler& event);

  // Memory held between windows, estimated.
  std::size_t memory_bytes() const { return index_.memory_bytes(); }

 private:
  // The byte of the text at position `i` of the index.
  char at(std::size_t i) const { return text_[positions_[i]]; }

  const char* here() const { return text_ + positions_[next_]; }
  const char* following() const { return text_ + positions_[next_ + 1]; }

  bool parse_object(EventAssembler& event);
  bool parse_value(const std::uint32_t*& at, NodeId node, std::size_t depth, EventAssembler& event);
  std::string_view read_text(const std::uint32_t* at, EventAssembler& event) const;
  static std::string_view unescape(EventAssembler& event, std::string_view text);
  bool parse_dynamic(EventAssembler& event, std::size_t depth);
  bool parse_dynamic_array(EventAssembler& event, std::size_t depth);
  bool parse_dynamic_object(EventAssembler& event, std::size_t depth);
  bool parse_dynamic_number();
  // Whether the value is too long; the tolerant parser reports it with its place.
  bool too_long() const { return dynamic_.size() > kFieldValueBuiltBytesMax; }
  bool parse_dynamic_field(NodeId node, EventAssembler& event, std::size_t depth);

  JsonIndex index_;
  const char* text_ = nullptr;
  const std::uint32_t* positions_ = nullptr;
  std::size_t count_ = 0;
  std::size_t next_ = 0;  // in positions_
  std::string_view window_;
  std::size_t escape_ = 0;  // the first backslash behind the events so far, where it is known
  bool escapes_ = false;    // the event at hand has backslashes
  DynamicBuilder dynamic_;
};

}  // namespace evq
