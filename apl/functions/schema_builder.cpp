// Merging of observed types, and the form in which buildschema() shows them.

#include "apl/functions/schema_builder.h"

#include <bit>

#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// What KQL calls the elements of an array.
constexpr std::string_view kIndexer = "`indexer`";
// Of a map's node and a key's text, beside the node of the tree.
constexpr std::size_t kKeyBytes = 64;

}  // namespace

SchemaNode* SchemaNode::child(std::string_view key) {
  auto at = keys_.find(key);
  if (at == keys_.end()) {
    at = keys_.emplace(std::string(key), std::make_unique<SchemaNode>()).first;
    if (keys_.size() > kKeysMax) {
      const auto last = std::prev(keys_.end());
      const bool refused = last == at;
      keys_.erase(last);
      return refused ? nullptr : at->second.get();
    }
    AllocationMeter::charge(key.size() + kKeyBytes + sizeof(SchemaNode));
  }
  return at->second.get();
}

SchemaNode* SchemaNode::element() {
  if (element_ == nullptr) {
    AllocationMeter::charge(sizeof(SchemaNode));
    element_ = std::make_unique<SchemaNode>();
  }
  return element_.get();
}

// As deep as the value, which kDynamicDepthMax bounds.
void SchemaNode::add(DynamicView value) {
  if (value.is_null()) {
    return;
  }
  DynamicView::Iterator entries(value);
  if (value.is_bag()) {
    bag_ = true;
    while (entries.next()) {
      if (SchemaNode* node = child(entries.key())) {
        node->add(entries.value());
      }
    }
  } else if (value.is_array()) {
    array_ = true;
    while (entries.next()) {
      element()->add(entries.value());
    }
  } else {
    scalars_ |= 1U << static_cast<unsigned>(value.type());
  }
}

void SchemaNode::merge(const SchemaNode& other) {
  scalars_ |= other.scalars_;
  bag_ = bag_ || other.bag_;
  array_ = array_ || other.array_;
  for (const auto& [key, node] : other.keys_) {
    if (SchemaNode* mine = child(key)) {
      mine->merge(*node);
    }
  }
  if (other.element_ != nullptr) {
    element()->merge(*other.element_);
  }
}

std::size_t SchemaNode::alternatives() const {
  return static_cast<std::size_t>(std::popcount(scalars_)) + (bag_ ? 1 : 0) + (array_ ? 1 : 0);
}

void SchemaNode::write(DynamicBuilder* out) const {
  const std::size_t count = alternatives();
  if (count == 0) {
    out->add_null();
    return;
  }
  if (count > 1) {
    out->begin_array();
  }
  for (unsigned type = 0; type < kTypeCount; ++type) {
    if (((scalars_ >> type) & 1U) != 0) {
      out->add_string(type_name(static_cast<Type>(type)));
    }
  }
  if (bag_) {
    out->begin_bag();
    for (const auto& [key, node] : keys_) {
      out->key(key);
      node->write(out);
    }
    out->end_bag();
  }
  if (array_) {
    out->begin_bag();
    out->key(kIndexer);
    if (element_ == nullptr) {
      out->add_null();
    } else {
      element_->write(out);
    }
    out->end_bag();
  }
  if (count > 1) {
    out->end_array();
  }
}

std::size_t SchemaNode::size_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, node] : keys_) {
    bytes += key.size() + kKeyBytes + sizeof(SchemaNode) + node->size_bytes();
  }
  return bytes + (element_ == nullptr ? 0 : sizeof(SchemaNode) + element_->size_bytes());
}

}  // namespace evq
