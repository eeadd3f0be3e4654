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
#include "store/base/control.h"
#include "store/base/memory_budget.h"

namespace evq {

class ExternalData final : public plan::ExternalReader {
 public:
  // `access` and `control`, which ends what takes long, must outlive the reader.
  ExternalData(const ExternalAccess& access, MemoryBudget* budget, const QueryControl& control);

  Result<Table> read(const plan::ExternalRequest& request) override;

 private:
  // Reads what is there, decompressed. `lease`, which holds nothing yet, is charged for it.
  Result<std::string> bytes_of(const std::string& location, MemoryLease* lease) const;

  const ExternalAccess& access_;
  MemoryBudget* const budget_;
  const QueryControl& control_;
  MemoryLease lease_;  // of the tables
};

// Whether `location` lies below one of `prefixes`: a path in that directory (links followed), or
// an address that goes on after the prefix without leaving its host or directory.
bool is_below(const std::string& location, const std::vector<std::string>& prefixes);

}  // namespace evq
