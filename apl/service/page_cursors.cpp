#include "apl/service/page_cursors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apl/plan/dataset_location.h"
#include "apl/plan/page_order.h"
#include "apl/service/reading_order.h"
#include "store/base/check.h"

namespace evq {
namespace {

constexpr std::string_view kOtherWay = "its order is not that of _time alone";
constexpr std::string_view kCutInside = "its page would end among the rows of one event";

Error not_paged(std::string_view why) {
  return make_error(ErrorCode::kUsage, "this query cannot go on at a cursor: " + std::string(why),
                    "cursors page events that are sorted by _time, asc or desc, and by nothing "
                    "else; other orders are paged by startTime and endTime");
}

}  // namespace

Result<std::optional<plan::CursorBound>> PageCursors::bound(const ast::Query& query) {
  descending_ = reads_descending(query, !request_.ascending);
  if (request_.cursor.value_or("").empty()) {
    return std::optional<plan::CursorBound>();
  }
  EVQ_TRY_ASSIGN(cursor_, read_cursor(*request_.cursor));
  if (goes_by_arrival()) {
    return std::optional<plan::CursorBound>();
  }
  return std::optional(
      plan::CursorBound{cursor_->time, cursor_->ordinal, descending_, request_.include_cursor});
}

// A cursor that cursor_current() gave is a time and no row.
bool PageCursors::goes_by_arrival() const {
  return request_.by_arrival && cursor_.has_value() && encode_cursor(*cursor_) != *request_.cursor;
}

ArrivalRange PageCursors::arrivals() const {
  ArrivalRange range = request_.arrivals;
  if (goes_by_arrival()) {
    range.from = std::max(range.from, cursor_->ordinal + (request_.include_cursor ? 0 : 1));
  }
  return range;
}

Status PageCursors::settle(plan::Plan* plan) {
  row_datasets_ = plan->row_datasets;
  dataset_ = row_datasets_.size() == 1 ? tables_.handle_of(row_datasets_[0]) : 0;
  if (!plan->aggregated) {
    const plan::PageOrder order = plan::page_order(*plan->root);
    obstacle_ = order.obstacle;
    if (obstacle_.empty() && order.descending != descending_) {
      obstacle_ = kOtherWay;
    }
    if (obstacle_.empty() && order.repeats && request_.api_form) {
      page_rows_ = plan::look_beyond_page(plan->root.get());
      obstacle_ = page_rows_.has_value() ? obstacle_ : kCutInside;
    }
    if (cursor_.has_value() && request_.pages && !obstacle_.empty()) {
      return not_paged(obstacle_);
    }
  }
  if (plan->aggregated && cursor_.has_value() && request_.pages) {
    return not_paged("its rows are made of many events");
  }
  return cursor_.has_value() ? check_dataset(*plan) : Status();
}

Status PageCursors::check_dataset(const plan::Plan& plan) const {
  const std::uint64_t handle = cursor_->ordinal >> kOrdinalBits;
  const auto is_of = [&](std::uint64_t dataset) {
    return encode_cursor(*cursor_, dataset) == *request_.cursor;
  };
  const bool of_no_row = cursor_->ordinal == 0 || plan.row_datasets.empty();  // cursor_current()
  const bool in_union = plan.row_datasets.size() > 1 && handle != 0 &&
                        std::ranges::any_of(plan.row_datasets, [&](const std::string& dataset) {
                          return tables_.handle_of(dataset) == handle;
                        });
  if (is_of(0) ? of_no_row || in_union : dataset_ != 0 && is_of(dataset_)) {
    return {};
  }
  return make_error(
      ErrorCode::kUsage, "the cursor is not one that evq gave out for this query",
      "cursors of a dataset, of another one and of their union are not one another's");
}

Result<PageCursors::Part> PageCursors::take(const Schema& schema, const Chunk& rows) {
  EVQ_TRY_ASSIGN(std::vector<RowOrigin> origins, origins_of(schema, rows));
  if (unplaced_ && cursor_.has_value() && request_.pages) {
    return not_paged("its rows are no events of a dataset");
  }
  const std::uint64_t left = page_rows_.value_or(UINT64_MAX) - taken_;
  const std::size_t kept = std::min<std::uint64_t>(rows.rows(), left);
  if (kept < origins.size()) {
    const std::optional<RowId> last = kept > 0 ? origins[kept - 1].id : last_;
    if (last == origins[kept].id) {
      if (cursor_.has_value() && request_.pages) {
        return not_paged(kCutInside);
      }
      obstacle_ = kCutInside;
    }
    origins.resize(kept);
  }
  for (const RowOrigin& origin : origins) {
    min_row_ = std::min(origin.id, min_row_.value_or(origin.id));
    max_row_ = std::max(origin.id, max_row_.value_or(origin.id));
    last_ = origin.id;
  }
  taken_ += kept;
  return Part{kept == rows.rows() ? rows : rows.slice(0, kept), std::move(origins)};
}

// Where the rows come from, in API answers.
Result<std::vector<RowOrigin>> PageCursors::origins_of(const Schema& schema, const Chunk& rows) {
  std::vector<RowOrigin> origins;
  const auto time = schema.find(plan::kTimeColumn);
  const auto row = schema.find(plan::kRowColumn);
  if (!request_.api_form || !time.has_value() || !row.has_value() || unplaced_) {
    return origins;
  }
  EVQ_CHECK(schema[*time].type == Type::kDatetime && schema[*row].type == Type::kLong);
  const Vector& times = rows.column(*time);
  const Vector& locations = rows.column(*row);
  RowLocator* locator = nullptr;
  std::uint64_t located = 0;  // handle of the locator's dataset
  origins.reserve(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::uint64_t handle = plan::handle_of_location(locations.at<std::int64_t>(i));
    if (locator == nullptr || handle != located) {
      EVQ_TRY_ASSIGN(locator, locator_of(handle));
      located = handle;
    }
    if (locator == nullptr) {
      unplaced_ = true;
      return std::vector<RowOrigin>();
    }
    const std::int64_t location = plan::location_in_dataset(locations.at<std::int64_t>(i));
    RowOrigin origin;
    EVQ_TRY_ASSIGN(origin.id, locator->id(times.at<std::int64_t>(i), location));
    if (request_.system_times) {
      EVQ_TRY_ASSIGN(origin.sys_time, locator->system_time(location));
    }
    origin.id.ordinal |= handle << kOrdinalBits;
    origin.dataset = handle == 0 ? dataset_ : 0;
    origins.push_back(origin);
  }
  return origins;
}

// Of the only dataset that gives rows, or of a union's dataset by its handle; null when rows
// cannot be told apart.
Result<RowLocator*> PageCursors::locator_of(std::uint64_t handle) {
  const auto known = locators_.find(handle);
  if (known != locators_.end()) {
    return &known->second;
  }
  const Snapshot* snapshot = handle != 0 ? tables_.snapshot_of_handle(handle) : nullptr;
  if (handle == 0 && row_datasets_.size() == 1) {
    EVQ_TRY_ASSIGN(snapshot, tables_.snapshot({row_datasets_[0], 0}));
  }
  return snapshot == nullptr ? nullptr : &locators_.try_emplace(handle, *snapshot).first->second;
}

void PageCursors::fill(QueryStatus* status) const {
  const bool placed = obstacle_.empty() && !unplaced_;
  const auto text = [&](const std::optional<RowId>& row) {
    const bool in_union = row.has_value() && row->ordinal >> kOrdinalBits != 0;
    return row.has_value() && placed ? encode_cursor(*row, in_union ? 0 : dataset_)
                                     : request_.cursor.value_or("");
  };
  status->min_cursor = text(min_row_);
  status->max_cursor = text(max_row_);
}

}  // namespace evq
