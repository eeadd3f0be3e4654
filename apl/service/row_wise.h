#pragma once
// Which queries can be answered a few events at a time: those that look at one dataset and at each
// event alone, so that the answers of any parts of it, put together, are the answer of the whole.
// Followers and exports rest on this. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>

#include "store/base/result.h"

namespace evq {

struct RowWiseForm {
  bool expanding = false;   // an event may become several rows
  bool subqueries = false;  // an expression may hold a table, which every part reads whole
};

// Returns the dataset of such a query; nullopt for others; kCompile for what does not parse.
Result<std::optional<std::string>> row_wise_dataset(std::string_view apl, const RowWiseForm& form);

// Finds the name of the first operator that rules this out; nullopt when something else does.
Result<std::optional<Span>> other_operator(std::string_view apl, const RowWiseForm& form);

}  // namespace evq
