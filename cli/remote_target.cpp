// A server as the target of queries: tabular answers of the HTTP API, and what a prompt wants to
// know, over a second connection with little patience.

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "apl/service/picture_wish.h"
#include "cli/remote_catalog.h"
#include "cli/remote_server.h"
#include "http/wire.h"
#include "http/wire_answer.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/percent_coding.h"

namespace evq {
namespace {

// Of one answer, which is held as text and again as what it says.
constexpr std::uint64_t kRemotePartEventsMax = 10'000;
constexpr std::int64_t kBelievedForNs = 30'000'000'000;
// After a request that failed, keys are not held up by another one for this long.
constexpr std::int64_t kQuietAfterFailureNs = 5'000'000'000;

class RemoteCompletion final : public CompletionSource {
 public:
  explicit RemoteCompletion(const GlobalOptions& global) : global_(global) {}

  Result<std::vector<std::string>> dataset_names() override {
    return ask([](RemoteServer& server) { return remote_dataset_names(server); });
  }
  Result<CompletionTable> table(const std::string& dataset) override {
    return ask([&](RemoteServer& server) -> Result<CompletionTable> {
      EVQ_TRY_ASSIGN(const std::vector<Field> fields, remote_fields(server, dataset));
      return CompletionTable{Schema(fields), {}, {}};
    });
  }
  Status query(const QueryRequest& request, ResultSink& sink) override {
    const auto done = ask([&](RemoteServer& server) -> Result<bool> {
      EVQ_TRY_ASSIGN(const ClientResponse answer,
                     server.call_apl("/v1/datasets/_apl?format=tabular", write_query_body(request),
                                     request.apl, true));
      EVQ_TRY(read_tabular_answer(answer.body, UINT64_MAX, sink));
      return true;
    });
    return done.ok() ? Status::success() : Status(done.error());
  }
  std::int64_t believed_for_ns() const override { return kBelievedForNs; }

  // As the server's own completer says it; kNotFound where a server has none.
  Result<CompletionAnswer> complete(std::string_view text, std::size_t cursor) {
    return ask([&](RemoteServer& server) -> Result<CompletionAnswer> {
      EVQ_TRY_ASSIGN(
          const std::string answer,
          server.call("POST", "/v1/_complete", write_completion_body(text, cursor), true));
      EVQ_TRY_ASSIGN(CompletionAnswer read, read_completion_answer(answer));
      if (read.end > text.size()) {
        return make_error(ErrorCode::kServer, "the server completed another text");
      }
      return read;
    });
  }

 private:
  template <class Question>
  auto ask(Question&& question) -> decltype(question(std::declval<RemoteServer&>())) {
    if (failed_ns_ != 0 && monotonic_now_ns() - failed_ns_ < kQuietAfterFailureNs) {
      return make_error(ErrorCode::kServer, "the server did not answer");
    }
    if (server_ == nullptr) {
      EVQ_TRY_ASSIGN(server_, RemoteServer::open(global_, RemoteServer::Patience::kQuick));
    }
    auto answer = question(*server_);
    const bool failed = !answer.ok() && answer.error().code == ErrorCode::kServer;
    failed_ns_ = failed ? monotonic_now_ns() : 0;
    return answer;
  }

  const GlobalOptions global_;
  std::unique_ptr<RemoteServer> server_;
  std::int64_t failed_ns_ = 0;
};

std::optional<std::uint64_t> number_in(const ClientResponse& answer, std::string_view header) {
  const std::string_view text = answer.header(ascii_lower(header)).value_or("");
  std::uint64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = !text.empty() && error == std::errc() && at == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

// A server's answer does not repeat the query's `render`: that is put back, as is what may end it.
class CompletedAnswer final : public ResultSink {
 public:
  CompletedAnswer(const QueryRequest& request, ResultSink& next) : request_(request), next_(next) {}
  Status begin(const ResultHeader& header) override {
    ResultHeader completed = header;
    completed.control = request_.control;
    if (auto wish = find_picture_wish(request_.apl); wish.has_value()) {
      completed.render_kind = std::move(wish->kind);
      completed.render_properties = std::move(wish->properties);
    }
    return next_.begin(completed);
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return wants_rows() ? next_.push(rows, origins) : Status::success();
  }
  Status push_totals(const Chunk& rows) override { return next_.push_totals(rows); }
  Status end(const QueryStatus& status) override {
    QueryStatus ended = status;
    ended.rows = wants_rows() ? status.rows : 0;
    return next_.end(ended);
  }

 private:
  bool wants_rows() const { return request_.limit != std::uint64_t{0}; }

  const QueryRequest& request_;
  ResultSink& next_;
};

class RemoteTarget final : public QueryTarget {
 public:
  RemoteTarget(std::unique_ptr<RemoteServer> server, const GlobalOptions& global)
      : server_(std::move(server)), completion_(global), completer_(completion_) {}

  Status query(const QueryRequest& request, ResultSink& sink) override {
    const QueryRequest bounded = with_limit(request);
    EVQ_TRY_ASSIGN(const std::string answer, ask(bounded, "tabular"));
    // Where more rows were asked for than a server gives, an answer of that many may have lost
    // some.
    const std::uint64_t wanted = request.limit.value_or(bounded.limit.has_value() ? UINT64_MAX : 0);
    CompletedAnswer completed(request, sink);
    return read_tabular_answer(answer, wanted > kResultRowsMax ? kResultRowsMax : UINT64_MAX,
                               completed);
  }
  Result<std::optional<std::string>> api_answer(const QueryRequest& request,
                                                const std::string& form) override {
    if (request.limit == std::uint64_t{0}) {  // no server gives so few rows
      return std::optional<std::string>();
    }
    EVQ_TRY_ASSIGN(std::string answer, ask(with_limit(request), form));
    return std::optional(std::move(answer));
  }
  Result<std::string> explain(const QueryRequest& request) override {
    return ask_plan("/v1/_check", request);
  }
  Result<std::string> profile(const QueryRequest& request) override {
    return ask_plan("/v1/_profile", request);
  }
  std::uint64_t part_events_max() const override { return kRemotePartEventsMax; }
  bool caps_answers() const override { return true; }

  Result<std::optional<ArrivalEnd>> arrival_end(const std::string& dataset) override {
    ClientRequest request;
    request.target = "/v2/datasets/" + percent_encode(dataset) + "/info";
    EVQ_TRY_ASSIGN(const ClientResponse answer,
                   server_->client().send(request, server_->control()));
    const std::optional<std::uint64_t> end = number_in(answer, kArrivalEndHeader);
    return end.has_value() ? std::optional(ArrivalEnd{
                                 *end, number_in(answer, kDatasetNumberHeader).value_or(0)})
                           : std::nullopt;
  }

  Result<std::vector<std::string>> dataset_names() override {
    return remote_dataset_names(*server_);
  }
  Result<std::string> datasets_table(const DisplayZone& zone) override {
    return remote_datasets_text(*server_, ListForm::kTable, zone);
  }
  Result<std::string> fields_table(const std::string& dataset) override {
    return remote_fields_text(*server_, dataset, ListForm::kTable);
  }
  Result<std::vector<StoredObject>> saved_queries() override {
    return remote_saved_queries(*server_);
  }
  Result<StoredObject> saved_query(const std::string& id) override {
    return remote_saved_query(*server_, id);
  }
  // Where the server has no completer, the one here asks it for names, fields and values.
  CompletionAnswer complete(std::string_view text, std::size_t cursor) override {
    if (has_completer_) {
      auto answer = completion_.complete(text, cursor);
      if (answer.ok()) {
        return std::move(answer).value();
      }
      has_completer_ = answer.error().code == ErrorCode::kServer;
    }
    return completer_.complete(text, cursor);
  }
  std::optional<Error> mistake(std::string_view /*text*/) override { return std::nullopt; }
  CompletionSource& completion() override { return completion_; }

 private:
  static QueryRequest with_limit(const QueryRequest& request) {
    QueryRequest bounded = request;
    if (request.limit == std::uint64_t{0}) {
      bounded.limit = 1;  // to a server 0 means its own default
    } else if (!request.limit.has_value() && !request.default_limit.has_value()) {
      bounded.limit = kResultRowsMax;  // the server has a default of its own
    }
    return bounded;
  }

  Result<std::string> ask(const QueryRequest& request, const std::string& format) {
    EVQ_TRY_ASSIGN(ClientResponse answer,
                   server_->call_apl("/v1/datasets/_apl?format=" + format,
                                     write_query_body(request), request.apl, true));
    return std::move(answer.body);
  }

  // A route of evq's own that answers with a plan.
  Result<std::string> ask_plan(const std::string& route, const QueryRequest& request) {
    auto answer = server_->call_apl(route, write_query_body(request), request.apl, true);
    if (!answer.ok() && answer.error().code == ErrorCode::kNotFound && answer.error().id.empty()) {
      return make_error(ErrorCode::kUnsupported, "this server does not tell its plans");
    }
    EVQ_TRY_ASSIGN(const ClientResponse response, std::move(answer));
    return read_text_member(response.body, "plan");
  }

  std::unique_ptr<RemoteServer> server_;
  RemoteCompletion completion_;
  Completer completer_;
  bool has_completer_ = true;  // until the server says otherwise
};

}  // namespace

Result<std::unique_ptr<QueryTarget>> open_remote_target(const GlobalOptions& global) {
  EVQ_TRY_ASSIGN(std::unique_ptr<RemoteServer> server, RemoteServer::open(global));
  return std::unique_ptr<QueryTarget>(std::make_unique<RemoteTarget>(std::move(server), global));
}

}  // namespace evq
