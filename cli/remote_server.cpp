#include "cli/remote_server.h"

#include <charconv>
#include <utility>

#include "cli/open_service.h"
#include "cli/output.h"
#include "http/wire.h"
#include "http/wire_answer.h"
#include "store/base/limits.h"

namespace evq {
namespace {

class RemoteTarget final : public QueryTarget {
 public:
  explicit RemoteTarget(std::unique_ptr<RemoteServer> server) : server_(std::move(server)) {}

  Status query(const QueryRequest& request, ResultSink& sink) override {
    QueryRequest bounded = request;
    if (!request.limit.has_value() && !request.default_limit.has_value()) {
      bounded.limit = kResultRowsMax;  // the server has a default of its own
    }
    EVQ_TRY_ASSIGN(const ClientResponse answer,
                   server_->call_apl("/v1/datasets/_apl?format=tabular", write_query_body(bounded),
                                     request.apl, true));
    // A part of an export that fills the server's limit may have lost rows to it.
    const bool part = request.arrivals.before != UINT64_MAX && !request.limit.has_value();
    return read_tabular_answer(answer.body, part ? kResultRowsMax : UINT64_MAX, sink);
  }
  Result<std::string> explain(const QueryRequest& /*request*/) override {
    return make_error(ErrorCode::kUnsupported, "--explain works on a local store only");
  }
  std::uint64_t part_events_max() const override { return kResultRowsMax - 1; }

  Result<std::optional<std::uint64_t>> arrival_end(const std::string& dataset) override {
    ClientRequest request;
    request.target = "/v2/datasets/" + encode_url_text(dataset) + "/info";
    EVQ_TRY_ASSIGN(const ClientResponse answer,
                   server_->client().send(request, &interrupt_control()));
    std::optional<std::uint64_t> end;
    std::string name(kArrivalEndHeader);
    for (char& c : name) {
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const std::string_view text = answer.header(name).value_or("");
    std::uint64_t number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!text.empty() && error == std::errc() && at == text.data() + text.size()) {
      end = number;
    }
    return end;
  }

 private:
  std::unique_ptr<RemoteServer> server_;
};

}  // namespace

Result<std::unique_ptr<RemoteServer>> RemoteServer::open(const GlobalOptions& global) {
  HttpClientOptions options;
  options.url = global.settings.value("server");
  options.token = global.settings.value("token");
  options.organization = global.settings.value("org");
  options.ca_file = global.settings.value("ca-file");
  const Setting& server = global.settings.setting("server");
  if (server.weight == SettingWeight::kForeignVariable) {
    print_note(global, "note: working on " + server.value + " (" + server.source + ")");
  }
  const Setting& token = global.settings.setting("token");
  std::string hint = "evq config show tells which token was sent";
  if (options.token.empty()) {
    hint = token.value.empty() ? "give one with --token, EVQ_TOKEN or in " + global.settings.file()
                               : "the token of " + token.source + " is not used: " + token.unused;
  }
  EVQ_TRY_ASSIGN(std::unique_ptr<HttpClient> client, HttpClient::create(options));
  return std::unique_ptr<RemoteServer>(new RemoteServer(std::move(client), std::move(hint)));
}

Result<ClientResponse> RemoteServer::perform(const ClientRequest& request, std::string_view apl) {
  EVQ_TRY_ASSIGN(ClientResponse answer, client_->send(request, &interrupt_control()));
  if (answer.status >= 200 && answer.status <= 299) {
    return answer;
  }
  Error error = read_error_answer(answer.status, answer.body, apl);
  if (error.code == ErrorCode::kForbidden && error.hint.empty()) {
    error.hint = token_hint_;
  }
  return error;
}

Result<std::string> RemoteServer::call(std::string_view method, std::string_view target,
                                       std::string_view body, bool only_reads) {
  ClientRequest request;
  request.method = method;
  request.target = target;
  request.body = body;
  request.only_reads = only_reads || method == "GET";
  EVQ_TRY_ASSIGN(ClientResponse answer, perform(request, {}));
  return std::move(answer.body);
}

Result<ClientResponse> RemoteServer::call_apl(std::string_view target, std::string_view body,
                                              std::string_view apl, bool only_reads) {
  ClientRequest request;
  request.method = "POST";
  request.target = target;
  request.body = body;
  request.only_reads = only_reads;
  return perform(request, apl);
}

std::unique_ptr<QueryTarget> remote_target(std::unique_ptr<RemoteServer> server) {
  return std::make_unique<RemoteTarget>(std::move(server));
}

Status check_local(const GlobalOptions& global, std::string_view verb) {
  return global.remote()
             ? Status(make_error(ErrorCode::kUsage,
                                 "evq " + std::string(verb) + " works on a local store only",
                                 "name it with --store; now " +
                                     global.settings.setting("server").source + " names a server"))
             : Status::success();
}

}  // namespace evq
