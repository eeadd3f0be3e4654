// The engine has no order of arrival, but ranges of it. So a page is the range that begins behind
// the cursor and is short enough to hold no more rows than the page, sorted here. Mostly that is
// all that there is; behind a long backlog the range is halved until it fits.

#include "apl/service/arrival_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "store/base/check.h"

namespace evq {
namespace {

// Keeps the rows of a page and puts them in the order of arrival.
class ArrivedRows final : public ResultSink {
 public:
  Status begin(const ResultHeader& header) override {
    header_ = header;
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    if (origins.size() != rows.rows()) {
      return make_error(ErrorCode::kUsage, "the rows of this query are no events of a dataset");
    }
    for (std::size_t row = 0; row < origins.size(); ++row) {
      places_.push_back({origins[row], chunks_.size(), row});
    }
    chunks_.push_back(rows);
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    status_ = status;
    std::ranges::sort(places_, {}, [](const Place& place) { return place.origin.id.ordinal; });
    return Status::success();
  }

  std::size_t rows() const { return places_.size(); }
  std::uint64_t last_arrival() const { return places_.back().origin.id.ordinal; }

  // Rows that stand beside one another in their chunk go together.
  Status hand_on(ResultSink& sink) const {
    EVQ_TRY(sink.begin(header_));
    std::vector<RowOrigin> origins;
    for (std::size_t begin = 0; begin < places_.size(); begin += origins.size()) {
      const Place& first = places_[begin];
      origins.assign(1, first.origin);
      for (std::size_t i = begin + 1; i < places_.size(); ++i) {
        if (places_[i].chunk != first.chunk || places_[i].row != first.row + origins.size()) {
          break;
        }
        origins.push_back(places_[i].origin);
      }
      EVQ_TRY(sink.push(chunks_[first.chunk].slice(first.row, origins.size()), origins));
    }
    return sink.end(status_);
  }

 private:
  struct Place {
    RowOrigin origin;
    std::size_t chunk;
    std::size_t row;
  };

  ResultHeader header_;
  std::vector<Chunk> chunks_;
  std::vector<Place> places_;
  QueryStatus status_;
};

std::uint64_t rows_of_page(const QueryRequest& request) {
  const std::uint64_t rows_max = request.rows_max.value_or(UINT64_MAX);
  const auto asked = request.limit.has_value() ? request.limit : request.default_limit;
  EVQ_CHECK(asked.has_value() || request.rows_max.has_value());
  return std::max<std::uint64_t>(1, std::min(rows_max, asked.value_or(rows_max)));
}

// What a page may begin at; a cursor that is none is for the query to refuse.
std::uint64_t first_arrival(const QueryRequest& request) {
  const Result<RowId> row = read_cursor(request.cursor.value_or(""));
  return row.ok() ? std::max(request.arrivals.from, row->ordinal) : request.arrivals.from;
}

}  // namespace

Status query_by_arrival(Service& service, const QueryRequest& request, ResultSink& sink) {
  const std::uint64_t rows_max = rows_of_page(request);
  QueryRequest part = request;
  part.limit = rows_max + 1;  // one more than there is room for
  part.rows_max = part.limit;
  part.default_limit.reset();
  part.keeps_rows = true;
  part.arrivals.from = first_arrival(request);
  // Beyond every row of the page; as far as is known, more rows than it has room for lie before.
  std::uint64_t end = request.arrivals.before;
  while (true) {
    ArrivedRows rows;
    EVQ_TRY(service.query(part, rows));
    const bool is_all = part.arrivals.before == request.arrivals.before;
    if (rows.rows() <= rows_max && (rows.rows() > 0 || is_all)) {
      return rows.hand_on(sink);
    }
    if (rows.rows() == 0) {
      part.arrivals.from = std::exchange(part.arrivals.before, end);
    } else {
      end = std::min(part.arrivals.before, rows.last_arrival() + 1);
    }
    const std::uint64_t from = part.arrivals.from;
    if (end <= from) {  // they were deleted meanwhile
      part.arrivals.before = request.arrivals.before;
    } else {
      part.arrivals.before = from + std::max<std::uint64_t>(1, (end - from) / 2);
    }
  }
}

}  // namespace evq
