#pragma once
// Whether pages by cursor are an answer cut up: a cursor names an event, and a page goes on beyond
// it by `_time` and, among events of one time, by arrival. Told by the plan as it was bound. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "apl/plan/plan.h"

namespace evq::plan {

struct PageOrder {
  // Why pages are impossible: what the query does, as "it sorts by k". Empty: they are possible.
  std::string_view obstacle;
  bool descending = true;  // towards older events
  // Whether one event may give several rows, so that a page may end among them.
  bool repeats = false;
};

// Finds the order of an answer of events, not of one that is aggregated.
PageOrder page_order(const Node& root);

// Raises the limit that ends the plan by one row, to show whether the page ends among rows of one
// event. Returns the limit before; nullopt, with nothing changed, where no limit ends the plan.
std::optional<std::uint64_t> look_beyond_page(Node* root);

}  // namespace evq::plan
