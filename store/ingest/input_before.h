#pragma once
// InputBefore: the parser's state at an offset inside an input, for a reader that begins there, as
// one does that follows a log: what the bytes before decided for all that comes. PieceCutter makes
// and takes it. A plain struct; nothing here fails.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "store/base/time_parse.h"
#include "store/ingest/csv_value.h"

namespace evq {

struct W3cHeader;

struct InputBefore {
  std::uint64_t bytes = 0;  // of the input
  bool has_events = false;  // there may be some among them
  std::vector<CsvColumn> csv_columns;
  // For logs:
  std::optional<std::int64_t> time;             // of the last line
  std::optional<DateOrder> date_order;          // once a date has told it
  std::shared_ptr<const W3cHeader> w3c_header;  // in force at the place, or null
};

}  // namespace evq
