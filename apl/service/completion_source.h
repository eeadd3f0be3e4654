#pragma once
// CompletionSource: what a completer asks about data: the names of datasets, their fields, and
// samples of values. A store is one; a server behind HTTP is another. One thread at a time. Asked
// while somebody waits with a finger on a key: an implementation answers soon or fails.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apl/service/request.h"

namespace evq {

class Service;

// The fields of a dataset as binding a query sees them.
struct CompletionTable {
  Schema schema;  // _sysTime, _time, then fields by name
  std::vector<std::string> map_fields;
  std::vector<std::pair<std::string, std::string>> virtual_fields;  // name, expression
};

class CompletionSource {
 public:
  virtual ~CompletionSource() = default;
  // Returns all names in byte order.
  virtual Result<std::vector<std::string>> dataset_names() = 0;
  virtual Result<CompletionTable> table(const std::string& dataset) = 0;
  virtual Status query(const QueryRequest& request, ResultSink& sink) = 0;
  // Nanoseconds that names and fields may be cached before they are asked for again.
  virtual std::int64_t believed_for_ns() const = 0;
};

// Makes a source over a service that outlives it. `may_read` says which datasets exist for the
// caller; empty: all.
std::unique_ptr<CompletionSource> store_completion_source(
    Service& service, std::function<bool(const std::string&)> may_read = {});

}  // namespace evq
