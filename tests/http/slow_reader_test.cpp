// Answers that are longer than what the machines of both sides keep, and clients that read them
// slowly or not at all.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "http/message.h"
#include "http/server.h"
#include "store/base/limits.h"
#include "tests/support/running_server.h"

namespace evq {
namespace {

// Answers all at once, or in pieces that are made while they are sent.
class LongAnswers final : public HttpApplication {
 public:
  Admission admit(HttpRequest& /*request*/) override { return {}; }
  HttpResponse handle(HttpRequest& request) override {
    constexpr std::size_t kBytes = 16 * kMebibyte;
    constexpr std::size_t kPieceBytes = 64 * kKibibyte;
    HttpResponse response;
    if (request.path == "/whole") {
      response.body.assign(kBytes, 'x');
      return response;
    }
    response.rest = [left = kBytes / kPieceBytes](std::string* piece) mutable -> Result<bool> {
      piece->append(kPieceBytes, 'x');
      return --left > 0;
    };
    return response;
  }
  HttpResponse refuse(const HttpRequest& /*request*/, const Refusal& why) const override {
    return error_response(why.status, why.message);
  }
};

TEST_CASE("a reader may be as slow as it likes, but not stop") {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kSlow(4500);
  HttpServerOptions options;
  options.write_stall_ms = 1500;  // the socket has no room for new bytes for longer than that
  LongAnswers application;
  const RunningServer server(application, options);
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (const char* path : {"/whole", "/pieces"}) {
    clients.push_back(std::make_unique<SocketClient>(server.port(), 16 * 1024));
    REQUIRE(clients.back()->send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n"));
  }
  bool more = true;
  for (const auto end = Clock::now() + kSlow; more && Clock::now() < end;) {
    for (const auto& client : clients) {
      more = more && !client->read(1024).empty();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(more);
  CHECK(server.connections() == 2);
  CHECK(comes_true([&] { return server.connections() == 0; }, kPatienceMs));
}

}  // namespace
}  // namespace evq
