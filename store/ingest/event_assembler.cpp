#include "store/ingest/event_assembler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/text_hash.h"
#include "store/base/text_head.h"
#include "store/base/time.h"
#include "store/base/utf8.h"
#include "store/ingest/failure_reason.h"

namespace evq {

namespace {

constexpr std::size_t kNameSlotsMin = 256;
constexpr std::size_t kSlabBytes = 64 * kKibibyte;
// Room for every field of a full dataset with its parents, and then some for events that failed.
constexpr std::size_t kNodesMax = 4 * kDatasetFieldsMax;

// What is kept of a key. Of one that is too long for any name, as much as shows that: it makes no
// field, and memory of keys lasts.
std::string_view kept_part(std::string_view key) {
  return utf8_prefix(key, kFieldNameBytesMax + kUtf8BytesMax);
}

void append_escaped(std::string& out, std::string_view key) {
  for (const char c : key) {
    if (c == '.') {
      out.push_back('\\');
    }
    out.push_back(c);
  }
}

}  // namespace

EventAssembler::EventAssembler(std::shared_ptr<const EventRules> rules)
    : rules_(std::move(rules)),
      seed_(random_seed()),
      slots_(kNameSlotsMin, 0),
      columns_by_name_(kNameSlotsMin, SeededTextHash{seed_}),
      time_parts_(rules_->time_parts.size()) {
  nodes_.emplace_back();
  cells_ = std::make_unique<Cell[]>(kEventFieldsMax);
}

void EventAssembler::begin() {
  nodes_[kRoot].seen = ++visits_;
  repeated_keys_ = 0;
  nodes_before_ = nodes_.size();
  dynamic_bytes_ = 0;
  last_ = kRoot;
  top_traits_ = 0;
  opened_groups_ = 0;
  cell_count_ = 0;
  relabelled_ = false;
  default_time_.reset();
  named_time_.reset();
  std::ranges::fill(time_parts_, std::nullopt);
  given_time_ns_.reset();
  unadmitted_.clear();
  long_reals_.clear();
  failure_.clear();
  repair_ = nullptr;
  if (texts_held_) {
    return;
  }
  if (slabs_.size() > 1) {
    slabs_.clear();
    slab_size_ = 0;
    slabs_bytes_ = 0;
  }
  slab_used_ = 0;
}

// ---------------------------------------------------------------- the tree of keys

NodeId EventAssembler::find(NodeId parent, std::string_view key) {
  key = kept_part(key);
  const std::uint64_t hash = hash_text(key, seed_ + parent);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i] != 0; i = (i + 1) & mask) {
    const Node& node = nodes_[slots_[i]];
    if (node.parent == parent && equal_text(node.key(), key)) {
      found_.note(parent, node.key_head.data(), node.key(), slots_[i]);
      return slots_[i];
    }
  }
  return create(parent, key, hash);
}

NodeId EventAssembler::create(NodeId parent, std::string_view key, std::uint64_t hash) {
  if (nodes_.size() - nodes_before_ >= kEventNewKeysMax) {
    // Whatever the rest of the event brings lands in one place.
    fail(many_new_keys_reason());
    return kRoot;
  }
  if (nodes_.size() * 2 > slots_.size()) {
    rehash();
  }
  const NodeId id = static_cast<NodeId>(nodes_.size());
  Node node;
  const std::string_view kept = keys_.copy(key);
  node.key_text = kept.data();
  node.key_size = static_cast<std::uint32_t>(kept.size());
  kept.copy(node.key_head.data(), node.key_head.size());
  node.has_backslash = kept.find('\\') != std::string_view::npos;
  node.parent = parent;
  nodes_.push_back(node);
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i] != 0) {
    i = (i + 1) & mask;
  }
  slots_[i] = id;
  nodes_[id].traits = traits_of(id);
  return id;
}

void EventAssembler::rehash() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (NodeId id = 1; id < nodes_.size(); ++id) {
    std::size_t i = hash_text(nodes_[id].key(), seed_ + nodes_[id].parent) & mask;
    while (slots_[i] != 0) {
      i = (i + 1) & mask;
    }
    slots_[i] = id;
  }
}

std::uint16_t EventAssembler::traits_of(NodeId id) const {
  unsigned traits = kUnresolved;
  if ((nodes_[nodes_[id].parent].traits & kNameTooLong) != 0) {
    return static_cast<std::uint16_t>(traits | kNameTooLong);
  }
  const std::string name = name_of(id);
  if (name.size() > kFieldNameBytesMax) {
    traits |= kNameTooLong;
  }
  if (name == "_time") {
    traits |= kDefaultTime;
  }
  if (!rules_->timestamp_field.empty() && name == stored_field_name(rules_->timestamp_field)) {
    traits |= kNamedTime;
  }
  if (std::ranges::find(rules_->time_parts, name) != rules_->time_parts.end()) {
    traits |= kTimePart;
  }
  if (rules_->map_fields.contains(name)) {
    traits |= kMap;
  }
  for (const EventRules::Label& label : rules_->labels) {
    traits |= label.name == name ? unsigned{kShadowed} : 0U;
  }
  if (nodes_[id].parent == kRoot) {
    traits |= name == "time"     ? unsigned{kGroupTime}
              : name == "data"   ? unsigned{kGroupData}
              : name == "labels" ? unsigned{kGroupLabels}
                                 : unsigned{kGroupOther};
  }
  return static_cast<std::uint16_t>(traits);
}

// The flattened name. Keys of the top level keep their dots, because `a.b` there is the field that
// an object `a` with a member `b` gives too; further down a dot is part of the key.
std::string EventAssembler::name_of(NodeId node) const {
  std::vector<NodeId> path;
  for (NodeId id = node; id != kRoot; id = nodes_[id].parent) {
    path.push_back(id);
  }
  if (path.empty()) {
    return {};
  }
  std::string name = stored_field_name(nodes_[path.back()].key());
  for (std::size_t i = path.size() - 1; i-- > 0;) {
    name.push_back('.');
    append_escaped(name, nodes_[path[i]].key());
  }
  return name;
}

std::size_t EventAssembler::memory_bytes() const {
  constexpr std::size_t kNameBytes = 64;  // a column's names are a few words each
  return kEventFieldsMax * sizeof(Cell) + nodes_.capacity() * sizeof(Node) + keys_.size_bytes() +
         slots_.capacity() * sizeof(NodeId) + column_names_.capacity() * 4 * kNameBytes +
         slabs_bytes_;
}

bool EventAssembler::overgrown() const {
  return nodes_.size() > kNodesMax;
}

// Gives a node its column.
void EventAssembler::resolve(NodeId id) {
  std::string name = name_of(id);
  const auto [place, fresh] =
      columns_by_name_.emplace(name, static_cast<std::uint32_t>(column_names_.size()));
  const std::uint32_t column = place->second;
  unsigned traits = nodes_[id].traits & ~unsigned{kUnresolved};
  if (fresh) {
    column_names_.push_back(std::move(name));
    column_nodes_.push_back(id);
    traits |= rules_->admission != nullptr ? unsigned{kUnadmitted} : 0U;
  } else {
    Node& other = nodes_[column_nodes_[column]];
    traits |= kShared | (other.traits & kUnadmitted);
    other.traits |= kShared;
  }
  nodes_[id].column = column;
  nodes_[id].traits = static_cast<std::uint16_t>(traits);
}

// ---------------------------------------------------------------- the event

void EventAssembler::add_with_care(NodeId id, Cell cell) {
  Node& node = nodes_[id];
  if ((node.traits & kNameTooLong) != 0) {
    fail("a field name is longer than " + std::to_string(kFieldNameBytesMax) + " bytes");
    return;
  }
  cell.node = id;
  note_time(id, time_text_.empty() ? cell : Cell::of_text(CellKind::kText, time_text_));
  if ((node.traits & kDefaultTime) != 0) {
    return;
  }
  if ((node.traits & kShadowed) != 0) {
    relabelled_ = true;
    return;
  }
  if ((node.traits & kUnresolved) != 0) {
    resolve(id);
  }
  if ((node.traits & kUnadmitted) != 0) {
    unadmitted_.push_back(id);
  }
  cell.column = node.column;
  if ((node.traits & kShared) != 0) {
    remove_cells([&cell](const Cell& other) { return other.column == cell.column; });
  }
  if (cell_count_ >= kEventFieldsMax) {
    fail(many_fields_reason());
    return;
  }
  cells_[cell_count_++] = cell;
}

// What a field that tells the time has; an object, whose members follow, counts as one that tells
// none, as a list does.
void EventAssembler::note_time(NodeId id, Cell cell) {
  const std::uint16_t traits = nodes_[id].traits;
  cell.node = id;
  if ((traits & kNamedTime) != 0) {
    named_time_ = cell;
  }
  if ((traits & kTimePart) != 0) {
    const auto part = std::ranges::find(rules_->time_parts, name_of(id));
    time_parts_[static_cast<std::size_t>(part - rules_->time_parts.begin())] = cell;
  }
  if ((traits & kDefaultTime) != 0) {
    default_time_ = cell;
  }
}

void EventAssembler::fail_long_value(NodeId node, std::size_t size) {
  fail(large_value_reason(name_of(node), size));
}

void EventAssembler::add_dynamic(NodeId node, std::string_view bytes) {
  if (bytes.size() > kFieldValueBytesMax) {
    fail_long_value(node, bytes.size());
  }
  if (dynamic_bytes_ + bytes.size() > rules_->dynamic_bytes_max) {
    fail(large_lists_reason(rules_->dynamic_bytes_max));
  }
  if (failed()) {
    return;
  }
  dynamic_bytes_ += bytes.size();
  char* copy = scratch(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  add(node, Cell::of_text(CellKind::kDynamic, {copy, bytes.size()}));
}

bool EventAssembler::is_below(NodeId node, NodeId ancestor) const {
  while (node != ancestor && node != kRoot) {
    node = nodes_[node].parent;
  }
  return node == ancestor;
}

// The key comes a second time in its object: the last one wins, with everything below it, which
// came in one run, since each cell is as old as its node's last visit.
void EventAssembler::take_back(NodeId id) {
  if (++repeated_keys_ > kEventRepeatedKeysMax) {
    fail("the event repeats keys more than " + std::to_string(kEventRepeatedKeysMax) + " times");
    return;
  }
  opened_groups_ &= static_cast<std::uint16_t>(~nodes_[id].traits);
  const auto below = [this, id](const Cell& cell) { return is_below(cell.node, id); };
  if (default_time_ && below(*default_time_)) {
    default_time_.reset();
  }
  if (named_time_ && below(*named_time_)) {
    named_time_.reset();
  }
  for (std::optional<Cell>& part : time_parts_) {
    if (part && below(*part)) {
      part.reset();
    }
  }
  Cell* const end = cells_.get() + cell_count_;
  const auto older = [this, seen = nodes_[id].seen](const Cell& cell) {
    return nodes_[cell.node].seen < seen;
  };
  Cell* const first = std::partition_point(cells_.get(), end, older);
  Cell* const last = std::find_if_not(first, end, below);
  cell_count_ = static_cast<std::size_t>(std::move(last, end, first) - cells_.get());
}

char* EventAssembler::scratch(std::size_t size) {
  if (slab_size_ - slab_used_ < size) {
    slab_size_ = std::max(size, kSlabBytes);
    slabs_bytes_ += slab_size_;
    // The larger slab goes, whatever its place, when the next event begins.
    slabs_.push_back(std::unique_ptr<char[]>(new char[slab_size_ + TextHead::kBytes]));
    slab_used_ = 0;
  }
  char* place = slabs_.back().get() + slab_used_;
  slab_used_ += size;
  return place;
}

std::string_view EventAssembler::repair_text(std::string_view text, std::size_t offset) {
  note_repair(offset + valid_utf8_prefix(text), kRepairUtf8);
  const std::string repaired = repair_utf8(text);
  char* copy = scratch(repaired.size());
  return {copy, repaired.copy(copy, repaired.size())};
}

void EventAssembler::note_repair(std::size_t offset, const char* what) {
  if (repair_ == nullptr) {
    repair_ = what;
    repair_offset_ = offset;
  }
}

void EventAssembler::fail(std::string reason) {
  if (failure_.empty()) {
    failure_ = std::move(reason);
  }
}

void EventAssembler::finish(std::int64_t receipt_ns, std::int64_t from_ns) {
  if (repaired() && rules_->strict) {
    fail(repair_);
  }
  finish_time(receipt_ns, from_ns);
  if (!failed() && !unadmitted_.empty()) {
    admit_new_columns();
  }
}

// The cell of `time` when the event is a grouped one; it is no field then.
std::optional<Cell> EventAssembler::take_group_time() {
  const bool grouped = rules_->grouped_events && (top_traits_ & kGroupOther) == 0 &&
                       (top_traits_ & kGroupTime) != 0 && opened_groups_ != 0;
  if (!grouped) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < cell_count_; ++i) {
    if ((nodes_[cells_[i].node].traits & kGroupTime) != 0) {
      const Cell cell = cells_[i];
      const std::uint32_t node = cell.node;
      remove_cells([node](const Cell& other) { return other.node == node; });
      return cell;
    }
  }
  return std::nullopt;
}

namespace {

// "1714557600.000000123" of two whole numbers that are Unix seconds and the nanoseconds behind
// them, as Log4j's instants and Protocol Buffers' timestamps have them; empty: they are none.
std::string read_seconds_and_rest(const std::vector<std::optional<Cell>>& parts) {
  constexpr std::int64_t kSecondsMin = 1'000'000'000;
  constexpr std::int64_t kSecondsMax = 9'999'999'999;
  const auto is_whole = [](const std::optional<Cell>& part) {
    return part && part->kind == CellKind::kLong;
  };
  if (parts.size() != 2 || !std::ranges::all_of(parts, is_whole)) {
    return {};
  }
  const std::int64_t seconds = parts[0]->integer;
  const std::int64_t rest_ns = parts[1]->integer;
  if (seconds < kSecondsMin || seconds > kSecondsMax || rest_ns < 0 || rest_ns >= kSecondNs) {
    return {};
  }
  std::string text;
  append_int(text, seconds);
  text += '.';
  append_int(text, kSecondNs + rest_ns);
  text.erase(text.find('.') + 1, 1);  // the one that keeps the zeros
  return text;
}

}  // namespace

// What the parts that are there say together: a text, or what cannot be one; nothing without any.
std::optional<Cell> EventAssembler::join_time_parts() {
  std::string joined;
  std::optional<Cell> text;
  for (const std::optional<Cell>& part : time_parts_) {
    if (!part) {
      continue;
    }
    joined += joined.empty() ? "" : " ";
    if (part->kind == CellKind::kLong) {
      append_int(joined, part->integer);
    } else if (part->kind == CellKind::kText || part->kind == CellKind::kRawText) {
      joined += part->view();
    } else {
      return part;
    }
    text = *part;
  }
  if (std::string unix_time = read_seconds_and_rest(time_parts_); !unix_time.empty()) {
    joined = rules_->layout ? joined : std::move(unix_time);
  }
  if (text) {
    char* const copy = scratch(joined.size());
    const NodeId node = text->node;
    text = Cell::of_text(CellKind::kText, {copy, joined.copy(copy, joined.size())});
    text->node = node;
  }
  return text;
}

void EventAssembler::finish_time(std::int64_t receipt_ns, std::int64_t from_ns) {
  time_ns_ = given_time_ns_.value_or(receipt_ns);
  const std::optional<Cell> group_time = take_group_time();
  const bool in_parts = !named_time_;
  if (in_parts) {
    named_time_ = join_time_parts();
  }
  const std::optional<Cell>& cell = group_time    ? group_time
                                    : named_time_ ? named_time_
                                                  : default_time_;
  timed_ = cell.has_value() || given_time_ns_.has_value();
  if (!cell) {
    return;
  }
  // A layout speaks of the named field, or of `_time` when none is named.
  const bool named = !group_time && (named_time_ || rules_->timestamp_field.empty());
  if (const auto time = rules_->read_time(*cell, named, from_ns)) {
    time_ns_ = long_reals_.time_of(*cell).value_or(*time);
    return;
  }
  const bool joined = in_parts && named_time_ && !group_time;
  const std::string field = joined ? rules_->timestamp_field : name_of(cell->node);
  const bool is_text = cell->kind == CellKind::kText || cell->kind == CellKind::kRawText;
  if (is_distant_time(*cell)) {
    fail(distant_time_reason(field, is_text ? cell->view() : std::string_view()));
    return;
  }
  fail(is_text ? unread_time_reason(field, cell->view()) : unread_time_reason(field));
}

void EventAssembler::admit_new_columns() {
  for (const NodeId id : unadmitted_) {
    Node& node = nodes_[id];
    if (!rules_->admission->admit(column_names_[node.column])) {
      fail("the dataset would have more than " + std::to_string(kDatasetFieldsMax) +
           " fields with '" + column_names_[node.column] + "'");
      return;
    }
    node.traits &= static_cast<std::uint16_t>(~unsigned{kUnadmitted});
  }
}

}  // namespace evq
