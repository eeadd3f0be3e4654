#pragma once
// Whether pages by cursor are an answer cut up: a cursor names an event, and a page goes on beyond
// it by `_time` and, among events of one time, by arrival. Told by the plan as it was bound. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "apl/plan/plan.h"

namespace evq::plan {

struct PageOrder {
  // Why it cannot be: what the query does, as "it sorts by k". Empty: it can.
  std::string_view obstacle;
  bool descending = true;  // towards older events
  // One event may come in several rows, so that a page may end among them.
  bool repeats = false;
};

// Of an answer of events, not of one that is aggregated.
PageOrder page_order(const Node& root);

// Has the page give one row more, for who looks whether it ends among the rows of one event. How
// many rows it has without that; nothing where no limit ends the plan, and nothing is changed.
std::optional<std::uint64_t> look_beyond_page(Node* root);

}  // namespace evq::plan
