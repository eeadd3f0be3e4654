#pragma once
// TolerantJson: a scalar JSON parser that takes what the fast one refuses and can be helped
// (invalid UTF-8, lone surrogates, integers outside of int64, numbers beyond a double), notes such
// repairs, and says exactly where and why when it cannot. On valid input it gives the same events
// as the fast parser, whose slow twin it is. Recursion ends at kJsonDepthMax.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/ingest/event_assembler.h"

namespace evq {

class TolerantJson {
 public:
  // Both must outlive the parser, `text` also the event.
  TolerantJson(std::string_view text, EventAssembler& event) : text_(text), event_(event) {}

  // Reads the object at the position into the event, which has begun. False with a fault.
  bool parse_event();
  // Reads the array at the position, its values as fields of these names. False with a fault.
  bool parse_row(std::span<const std::string> names);
  // Reads any value at the position into the builder, which is as it was when there is a fault, and
  // then moves past it. However long it is: whoever asks has limits of its own.
  bool read_value(DynamicBuilder* out);
  // Reads any value at the position, syntax only, and moves past it.
  bool skip_value();
  // Moves past blanks.
  void skip_blanks();
  // True when only blanks are left; otherwise that is the fault.
  bool at_end();

  // The next byte, 0 at the end.
  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  std::size_t position() const { return position_; }
  void set_position(std::size_t position) { position_ = position; }

  // Empty when all is well.
  const std::string& fault() const { return fault_; }
  std::size_t fault_offset() const { return fault_offset_; }
  // The fault is a limit of ours, not one of JSON's rules.
  bool fault_is_limit() const { return fault_is_limit_; }

 private:
  bool fail(std::size_t offset, std::string reason);
  bool parse_object(NodeId node, std::size_t depth);
  bool parse_member(NodeId parent, std::size_t depth);
  bool parse_value(NodeId node, std::size_t depth);
  bool parse_key(std::string_view& key);
  bool parse_string(std::string_view& text);
  bool find_string_end(std::size_t begin, bool& escaped, bool& ascii, std::size_t& end);
  bool parse_word(std::string_view word);
  bool parse_number(NodeId node);
  bool parse_dynamic_field(NodeId node, std::size_t depth);
  bool parse_dynamic(std::size_t depth);
  bool parse_dynamic_array(std::size_t depth);
  bool parse_dynamic_object(std::size_t depth);
  bool parse_dynamic_number();
  bool check_depth(std::size_t depth);
  // Called after an element or entry of a value that stays whole: false when the value is too long
  // by far. Drops the item when values are only skipped.
  bool keep_item(const DynamicBuilder::Mark& before);
  // Called after a member or element: true to go on, false at the end (sets `done`) or on a fault.
  bool next_item(char close, bool& done);

  std::string_view text_;
  EventAssembler& event_;
  std::size_t position_ = 0;
  DynamicBuilder dynamic_;
  std::size_t built_bytes_max_ = kFieldValueBuiltBytesMax;  // of `dynamic_`
  bool skipping_ = false;
  std::string fault_;
  std::size_t fault_offset_ = 0;
  bool fault_is_limit_ = false;
};

}  // namespace evq
