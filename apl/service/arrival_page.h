#pragma once
// Pages by arrival, for whoever watches a dataset: what was committed after the cursor's row,
// whatever its time, so that events come once each. Pages by time pass over an event that becomes
// visible behind the cursor: one of an old time, and one whose request was received before another
// and committed after it.

#include "apl/service/service.h"

namespace evq {

// Runs a query of events of one dataset that QueryRequest::by_arrival is set for. The rows of a
// page come in the order of arrival, and its last row is the cursor of the next page. There are at
// most `request.limit`, `default_limit` or `rows_max`, one of which must be given; a page may have
// fewer while others follow it, but none only where there are no more. Errors as Service::query.
Status query_by_arrival(Service& service, const QueryRequest& request, ResultSink& sink);

}  // namespace evq
