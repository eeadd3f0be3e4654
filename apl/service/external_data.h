#pragma once
// ExternalData: reads what externaldata names, files and addresses, and cuts it into rows. Who may
// name what is decided here, once for every caller: on the command line anything the user may
// read; in a server only locations below the prefixes its operator gave, for there the reader is
// somebody else. Lives as long as one query.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/plan/bind.h"
#include "apl/service/service.h"
#include "store/base/memory_budget.h"

namespace evq {

class ExternalData final : public plan::ExternalReader {
 public:
  // `access` must outlive the reader.
  ExternalData(const ExternalAccess& access, MemoryBudget* budget)
      : access_(access), lease_(budget, "externaldata") {}

  Result<Table> read(const plan::ExternalRequest& request) override;

 private:
  Result<std::string> bytes_of(const std::string& location) const;

  const ExternalAccess& access_;
  MemoryLease lease_;
};

// Whether `location` lies below one of `prefixes`: a path in that directory (links followed), or
// an address that goes on after the prefix without leaving its host or directory.
bool is_below(const std::string& location, const std::vector<std::string>& prefixes);

// The records of delimited text, each a list of cells; RFC 4180 quoting. A line end within quotes
// belongs to the cell.
std::vector<std::vector<std::string>> split_records(std::string_view text, char delimiter);

// The top-level JSON values of `text`, one after the other, in an array or not; kData with the line
// of the first that is none.
Result<std::vector<std::string>> split_json(std::string_view text);

}  // namespace evq
