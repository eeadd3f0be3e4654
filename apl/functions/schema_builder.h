#pragma once
// SchemaNode: the types that a place in dynamic values has been seen to hold. Nodes form a tree
// along bag keys and array elements; adding and merging commute as long as no bag has more than
// kKeysMax different keys. Of those the first in order stay, so that data whose keys are values
// cannot grow the tree without end. The thread's AllocationMeter, where there is one, is charged
// for nodes as they come: adding and merging fail as allocations do.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "store/column/dynamic.h"

namespace evq {

class SchemaNode {
 public:
  // Limit of the keys of one bag.
  static constexpr std::size_t kKeysMax = 10000;

  void add(DynamicView value);
  void merge(const SchemaNode& other);
  // Writes one value: a type name, a bag, or an array of alternatives; null for nothing seen.
  void write(DynamicBuilder* out) const;

  std::size_t size_bytes() const;

 private:
  std::size_t alternatives() const;
  SchemaNode* child(std::string_view key);
  SchemaNode* element();

  std::uint32_t scalars_ = 0;  // a bit for each Type
  bool bag_ = false;
  bool array_ = false;
  std::map<std::string, std::unique_ptr<SchemaNode>, std::less<>> keys_;
  std::unique_ptr<SchemaNode> element_;
};

}  // namespace evq
