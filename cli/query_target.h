#pragma once
// Where a verb's queries go: the local store, or a server. A target answers in the same terms
// either way, so that output forms, following, exports and the prompt are written once.
// One thread at a time; a query may run on another thread than the one that asks for it, while that
// one waits.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/completion.h"
#include "apl/service/completion_source.h"
#include "apl/service/display_zone.h"
#include "apl/service/result_writer.h"
#include "apl/service/service.h"
#include "cli/observed_sink.h"
#include "cli/options.h"
#include "store/definitions.h"

namespace evq {

// The end of a dataset's arrivals now, and which dataset that is: one that was deleted and made
// again has another number. 0 where a server tells none.
struct ArrivalEnd {
  std::uint64_t end = 0;  // Service::arrival_end
  std::uint64_t dataset = 0;
};

class QueryTarget {
 public:
  virtual ~QueryTarget() = default;
  virtual Status query(const QueryRequest& request, ResultSink& sink) = 0;
  // Returns the plan as text; kUnsupported where a server does not tell.
  virtual Result<std::string> explain(const QueryRequest& request) = 0;
  // Runs the query and tells what each part of its plan cost; kUnsupported as well.
  virtual Result<std::string> profile(const QueryRequest& request) = 0;
  // Returns how many events one query may be asked for at once, so that its answer fits.
  virtual std::uint64_t part_events_max() const = 0;
  // Whether an answer of more events lacks some: then it pays to read what a subquery reads again
  // for every part.
  virtual bool caps_answers() const = 0;
  // Returns the answer in a form of the API as a server writes it; nullopt: it is written here.
  virtual Result<std::optional<std::string>> api_answer(const QueryRequest& request,
                                                        const std::string& form) = 0;
  // Finds the end of arrivals; nullopt where a server does not tell, and for a dataset that is not
  // there: a query says that best.
  virtual Result<std::optional<ArrivalEnd>> arrival_end(const std::string& dataset) = 0;

  // ---- for a prompt
  virtual Result<std::vector<std::string>> dataset_names() = 0;
  // Lists what there is, for people: counts and times of all datasets; a dataset's fields.
  virtual Result<std::string> datasets_table(const DisplayZone& zone) = 0;
  virtual Result<std::string> fields_table(const std::string& dataset) = 0;
  virtual Result<std::vector<StoredObject>> saved_queries() = 0;
  virtual Result<StoredObject> saved_query(const std::string& id) = 0;
  // Finds what may stand at a place of a query.
  virtual CompletionAnswer complete(std::string_view text, std::size_t cursor) = 0;
  // Finds the mistake in a query that is still being typed (apl/service/typed_mistake.h); nullopt
  // where there is none, or a server would have to be asked.
  virtual std::optional<Error> mistake(std::string_view text) = 0;
  // Returns the source of completion, which lives as long as the target.
  virtual CompletionSource& completion() = 0;
};

// Makes a target over a service that outlives it.
std::unique_ptr<QueryTarget> local_target(Service& service);
// Opens the store or server that the global options name.
Result<std::unique_ptr<QueryTarget>> open_query_target(const GlobalOptions& global);
// Prints why there is none, for verbs that name a dataset; their exit status. That of a store that
// is not there is the one of a dataset that is not.
int report_no_target(const Error& error);
// The store in this directory, which must be there, for many queries.
Result<std::unique_ptr<QueryTarget>> open_store_target(const GlobalOptions& global,
                                                       const std::string& directory);

// Runs the query for an answer in `form`, which `sink` writes to `out`; what a server has written
// goes there as it is, and `sink` sees its status alone.
Status query_in_form(QueryTarget& target, const QueryRequest& request, const std::string& form,
                     ObservedSink& sink, const ByteSink& out);

}  // namespace evq
