#include "cli/remote_server.h"

#include <utility>

#include "apl/syntax/parser.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "http/wire.h"
#include "http/wire_answer.h"
#include "store/base/ascii.h"
#include "store/base/process.h"

namespace evq {
constexpr std::int64_t kQuickConnectMs = 1000;
constexpr std::int64_t kQuickAnswerMs = 2000;

Result<std::unique_ptr<RemoteServer>> RemoteServer::open(const GlobalOptions& global,
                                                         Patience patience) {
  keep_memory_private();  // it holds the token
  HttpClientOptions options;
  const bool quick = patience == Patience::kQuick;
  if (quick) {
    options.connect_ms_max = kQuickConnectMs;
    options.stall_ms_max = kQuickAnswerMs;
    options.answer_ms_max = kQuickAnswerMs;
    options.retry_ms_max = 0;
  }
  options.url = global.settings.value("server");
  options.token = global.settings.value("token");
  options.organization = global.settings.value("org");
  options.ca_file = global.settings.value("ca-file");
  const Setting& server = global.settings.setting("server");
  if (server.weight == SettingWeight::kForeignVariable && !quick) {
    print_note(global, "note: working on " + server.value + " (" + server.source + ")");
  }
  const Setting& token = global.settings.setting("token");
  std::string hint = "evq config show tells which token was sent";
  if (options.token.starts_with("xapt-") && options.organization.empty()) {
    hint = "a personal token needs --org or EVQ_ORG; evq org shows the id";
  }
  if (options.token.empty()) {
    hint = token.value.empty() ? "give one with --token, EVQ_TOKEN or in " + global.settings.file()
                               : "the token of " + token.source + " is not used: " + token.unused;
  }
  EVQ_TRY_ASSIGN(std::unique_ptr<HttpClient> client, HttpClient::create(options));
  return std::unique_ptr<RemoteServer>(new RemoteServer(std::move(client), std::move(hint), quick));
}

Result<ClientResponse> RemoteServer::perform(const ClientRequest& request, std::string_view apl) {
  auto sent = client_->send(request, control());
  if (!sent.ok()) {
    Error error = std::move(sent).take_error();
    if (error.code == ErrorCode::kServer && error.hint.empty()) {
      const bool distrusted = error.message.find("certificate verify failed") != std::string::npos;
      error.hint = distrusted ? "--ca-file names the certificates to trust, such as its own"
                              : "does the server run? evq config show tells who named it";
    }
    return error;
  }
  ClientResponse answer = std::move(sent).value();
  if (answer.status >= 200 && answer.status <= 299) {
    return answer;
  }
  Error error = read_error_answer(answer.status, answer.body, apl,
                                  answer.header(ascii_lower(kErrorKindHeader)).value_or(""));
  if (error.code == ErrorCode::kForbidden && error.hint.empty()) {
    error.hint = token_hint_;
  }
  if (error.code == ErrorCode::kNotFound && error.message == kPathNotFound) {
    error.hint =
        "is this the address of such a server, without /v1 behind it? evq config show tells who "
        "named it";
  }
  return error;
}

const QueryControl* RemoteServer::control() const {
  return quick_ ? nullptr : &interrupt_control();
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
  if (apl.empty()) {
    return syntax::parse(apl, 0).error();
  }
  ClientRequest request;
  request.method = "POST";
  request.target = target;
  request.body = body;
  request.only_reads = only_reads;
  return perform(request, apl);
}

}  // namespace evq
