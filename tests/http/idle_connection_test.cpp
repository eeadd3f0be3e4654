// Connections that are kept open without a request: how long, what clients are told of it, and how
// they end.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "http/limits.h"
#include "http/message.h"
#include "http/server.h"
#include "tests/support/running_server.h"

namespace evq {
namespace {

class ShortAnswers final : public HttpApplication {
 public:
  Admission admit(HttpRequest& /*request*/) override { return {}; }
  HttpResponse handle(HttpRequest& request) override {
    HttpResponse response;
    response.status = request.path == "/none" ? 204 : 200;
    if (request.path == "/pieces") {
      response.rest = [](std::string* piece) -> Result<bool> {
        piece->append("{}");
        return false;
      };
    }
    return response;
  }
  HttpResponse refuse(const HttpRequest& /*request*/, const Refusal& why) const override {
    return error_response(why.status, why.message);
  }
};

std::string text_asking(const char* path, const char* header = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + header + "\r\n";
}

// The head of the answer to a client's only request.
std::string head_of(const RunningServer& server, const std::string& request) {
  const SocketClient client(server.port());
  REQUIRE(client.send(request));
  std::string answer;
  while (answer.find("\r\n\r\n") == std::string::npos) {
    const std::string piece = client.read();
    REQUIRE_FALSE(piece.empty());
    answer += piece;
  }
  return answer.substr(0, answer.find("\r\n\r\n") + 2);
}

TEST_CASE("clients are told how long a connection is kept that they do not use") {
  ShortAnswers application;
  HttpServerOptions options;
  options.idle_ms = kHttpIdleMarginMs + 1000;  // the least that can be told
  const RunningServer server(application, options);
  for (const char* path : {"/", "/none", "/pieces"}) {
    const std::string head = head_of(server, text_asking(path));
    INFO(head);
    CHECK(head.find("Keep-Alive: timeout=1\r\n") != std::string::npos);
    CHECK(head.find("Connection: keep-alive\r\n") != std::string::npos);
  }
  const std::string last = head_of(server, text_asking("/", "Connection: close\r\n"));
  INFO(last);
  CHECK(last.find("Keep-Alive:") == std::string::npos);
  CHECK(last.find("Connection: close\r\n") != std::string::npos);
}

TEST_CASE("a time too short to be told is not told, and the usual one outlasts what clients keep") {
  ShortAnswers application;
  HttpServerOptions options;
  options.idle_ms = kHttpIdleMarginMs + 999;
  const RunningServer hasty(application, options);
  CHECK(head_of(hasty, text_asking("/")).find("Keep-Alive:") == std::string::npos);
  const RunningServer usual(application);
  CHECK(head_of(usual, text_asking("/")).find("Keep-Alive: timeout=120\r\n") != std::string::npos);
}

TEST_CASE("a connection without a request ends, and what is on its way then is not reset") {
  constexpr int kTries = 5;  // a machine may be too busy for a request within the time for the rest
  ShortAnswers application;
  HttpServerOptions options;
  options.idle_ms = 50;
  const RunningServer server(application, options);
  bool kept = false;
  for (int tries = 0; tries < kTries && !kept; ++tries) {
    const SocketClient client(server.port());
    REQUIRE(client.readable(kPatienceMs));
    CHECK(client.read().empty());  // the end, and no word
    CHECK(client.send(text_asking("/late")));
    kept = !client.was_reset();
  }
  CHECK(kept);
  CHECK(comes_true([&] { return server.connections() == 0; }));
}

TEST_CASE("a connection that was used ends as well") {
  ShortAnswers application;
  HttpServerOptions options;
  options.idle_ms = 50;
  const RunningServer server(application, options);
  const SocketClient client(server.port());
  REQUIRE(client.send(text_asking("/") + text_asking("/")));
  std::string answers;
  for (std::string piece = client.read(); !piece.empty(); piece = client.read()) {
    answers += piece;
  }
  CHECK(answers.starts_with("HTTP/1.1 200 "));
  CHECK(answers.find("HTTP/1.1 200 ", 1) != std::string::npos);
  CHECK(comes_true([&] { return server.connections() == 0; }));
}

}  // namespace
}  // namespace evq
