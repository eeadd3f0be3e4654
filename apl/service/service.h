#pragma once
// Service: the operations that the command line and HTTP share, over one store. It compiles and
// runs queries, deletes, and lends the store for everything that needs no query (definitions,
// loads, upkeep). Callers give plain requests and get plain answers (request.h); nothing of a
// plan or of the executor is visible here.
//
// Any thread may call any method. A query pins a snapshot of each dataset it reads for as long as
// it runs. The sink gets rows as they come where their order allows it, and all of them at the end
// where it does not; one whose taker may be slow keeps them until the snapshots are gone.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/request.h"
#include "store/store.h"

namespace evq {

// The files and addresses that externaldata may read.
struct ExternalAccess {
  bool any = false;                   // everything this process may
  std::vector<std::string> prefixes;  // or what lies in these directories and below these addresses
  // Fetches an http(s) address, up to `bytes_max`, following redirects or not, and ends when the
  // control says so. Empty: no address can be read.
  std::function<Result<std::string>(const std::string& address, std::size_t bytes_max,
                                    bool may_redirect, const QueryControl& control)>
      fetch;
};

struct ServiceOptions {
  std::string store_directory;
  bool create_store = true;
  std::size_t cache_bytes = 0;        // decoded segments kept between queries; 0: none
  std::size_t cache_bytes_grown = 0;  // what that may grow to with large datasets
  std::size_t workers = 0;            // threads a query may use; 0: one a processor
  std::uint32_t block_rows = 65536;
  std::size_t memory_limit_bytes = 0;  // of one query; 0: kQueryMemoryBytesDefault
  std::size_t memory_total_bytes = 0;  // of all queries together; 0: no limit
  std::int64_t timeout_ms = 0;         // of one query; 0: none
  // True when somebody calls Store::maintain regularly (a server).
  bool background_upkeep = false;
  bool scratch_store = false;  // of StoreOptions::scratch: nothing of it outlives a crash
  ExternalAccess external;
  std::string geo_database;  // path of an .mmdb file; empty: none
};

class Service {
 public:
  static Result<std::unique_ptr<Service>> open(const ServiceOptions& options);
  ~Service();

  // Compiles and runs a query. Errors before the first row come back as the status; so do later
  // ones, and then the sink has not seen end().
  Status query(const QueryRequest& request, ResultSink& sink);
  // Returns where a dataset's arrivals end now: later events arrive at this number or a higher one.
  Result<std::uint64_t> arrival_end(std::string_view dataset);
  // Returns the optimised plan as text.
  Result<std::string> explain(const QueryRequest& request);
  // Runs the query, drops its answer, and gives the plan with the rows that each node made and the
  // time that threads spent in it.
  Result<std::string> profile(const QueryRequest& request);
  // Deletes events. kCorrupt when blocks were left alone because damage kept them from being read:
  // those that could be are deleted all the same, and the message says how much that is.
  Result<DeleteResponse> remove(const DeleteRequest& request);

  Store& store();

 private:
  struct State;
  explicit Service(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace evq
