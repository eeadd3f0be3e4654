#pragma once
// The cursors of one request: where its page begins, where the rows of the answer come from, and
// whether pages of the query are the whole answer cut up.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "apl/plan/bind.h"
#include "apl/service/request.h"
#include "apl/service/snapshot_tables.h"
#include "apl/syntax/ast.h"

namespace evq {

class PageCursors {
 public:
  PageCursors(const QueryRequest& request, SnapshotTables& tables)
      : request_(request), tables_(tables) {}

  // Returns where the page begins; nullopt without a cursor, and where arrivals() tell it. kUsage
  // for a text that is no cursor.
  Result<std::optional<plan::CursorBound>> bound(const ast::Query& query);
  // The arrivals that the page is of; once bound() has read the cursor.
  ArrivalRange arrivals() const;
  // Checks the plan as it was bound, and may make it give a row beyond the page. kUsage when the
  // request goes on at a cursor and the query cannot be paged, or reads other datasets.
  Status settle(plan::Plan* plan);

  struct Part {
    Chunk rows;                      // of the page: the last part may have one less
    std::vector<RowOrigin> origins;  // one a row in API answers of events, or none
  };
  // Takes the next rows of the plan, whose columns are `schema`. kUsage when the page would end
  // among the rows of one event and a cursor asked for it.
  Result<Part> take(const Schema& schema, const Chunk& rows);
  // Sets the cursors of the oldest and newest row of the page; of the request where it has no rows.
  void fill(QueryStatus* status) const;

 private:
  bool goes_by_arrival() const;
  Status check_dataset(const plan::Plan& plan) const;
  Result<std::vector<RowOrigin>> origins_of(const Schema& schema, const Chunk& rows);
  Result<RowLocator*> locator_of(std::uint64_t handle);

  const QueryRequest& request_;
  SnapshotTables& tables_;
  std::optional<RowId> cursor_;  // the request's
  bool descending_ = true;
  std::string_view obstacle_;  // why there are no cursors; empty: there are
  std::vector<std::string> row_datasets_;
  std::uint64_t dataset_ = 0;               // handle for cursors when one dataset gives the rows
  std::optional<std::uint64_t> page_rows_;  // rows of the page, if the plan gives one more
  std::uint64_t taken_ = 0;
  std::optional<RowId> last_;                     // of the rows taken
  bool unplaced_ = false;                         // some row of the answer has no cursor
  std::map<std::uint64_t, RowLocator> locators_;  // of the answer's rows, by handle
  std::optional<RowId> min_row_;
  std::optional<RowId> max_row_;
};

}  // namespace evq
