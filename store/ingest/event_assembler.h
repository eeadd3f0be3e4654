#pragma once
// EventAssembler: collects the fields of one event as cells, by the rules of events, before any of
// them reaches a column. Keys are nodes of a tree that is kept between events: events of one kind
// carry their keys in the same order, so each node remembers which key came after it the last
// time, and the guess is right nearly always: no hashing, one comparison a key.
//
// Use: begin(); visit() for every key, then one add_…() for its value or open() and the keys below
// it; then check the outcome: failed() or cells(). Texts passed to add_…() must live until whoever
// takes the cells has copied them (scratch() gives memory that does). One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/base/seeded_text_hash.h"
#include "store/base/text_hash.h"
#include "store/column/vector.h"
#include "store/ingest/cell.h"
#include "store/ingest/event_rules.h"
#include "store/ingest/found_keys.h"
#include "store/ingest/key_node.h"
#include "store/ingest/long_reals.h"

namespace evq {

inline constexpr const char* kRepairUtf8 = "invalid UTF-8 became U+FFFD";
inline constexpr const char* kRepairComma = "a comma behind the event was passed over";

class EventAssembler {
 public:
  static constexpr NodeId kRoot = 0;

  explicit EventAssembler(std::shared_ptr<const EventRules> rules);

  void begin();

  // The node of a key below `parent`. A key that is repeated in this event takes back its values.
  NodeId visit(NodeId parent, std::string_view key) {
    const NodeId guess = nodes_[last_].next;
    const Node& node = nodes_[guess];
    return mark(node.parent == parent && equal_text(node.key(), key) ? guess : find(parent, key),
                parent);
  }

  // The node of a key below `parent`, by its bytes between the quotes, escapes and all, when it is
  // expected or was looked up before; else kRoot. Sixteen bytes from the first one on are readable.
  NodeId recall(NodeId parent, std::string_view quoted) const {
    const NodeId next = nodes_[last_].next;
    if (is_node_of(next, parent, quoted)) {
      return next;
    }
    const NodeId found = found_.at(parent, quoted.data(), quoted);
    return is_node_of(found, parent, quoted) ? found : kRoot;
  }
  void visit_recalled(NodeId parent, NodeId node) { mark(node, parent); }

  // The value of `node` is an object whose members follow.
  void open(NodeId node) {
    const unsigned traits = nodes_[node].traits;
    opened_groups_ |= static_cast<std::uint16_t>(traits & (kGroupData | kGroupLabels));
    if ((traits & kTimes) != 0) [[unlikely]] {
      note_time(node, Cell::of_text(CellKind::kDynamic, {}));
    }
  }
  // Whether the objects of `node` stay whole: call add_dynamic() instead of open() then.
  bool is_map(NodeId node) const { return (nodes_[node].traits & kMap) != 0; }

  void add_bool(NodeId node, bool value) { add(node, Cell::of_bool(value)); }
  void add_long(NodeId node, std::int64_t value) {
    if (Cell* const cell = next_cell(node)) [[likely]] {
      cell->kind = CellKind::kLong;
      cell->size = 0;
      cell->integer = value;
    } else {
      add_with_care(node, Cell::of_long(value));
    }
  }
  // `text`: as it was written, which of a time may have more digits than its value.
  void add_real(NodeId node, double value, std::string_view text = {}) {
    long_reals_.note(node, value, text);
    add(node, Cell::of_real(value));
  }
  void add_text(NodeId node, std::string_view text) { add_view(node, CellKind::kText, text); }
  // Like add_text(), with sixteen readable bytes from the text's first one on, as scratch() has.
  [[gnu::always_inline]] void add_readable_text(NodeId node, std::string_view text) {
    Cell* cell = nullptr;
    if (text.size() <= kFieldValueBytesMax && (cell = next_cell(node)) != nullptr) [[likely]] {
      cell->kind = CellKind::kText;
      cell->readable = true;
      cell->size = static_cast<std::uint32_t>(text.size());
      cell->text = text.data();
    } else {
      add_view(node, CellKind::kText, text);
    }
  }
  void add_raw_text(NodeId node, std::string_view raw) { add_view(node, CellKind::kRawText, raw); }
  // Adds a value of CSV that was read from `text`, which is read anew when the field is the time.
  void add_read(NodeId node, const Cell& value, std::string_view text) {
    if (value.kind == CellKind::kText && text.size() > kFieldValueBytesMax) [[unlikely]] {
      fail_long_value(node, text.size());
    } else if (Cell* const place = next_cell(node)) [[likely]] {
      const std::uint32_t column = place->column;
      *place = value;
      place->column = column;
      place->node = node;
    } else {
      time_text_ = text;
      add_with_care(node, value);
      time_text_ = {};
    }
  }
  // Copies `bytes`. The lists and objects of an event together are held to the limit of a line.
  void add_dynamic(NodeId node, std::string_view bytes);
  // Gives memory that lives until the next begin(), or release_texts() after hold_texts().
  char* scratch(std::size_t size);
  void hold_texts() { texts_held_ = true; }
  void release_texts() { texts_held_ = false; }

  // Sets the event's time for when no field says it; instead of the receipt time.
  void set_time(std::int64_t time_ns) { given_time_ns_ = time_ns; }

  // Copies `text` to scratch memory with invalid UTF-8 replaced, and notes a repair at `offset`
  // plus the size of the text's valid prefix.
  std::string_view repair_text(std::string_view text, std::size_t offset);
  // Notes that something was changed to make the event acceptable; `what` has static storage.
  void note_repair(std::size_t offset, const char* what);
  void fail(std::string reason);
  // Resolves the event's time and admits its new fields; what fails is in failure().
  void finish(std::int64_t receipt_ns, std::int64_t from_ns);
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  bool repaired() const { return repair_ != nullptr; }
  const char* repair() const { return repair_; }
  std::size_t repair_offset() const { return repair_offset_; }
  std::int64_t time_ns() const { return time_ns_; }
  bool relabelled() const { return relabelled_; }  // a label took the place of a field
  bool timed() const { return timed_; }            // else the time is that of the receipt
  std::span<const Cell> cells() const { return {cells_.get(), cell_count_}; }

  std::size_t column_count() const { return column_names_.size(); }
  const std::string& column_name(std::size_t column) const { return column_names_[column]; }
  // Memory held between events, estimated.
  std::size_t memory_bytes() const;
  // Whether it has met more keys than any real data has: start anew with another assembler then.
  bool overgrown() const;

 private:
  static constexpr std::uint32_t kNone = KeyNode::kNone;

  // Traits of a node that need more than appending a cell.
  enum Trait : std::uint16_t {
    kUnresolved = 1,   // has no column yet
    kUnadmitted = 2,   // its column was not admitted yet
    kShared = 4,       // another node has the same column
    kDefaultTime = 8,  // `_time`
    kNamedTime = 16,   // the timestamp field
    kShadowed = 32,    // a label of that name replaces it
    kNameTooLong = 64,
    kMap = 128,
    // Top-level keys by what they say about the grouped form.
    kGroupTime = 256,
    kGroupData = 512,
    kGroupLabels = 1024,
    kGroupOther = 2048,
    kTimePart = 4096,  // one of several timestamp fields
  };
  static constexpr std::uint16_t kTimes = kDefaultTime | kNamedTime | kTimePart;
  static constexpr std::uint16_t kNeedsCare =
      kUnresolved | kUnadmitted | kShared | kTimes | kShadowed | kNameTooLong;

  using Node = KeyNode;

  // Whether `id` is the node of `key` below `parent`; sixteen bytes of `key` can be read.
  bool is_node_of(NodeId id, NodeId parent, std::string_view key) const {
    return nodes_[id].parent == parent && nodes_[id].has_key(key);
  }
  NodeId mark(NodeId id, NodeId parent) {
    Node& node = nodes_[id];
    if (node.seen > nodes_[parent].seen) [[unlikely]] {
      take_back(id);
    }
    node.seen = ++visits_;
    nodes_[last_].next = id;
    last_ = id;
    if (parent == kRoot) {
      top_traits_ = static_cast<std::uint16_t>(top_traits_ | node.traits);
    }
    return id;
  }
  // A cell of the node's column, to be filled in place; none when that needs care.
  [[gnu::always_inline]] Cell* next_cell(NodeId id) {
    const Node& node = nodes_[id];
    if ((node.traits & kNeedsCare) != 0 || cell_count_ >= kEventFieldsMax) [[unlikely]] {
      return nullptr;
    }
    Cell* const cell = &cells_[cell_count_++];
    cell->column = node.column;
    cell->node = id;
    return cell;
  }
  void add(NodeId id, Cell cell) {
    if (Cell* const place = next_cell(id)) [[likely]] {
      cell.column = place->column;
      cell.node = id;
      *place = cell;
    } else {
      add_with_care(id, cell);
    }
  }
  void add_view(NodeId node, CellKind kind, std::string_view text) {
    if (text.size() > kFieldValueBytesMax) [[unlikely]] {
      fail_long_value(node, text.size());
      return;
    }
    add(node, Cell::of_text(kind, text));
  }

  NodeId find(NodeId parent, std::string_view key);
  NodeId create(NodeId parent, std::string_view key, std::uint64_t hash);
  std::string name_of(NodeId node) const;
  std::uint16_t traits_of(NodeId id) const;
  void resolve(NodeId id);
  void add_with_care(NodeId id, Cell cell);
  void note_time(NodeId id, Cell cell);
  void fail_long_value(NodeId node, std::size_t size);
  void take_back(NodeId id);
  template <class Predicate>
  void remove_cells(const Predicate& predicate) {
    cell_count_ = static_cast<std::size_t>(
        std::remove_if(cells_.get(), cells_.get() + cell_count_, predicate) - cells_.get());
  }
  bool is_below(NodeId node, NodeId ancestor) const;
  void finish_time(std::int64_t receipt_ns, std::int64_t from_ns);
  std::optional<Cell> take_group_time();
  std::optional<Cell> join_time_parts();
  void admit_new_columns();
  void rehash();

  const std::shared_ptr<const EventRules> rules_;
  const std::uint64_t seed_;

  // The tree; touched by all events.
  std::vector<Node> nodes_;
  StringArena keys_;
  std::vector<NodeId> slots_;  // hash table of node ids; 0 is a free slot
  FoundKeys found_;
  std::vector<std::string> column_names_;
  std::vector<NodeId> column_nodes_;  // the first node of each column
  std::unordered_map<std::string, std::uint32_t, SeededTextHash> columns_by_name_;

  // The event at hand.
  std::uint64_t visits_ = 0;
  std::size_t repeated_keys_ = 0;
  std::size_t nodes_before_ = 0;   // how many there were when the event began
  std::size_t dynamic_bytes_ = 0;  // of the lists and objects copied
  NodeId last_ = kRoot;
  std::uint16_t top_traits_ = 0;
  std::uint16_t opened_groups_ = 0;  // kGroupData, kGroupLabels: whose value is an object
  std::unique_ptr<Cell[]> cells_;    // kEventFieldsMax of them
  std::size_t cell_count_ = 0;
  std::optional<Cell> default_time_;
  std::optional<Cell> named_time_;
  std::vector<std::optional<Cell>> time_parts_;  // as the rules name them
  LongReals long_reals_;
  std::string_view time_text_;  // of the value that is being added, where it is no text any more
  std::vector<NodeId> unadmitted_;
  std::int64_t time_ns_ = 0;
  std::optional<std::int64_t> given_time_ns_;
  bool timed_ = false;
  bool relabelled_ = false;
  std::string failure_;
  const char* repair_ = nullptr;
  std::size_t repair_offset_ = 0;

  bool texts_held_ = false;
  std::vector<std::unique_ptr<char[]>> slabs_;  // the first is kept between events
  std::size_t slab_used_ = 0;
  std::size_t slab_size_ = 0;
  std::size_t slabs_bytes_ = 0;
};

}  // namespace evq
