#pragma once
// Where a verb's queries go: the local store, or a server. A target answers in the same terms
// either way, so that output forms, following and exports are written once.
// One thread at a time.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apl/service/service.h"
#include "cli/options.h"

namespace evq {

class QueryTarget {
 public:
  virtual ~QueryTarget() = default;
  virtual Status query(const QueryRequest& request, ResultSink& sink) = 0;
  // kUnsupported where a server does not tell.
  virtual Result<std::string> explain(const QueryRequest& request) = 0;
  // Events that one query may be asked for at once, so that its answer fits.
  virtual std::uint64_t part_events_max() const = 0;
  // Service::arrival_end; nothing where a server does not tell, and for a dataset that is not
  // there: a query says that best.
  virtual Result<std::optional<std::uint64_t>> arrival_end(const std::string& dataset) = 0;
};

// Over a service that outlives the target.
std::unique_ptr<QueryTarget> local_target(Service& service);
// The store or server that the global options name.
Result<std::unique_ptr<QueryTarget>> open_query_target(const GlobalOptions& global);

}  // namespace evq
