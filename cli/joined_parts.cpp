#include "cli/joined_parts.h"

#include <algorithm>
#include <utility>

#include "store/base/control.h"

namespace evq {

Status JoinedParts::begin(const ResultHeader& header) {
  sources_.clear();
  if (!begun_) {
    begun_ = true;
    header_ = header;
    EVQ_TRY(next_.begin(header));
  }
  for (const Field& column : header_.schema.fields()) {
    const std::optional<std::size_t> source = header.schema.find(column.name);
    if (typed_ && source.has_value() && header.schema[*source].type != column.type) {
      return make_error(ErrorCode::kUnavailable,
                        "the type of '" + column.name + "' changed on the way", "try again");
    }
    sources_.push_back(source);
  }
  return Status::success();
}

Status JoinedParts::push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) {
  std::vector<Vector> columns;
  columns.reserve(header_.schema.size());
  for (std::size_t i = 0; i < header_.schema.size(); ++i) {
    columns.push_back(sources_[i].has_value()
                          ? rows.column(*sources_[i])
                          : Vector::constant(Value::null(header_.schema[i].type), rows.rows()));
  }
  return next_.push(Chunk(std::move(columns), rows.rows()), {});
}

Status JoinedParts::end(const QueryStatus& status) {
  last_ = status;
  status_.elapsed_us += status.elapsed_us;
  status_.rows += status.rows;
  status_.rows_examined += status.rows_examined;
  status_.rows_matched = std::max(status_.rows_matched, status.rows_matched);
  status_.blocks_total = std::max(status_.blocks_total, status.blocks_total);
  status_.blocks_examined += status.blocks_examined;
  status_.blocks_matched += status.blocks_matched;
  return Status::success();
}

Status query_in_pages(QueryTarget& target, const std::string& dataset, const QueryRequest& request,
                      ResultSink& sink, const std::function<Status()>& between) {
  QueryRequest page = request;
  EVQ_TRY_ASSIGN(const auto end, target.arrival_end(dataset));
  page.arrivals.before = end.has_value() ? end->end : UINT64_MAX;
  page.now_ns = request.now_ns.value_or(wall_clock_now_ns());  // one now for all pages
  page.default_limit.reset();
  page.api_form = true;
  JoinedParts parts(sink, false);
  std::uint64_t wanted = request.limit.value_or(UINT64_MAX);
  do {
    page.limit = std::min(wanted, target.part_events_max());
    EVQ_TRY(target.query(page, parts));
    EVQ_TRY(between());
    wanted -= parts.last().rows;
    page.cursor = parts.last().min_cursor;
  } while (wanted > 0 && parts.last().rows >= *page.limit && !page.cursor->empty());
  return parts.finish();
}

}  // namespace evq
