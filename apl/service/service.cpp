#include "apl/service/service.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/whole_input.h"
#include "apl/functions/geo_database.h"
#include "apl/functions/registry.h"
#include "apl/plan/bind.h"
#include "apl/plan/optimizer.h"
#include "apl/plan/plan_printer.h"
#include "apl/service/answer_rows.h"
#include "apl/service/delete_filter.h"
#include "apl/service/external_data.h"
#include "apl/service/given_time.h"
#include "apl/service/page_cursors.h"
#include "apl/service/profile_text.h"
#include "apl/service/result_writer.h"
#include "apl/service/snapshot_tables.h"
#include "apl/service/totals.h"
#include "apl/syntax/parser.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/base/time_parse.h"
#include "store/block/format.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// Times that a delete is made anew for fields whose types changed before it was done.
constexpr int kDeleteAttemptsMax = 5;

// Runs the subqueries that binding needs the values of, within the query's own limits.
class Subqueries final : public plan::SubqueryRunner {
 public:
  Subqueries(Executor& executor, const plan::OptimizerOptions& options)
      : executor_(executor), options_(options) {}

  Result<Table> run(const plan::Node& node) override {
    plan::Plan plan;
    plan.root = plan::clone(node);
    EVQ_TRY(plan::optimize(&plan, executor_.context(), options_));
    EVQ_TRY_ASSIGN(WholeInput whole, collect_whole(executor_, *plan.root, "a subquery"));
    leases_.push_back(std::move(whole.lease));
    const std::size_t rows = whole.rows.rows();
    return Table{node.schema, std::move(whole.rows.columns()), rows};
  }

 private:
  std::vector<MemoryLease> leases_;  // for as long as the plan is bound
  Executor& executor_;
  const plan::OptimizerOptions& options_;
};

Result<std::int64_t> resolve_time(const std::optional<std::string>& text, std::int64_t now,
                                  std::int64_t unbounded, std::string_view name) {
  if (!text.has_value() || is_no_time(*text)) {
    return unbounded;
  }
  std::optional<std::int64_t> time = parse_relative_time(*text, now);
  if (!time.has_value()) {
    time = parse_given_time(*text);
  }
  if (!time.has_value()) {
    return make_error(ErrorCode::kUsage, std::string(name) + " '" + *text + "' is not a time",
                      "write RFC 3339 such as 2024-05-01T12:00:00Z, now, now-6h, or -7d");
  }
  return *time;
}

// Whether clients know an aggregate by this name: they refuse an answer with any other.
bool is_api_name(std::string_view name) {
  return std::ranges::any_of(all_aggregates(), [&](const AggregateFunction* row) {
    return !name.empty() && row->api_name == name;
  });
}

ResultHeader make_header(const plan::Plan& plan, const EvalContext& context,
                         const std::vector<std::size_t>& visible) {
  ResultHeader header;
  std::vector<Field> fields;
  for (const std::size_t column : visible) {
    fields.push_back(plan.root->schema[column]);
  }
  header.schema = Schema(std::move(fields));
  header.datasets = plan.datasets;
  header.range_start_ns = context.range_start_ns;
  header.range_end_ns = context.range_end_ns;
  for (const auto& [field, descending] : plan.order) {
    header.order.push_back({field, descending});
  }
  header.aggregated = plan.aggregated;
  header.group_names = plan.group_names;
  header.bin_ns = plan.bin_ns;
  header.bin_origin_ns = plan.bin_origin_ns;
  for (const plan::Plan::ColumnOrigin& origin : plan.origins) {
    header.origins.push_back({is_api_name(origin.aggregate) ? origin.aggregate : std::string(),
                              origin.fields, origin.args, !origin.aggregate.empty()});
  }
  if (plan.render.has_value()) {
    header.render_kind = plan.render->kind;
    header.render_properties = plan.render->properties;
  }
  header.warnings = plan.warnings;
  return header;
}

}  // namespace

struct Service::State {
  ServiceOptions options;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<Store> store;
  std::unique_ptr<MemoryBudget> memory;  // of all queries together
  std::unique_ptr<GeoDatabase> geo;      // null: none was named
};

namespace {

// Of a query that asks for so much, or for nothing in particular (0).
std::size_t memory_limit(const ServiceOptions& options, std::size_t asked_bytes) {
  return asked_bytes != 0                  ? asked_bytes
         : options.memory_limit_bytes != 0 ? options.memory_limit_bytes
                                           : kQueryMemoryBytesDefault;
}

// 2024 | count, 2024-05-01 | count: a dataset may have a name that reads as a value. The hint's
// example is that one then.
Error with_meant_dataset(Error error, std::string_view apl, SnapshotTables& tables) {
  constexpr std::string_view kExample = "['logs']";
  const std::size_t example = error.hint.find(kExample);
  if (!error.span.has_value() || example == std::string::npos) {
    return error;
  }
  const std::string_view rest = apl.substr(std::min<std::size_t>(error.span->begin, apl.size()));
  const auto* const end = std::ranges::find_if_not(
      rest, [](char c) { return is_letter_or_digit(c) || c == '_' || c == '.' || c == '-'; });
  const std::string name(rest.begin(), end);
  const auto datasets = tables.table_names();
  if (datasets.ok() && std::ranges::find(*datasets, name) != datasets->end()) {
    error.hint.replace(example, kExample.size(), syntax::bracket_name(name));
  }
  return error;
}

// One request while it runs.
class Session {
 public:
  Session(const QueryRequest& request, const ServiceOptions& options, Store& store,
          ThreadPool* pool, MemoryBudget* memory, const GeoDatabase* geo)
      : request_(request),
        own_control_(request.timeout_ms > 0 ? request.timeout_ms : options.timeout_ms),
        budget_(std::make_shared<MemoryBudget>(memory_limit(options, request.memory_limit_bytes),
                                               memory)),
        store_(store),
        external_(options.external, budget_.get(),
                  request.control != nullptr ? *request.control : own_control_),
        held_(budget_.get(), "the plan"),
        external_allowed_(options.external.any || !options.external.prefixes.empty()),
        tables_(store, request.may_read,
                request.control != nullptr ? request.control : &own_control_),
        pages_(request, tables_) {
    exec_.workers = options.workers;
    exec_.pool = pool;
    exec_.budget = budget_.get();
    exec_.control = request.control != nullptr ? request.control : &own_control_;
    exec_.exact_matches = request.exact_matches;
    exec_.force_flat = request.force_flat;
    exec_.force_parts = request.force_parts;
    exec_.rows_at_once = request.rows_at_once;
    exec_.join_left_rows = request.join_left_rows;
    optimizer_.enabled = request.optimize;
    optimizer_.disabled = request.passes_off;
    context_.geo = geo;
    context_.auto_bins = request.auto_bins.value_or(context_.auto_bins);
  }

  Status compile() {
    start_ns_ = monotonic_now_ns();
    context_.now_ns = request_.now_ns.value_or(wall_clock_now_ns());
    context_.random_seed = hash64(static_cast<std::uint64_t>(context_.now_ns), 1);
    context_.control = exec_.control;
    context_.extent = &tables_;
    EVQ_TRY_ASSIGN(context_.range_start_ns, resolve_time(request_.start_time, context_.now_ns,
                                                         kUnboundedStart, "startTime"));
    EVQ_TRY_ASSIGN(context_.range_end_ns,
                   resolve_time(request_.end_time, context_.now_ns, kUnboundedEnd, "endTime"));
    auto parsed = syntax::parse(request_.apl, context_.now_ns);
    if (!parsed.ok()) {
      return with_meant_dataset(std::move(parsed).take_error(), request_.apl, tables_);
    }
    const ast::Query query = std::move(parsed).value();
    executor_ = std::make_unique<Executor>(context_, exec_, &tables_, &stats_);
    Subqueries subqueries(*executor_, optimizer_);
    EVQ_TRY_ASSIGN(cursor_, pages_.bound(query));
    EVQ_TRY_ASSIGN(plan_, plan::bind_query(query, tables_, bind_options(&subqueries)));
    stats_.rows_matched = 0;  // what subqueries matched is not what the query matches
    stats_.groups = 0;
    scans_ = plan::scans(*plan_.root);
    makes_rows_ = plan::makes_rows(*plan_.root);
    EVQ_TRY(pages_.settle(&plan_));
    const ArrivalRange arrivals = pages_.arrivals();
    const bool some = arrivals.from != 0 || arrivals.before != UINT64_MAX;
    if (some && plan_.row_datasets.size() > 1) {
      return make_error(ErrorCode::kUsage, "a range of arrivals is of one dataset");
    }
    if (request_.api_form) {
      totals_ = make_totals(query, plan_);
    }
    return plan::optimize(&plan_, context_, optimizer_);
  }

  Status run(ResultSink& sink) {
    const auto charge = std::make_shared<RowCharge>();
    charge->budget = budget_;
    ResultHeader header = make_header(plan_, context_, visible_columns());
    header.charge = charge;
    header.control = request_.control;
    EVQ_TRY(complete_header(&header));
    return !totals_.has_value() && comes_in_order(*plan_.root)
               ? pass_rows(header, charge.get(), sink)
               : keep_rows(&header, charge.get(), sink);
  }

  Result<std::string> profile() {
    QueryProfile profile;
    executor_->set_profile(&profile);
    DroppedAnswer answer;
    Status ran = run(answer);
    executor_->set_profile(nullptr);
    EVQ_TRY(std::move(ran));
    return profile_text(*plan_.root, profile, answer.status(), exec_.workers);
  }

  const plan::Plan& plan() const { return plan_; }
  SnapshotTables& tables() { return tables_; }
  Executor& executor() { return *executor_; }

 private:
  plan::BindOptions bind_options(Subqueries* subqueries) {
    plan::BindOptions bind;
    bind.context = context_;
    bind.held = &held_;
    bind.default_limit = request_.default_limit;
    bind.request_limit = request_.limit;
    if (request_.rows_max.has_value()) {
      bind.request_limit =
          std::min(*request_.rows_max, request_.limit.value_or(*request_.rows_max));
    }
    bind.event_order =
        request_.ascending ? plan::EventOrder::kOldestFirst : plan::EventOrder::kNewestFirst;
    const bool by_time =
        request_.default_order.size() == 1 && request_.default_order[0].field == kTimeField;
    for (const OrderItem& item : request_.default_order) {
      if (!by_time) {  // else that says it
        bind.default_order.emplace_back(item.field, item.descending);
      }
    }
    bind.cursor = cursor_;
    const ArrivalRange arrivals = pages_.arrivals();
    bind.arrived_from = arrivals.from;
    bind.arrived_before = arrivals.before;
    bind.variables = request_.variables;
    bind.subqueries = subqueries;
    bind.current_cursor = encode_cursor({context_.now_ns, 0});
    bind.external = external_allowed_ ? &external_ : nullptr;
    return bind;
  }

  // The answer as it comes. It begins with its first rows, so that what fails before them is no
  // answer at all.
  Status pass_rows(const ResultHeader& header, RowCharge* charge, ResultSink& sink) {
    QueryStatus status;
    bool begun = false;
    PassedRows rows(charge, request_.keeps_rows, [&](const Chunk& chunk) -> Status {
      if (!std::exchange(begun, true)) {
        EVQ_TRY(sink.begin(header));
      }
      return deliver(header, chunk, &status, sink);
    });
    EVQ_TRY(executor_->run(*plan_.root, rows));
    if (!begun) {
      EVQ_TRY(sink.begin(header));
    }
    fill(&status);
    return sink.end(status);
  }

  // The answer when all its rows are there.
  Status keep_rows(ResultHeader* header, RowCharge* charge, ResultSink& sink) {
    KeptRows rows(charge);
    EVQ_TRY(executor_->run(*plan_.root, rows));
    KeptRows totals(charge);
    if (totals_.has_value()) {
      EVQ_TRY(run_totals(totals));
      header->totals_without = totals_->bin;
    }
    EVQ_TRY(sink.begin(*header));
    QueryStatus status;
    for (const Chunk& chunk : rows.chunks()) {
      EVQ_TRY(deliver(*header, chunk, &status, sink));
    }
    if (header->totals_without.has_value()) {
      for (const Chunk& chunk : totals.chunks()) {
        EVQ_TRY(exec_.control->check());
        EVQ_TRY(sink.push_totals(chunk));
      }
    }
    fill(&status);
    return sink.end(status);
  }

  // Over the same snapshots as the query.
  Status run_totals(KeptRows& output) {
    QueryStats stats;
    Executor executor(context_, exec_, &tables_, &stats);
    plan::Plan plan;
    plan.root = plan::clone(*totals_->root);
    EVQ_TRY(plan::optimize(&plan, context_, optimizer_));
    return executor.run(*plan.root, output);
  }

  // None of a dataset that went since: its rows are still in the snapshot.
  Result<std::vector<FieldInfo>> known_fields(const std::string& dataset) {
    Result<std::vector<FieldInfo>> fields = store_.fields(dataset);
    const bool gone = !fields.ok() && fields.error().code == ErrorCode::kNotFound;
    return gone ? std::vector<FieldInfo>() : std::move(fields);
  }

  // What the tables know of the answer's columns and its range.
  Status complete_header(ResultHeader* header) {
    if (!plan_.explicit_limit.has_value() && !plan_.aggregated) {
      header->default_limit = request_.default_limit;
    }
    // Events that nobody sorted come newest first, or as the request says.
    if (!plan_.sorted && header->order.empty() &&
        plan_.root->schema.find(plan::kTimeColumn).has_value()) {
      header->order.push_back({std::string(kTimeField), !request_.ascending});
    }
    if (!request_.api_form) {
      return Status::success();
    }
    if (request_.include_cursor_field && !plan_.aggregated) {
      std::vector<Field> fields(header->schema.fields().begin(), header->schema.fields().end());
      fields.push_back({"_cursor", Type::kString});
      header->schema = Schema(std::move(fields));
    }
    for (const std::string& dataset : header->datasets) {
      EVQ_TRY_ASSIGN(const std::vector<FieldInfo> fields, known_fields(dataset));
      std::vector<FieldMeta>& shown = header->fields_meta.emplace_back();
      for (const FieldInfo& field : fields) {
        const auto column = header->schema.find(field.name);
        if (column.has_value() &&
            !(*column < header->origins.size() && header->origins[*column].is_aggregate)) {
          shown.push_back({field.name, field_type_text(field), field.attributes.unit,
                           field.attributes.description, field.attributes.hidden});
        }
      }
    }
    return Status::success();
  }

  std::vector<std::size_t> visible_columns() const {
    const Schema& schema = plan_.root->schema;
    std::vector<std::size_t> visible;
    for (std::size_t i = 0; i < schema.size(); ++i) {
      if (!plan::is_hidden(schema[i].name)) {
        visible.push_back(i);
      }
    }
    return visible;
  }

  Status deliver(const ResultHeader& header, const Chunk& chunk, QueryStatus* status,
                 ResultSink& sink) {
    EVQ_TRY(exec_.control->check());
    const std::vector<std::size_t> visible = visible_columns();
    EVQ_TRY_ASSIGN(const PageCursors::Part part, pages_.take(plan_.root->schema, chunk));
    const std::size_t rows = part.rows.rows();
    std::vector<Vector> columns;
    columns.reserve(visible.size());
    for (const std::size_t column : visible) {
      columns.push_back(part.rows.column(column));
    }
    if (header.schema.size() > visible.size()) {
      columns.push_back(cursor_column(part.origins, rows));
    }
    status->rows += rows;
    return rows > 0 ? sink.push(Chunk(std::move(columns), rows), part.origins) : Status();
  }

  static Vector cursor_column(const std::vector<RowOrigin>& origins, std::size_t rows) {
    VectorBuilder texts(Type::kString);
    for (std::size_t row = 0; row < rows; ++row) {
      texts.append_text(row < origins.size() ? encode_cursor(origins[row].id, origins[row].dataset)
                                             : std::string());
    }
    return texts.finish();
  }

  void fill(QueryStatus* status) {
    status->elapsed_us = std::max<std::int64_t>(1, (monotonic_now_ns() - start_ns_) / 1000);
    // Rows that are made from no dataset's rows all match, also where getschema or a subquery
    // names one, or none of its rows match: there are clients to which nothing matched means that
    // there is nothing to show.
    status->rows_matched = stats_.rows_matched.load();
    if (!scans_ || (makes_rows_ && status->rows_matched == 0)) {
      status->rows_matched = status->rows;
    }
    status->blocks_total = stats_.blocks_total.load();
    // For the API all blocks whose rows count were examined, and so were these rows; others count
    // what is read.
    const std::uint64_t unread = request_.api_form ? 0 : stats_.rows_unread.load();
    status->rows_examined = stats_.rows_examined.load() - unread;
    const std::uint64_t counted = request_.api_form ? stats_.blocks_counted.load() : 0;
    const std::uint64_t excluded = request_.api_form ? stats_.blocks_excluded.load() : 0;
    status->blocks_examined = stats_.blocks_examined.load() + counted + excluded;
    status->blocks_matched = stats_.blocks_matched.load() + counted;
    status->blocks_cached = stats_.blocks_cached.load();
    status->groups = stats_.groups.load();
    status->memory_peak_bytes = budget_->peak();
    status->is_partial = request_.rows_max.has_value() && status->rows == *request_.rows_max &&
                         plan_.explicit_limit.value_or(UINT64_MAX) > *request_.rows_max &&
                         request_.limit.value_or(UINT64_MAX) > *request_.rows_max &&
                         std::max(status->rows_matched, status->groups) > status->rows;
    const std::int64_t min_time = stats_.min_block_time.load();
    const std::int64_t max_time = stats_.max_block_time.load();
    const bool any = min_time <= max_time;
    const auto bounds = tables_.time_bounds();
    const std::int64_t start = context_.range_start_ns;
    const std::int64_t end = context_.range_end_ns;
    status->min_block_time_ns = any                        ? min_time
                                : start != kUnboundedStart ? start
                                : bounds.has_value()       ? bounds->first
                                                           : 0;
    status->max_block_time_ns = any                    ? max_time
                                : end != kUnboundedEnd ? end
                                : bounds.has_value()   ? bounds->second
                                                       : 0;
    // A range that begins behind all events and is open at its end.
    status->max_block_time_ns = std::max(status->max_block_time_ns, status->min_block_time_ns);
    pages_.fill(status);
  }

  const QueryRequest& request_;
  QueryControl own_control_;
  std::shared_ptr<MemoryBudget> budget_;
  ExecOptions exec_;
  plan::OptimizerOptions optimizer_;
  EvalContext context_;
  Store& store_;
  ExternalData external_;
  MemoryLease held_;
  const bool external_allowed_;
  SnapshotTables tables_;
  PageCursors pages_;
  std::optional<plan::CursorBound> cursor_;  // where the answer begins
  QueryStats stats_;
  std::unique_ptr<Executor> executor_;
  plan::Plan plan_;
  bool scans_ = false;
  bool makes_rows_ = false;
  std::optional<Totals> totals_;
  std::int64_t start_ns_ = 0;
};

}  // namespace

Service::Service(std::unique_ptr<State> state) : state_(std::move(state)) {}
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::open(const ServiceOptions& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  std::size_t& workers = state->options.workers;
  workers = std::min(workers != 0 ? workers : ThreadPool::processors(), kThreadsMax);
  state->pool = std::make_unique<ThreadPool>(workers);
  StoreOptions store;
  store.directory = options.store_directory;
  store.create = options.create_store;
  store.cache_bytes = options.cache_bytes;
  store.cache_bytes_grown = options.cache_bytes_grown;
  store.block_rows = options.block_rows;
  store.background_upkeep = options.background_upkeep;
  store.scratch = options.scratch_store;
  store.pool = state->pool.get();
  EVQ_TRY_ASSIGN(state->store, Store::open(store));
  if (!options.geo_database.empty()) {
    EVQ_TRY_ASSIGN(state->geo, GeoDatabase::open(options.geo_database));
  }
  state->memory = std::make_unique<MemoryBudget>(options.memory_total_bytes);
  return std::unique_ptr<Service>(new Service(std::move(state)));
}

Store& Service::store() {
  return *state_->store;
}

Status Service::query(const QueryRequest& request, ResultSink& sink) {
  Session session(request, state_->options, *state_->store, state_->pool.get(),
                  state_->memory.get(), state_->geo.get());
  EVQ_TRY(session.compile());
  return session.run(sink);
}

Result<std::uint64_t> Service::arrival_end(std::string_view dataset) {
  EVQ_TRY_ASSIGN(const Snapshot snapshot, state_->store->snapshot(dataset));
  return snapshot.ordinal_end();
}

Result<std::string> Service::explain(const QueryRequest& request) {
  Session session(request, state_->options, *state_->store, state_->pool.get(),
                  state_->memory.get(), state_->geo.get());
  EVQ_TRY(session.compile());
  return plan::print_plan(*session.plan().root);
}

Result<std::string> Service::profile(const QueryRequest& request) {
  QueryRequest dropped = request;
  dropped.keeps_rows = false;
  Session session(dropped, state_->options, *state_->store, state_->pool.get(),
                  state_->memory.get(), state_->geo.get());
  EVQ_TRY(session.compile());
  return session.profile();
}

namespace {

// Nobody knows whether the events of damaged blocks match, so what was done is not what was asked.
Status damage_of(const RemoveReport& report, bool commit) {
  if (report.damage.ok()) {
    return {};
  }
  const bool one = report.blocks_damaged == 1;
  const std::string which =
      one ? "the block was" : "it and " + std::to_string(report.blocks_damaged - 1) + " more were";
  const std::string others = std::to_string(report.rows_deleted) + " events of the sound blocks";
  return make_error(
      ErrorCode::kCorrupt,
      report.damage.error().message + "; " + which + " left alone, " + others +
          (commit ? " were deleted" : " would be deleted"),
      commit ? "a range of time without other conditions deletes damaged blocks as well"
             : "committed, this deletes from the sound blocks; a range of time without other "
               "conditions deletes damaged ones as well");
}

}  // namespace

Result<DeleteResponse> Service::remove(const DeleteRequest& request) {
  EvalContext context;
  context.now_ns = wall_clock_now_ns();
  context.geo = state_->geo.get();
  QueryControl own_control;
  QueryControl& control = request.control != nullptr ? *request.control : own_control;
  context.control = &control;
  EVQ_TRY_ASSIGN(context.range_start_ns,
                 resolve_time(request.start_time, context.now_ns, kUnboundedStart, "startTime"));
  EVQ_TRY_ASSIGN(context.range_end_ns,
                 resolve_time(request.end_time, context.now_ns, kUnboundedEnd, "endTime"));
  EVQ_TRY_ASSIGN(const ast::Query query, syntax::parse(request.apl, context.now_ns));
  std::string dataset;
  Result<RemoveReport> removed = RemoveReport();
  // Events that come meanwhile may give a field another type than the filter was made for.
  for (int attempt = 0; attempt < kDeleteAttemptsMax; ++attempt) {
    plan::Plan plan;
    {
      // Gone before the delete: what a snapshot shows keeps the write-ahead file from being
      // emptied.
      SnapshotTables tables(*state_->store, request.may_delete, &control, "delete from");
      EVQ_TRY_ASSIGN(plan, bind_delete(query, tables, request.variables, context));
    }
    dataset = plan.datasets[0];
    MemoryBudget budget(memory_limit(state_->options, 0), state_->memory.get());
    EVQ_TRY_ASSIGN(const std::unique_ptr<RowFilter> doomed,
                   make_delete_filter(std::move(plan), context, &budget));
    removed = state_->store->remove(dataset, *doomed,
                                    request.commit ? Removal::kCommit : Removal::kDryRun, control);
    if (removed.ok() || removed.error().code != ErrorCode::kConflict) {
      break;
    }
  }
  EVQ_TRY_ASSIGN(const RemoveReport report, std::move(removed));
  EVQ_TRY(damage_of(report, request.commit));
  DeleteResponse response;
  response.dataset = dataset;
  response.dry_run = !request.commit;
  response.rows_matched = report.rows_matched;
  response.rows_deleted = report.rows_deleted;
  response.blocks_deleted = report.blocks_deleted;
  response.first_matched_ns = report.first_matched_time;
  response.last_matched_ns = report.last_matched_time;
  return response;
}

}  // namespace evq
