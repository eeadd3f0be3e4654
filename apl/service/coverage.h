#pragma once
// Measures the language against its inventory: an entry counts as working when its row is there and
// the first example of the row, a whole query, binds and runs to its end.

#include <string>
#include <string_view>
#include <vector>

#include "apl/service/inventory.h"
#include "apl/service/service.h"

namespace evq {

struct Coverage {
  struct Missing {
    std::string_view entry;
    std::string reason;
  };
  struct Row {
    const InventoryKind* kind = nullptr;
    std::vector<Missing> missing;
    std::size_t total() const { return kind->entries.size(); }
    std::size_t working() const { return total() - missing.size(); }
  };
  std::vector<Row> rows;

  std::size_t total() const;
  std::size_t working() const;
  // Writes a table by kind, and what is missing.
  std::string text() const;
};

// Measures `service`, which must allow externaldata; its example reads a file put in `directory`.
Result<Coverage> measure_coverage(Service& service, const std::string& directory);

}  // namespace evq
