// Answers that are longer than what the machines of both sides keep, and clients that read them
// slowly or not at all.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "http/limits.h"
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

using Clock = std::chrono::steady_clock;
using Clients = std::vector<std::unique_ptr<SocketClient>>;

struct SlowRead {
  bool more = true;  // each of them always had something to read
  Clock::duration longest_round{};
};

SlowRead read_slowly(const Clients& clients, std::chrono::milliseconds time) {
  SlowRead read;
  Clock::time_point begin = Clock::now();
  for (const auto end = begin + time; read.more && begin < end;) {
    for (const auto& client : clients) {
      read.more = read.more && !client->read(1024).empty();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    read.longest_round = std::max(read.longest_round, Clock::now() - begin);
    begin = Clock::now();
  }
  return read;
}

TEST_CASE("a reader may be slow, but not stop") {
  constexpr std::chrono::milliseconds kSlow(4500);
  constexpr std::chrono::milliseconds kRoundMax(500);  // nobody pauses for more than two rounds
  HttpServerOptions options;
  options.answer_window_ms = 1500;  // the socket has no room for new bytes for longer than that
  LongAnswers application;
  bool counted = false;
  for (int tries = 0; tries < 5 && !counted; ++tries) {
    const RunningServer server(application, options);
    Clients clients;
    for (const char* path : {"/whole", "/pieces"}) {
      clients.push_back(std::make_unique<SocketClient>(server.port(), 16 * 1024));
      REQUIRE(clients.back()->send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n"));
    }
    const SlowRead read = read_slowly(clients, kSlow);
    counted = read.longest_round < kRoundMax;  // the machine was not too busy for slow readers
    if (counted) {
      CHECK(read.more);
      CHECK(server.connections() == 2);
    }
    CHECK(comes_true([&] { return server.connections() == 0; }));
  }
  CHECK(counted);
}

TEST_CASE("the head of an answer in pieces is told without a length") {
  LongAnswers application;
  const RunningServer server(application);
  const SocketClient client(server.port());
  REQUIRE(client.send("HEAD /pieces HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  std::string answer;
  for (std::string piece = client.read(); !piece.empty(); piece = client.read()) {
    answer += piece;
  }
  INFO(answer);
  CHECK(answer.starts_with("HTTP/1.1 200 "));
  CHECK(answer.find("Content-Length") == std::string::npos);
  CHECK(answer.ends_with("\r\n\r\n"));
}

TEST_CASE("a reader that takes a little all the time, but less than the least rate, is left") {
  HttpServerOptions options;
  options.answer_window_ms = 4000;
  LongAnswers application;
  const RunningServer server(application, options);
  Clients clients;
  for (const char* path : {"/whole", "/pieces"}) {
    clients.push_back(std::make_unique<SocketClient>(server.port(), 1));  // as few as there can be
    REQUIRE(clients.back()->send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n"));
  }
  REQUIRE(comes_true([&] { return server.connections() == 2; }));
  const auto pause = std::chrono::milliseconds(100);
  const auto bytes = kHttpAnswerBytesPerSecondMin / 20;  // half of the rate at the most
  constexpr int kRounds = 600;
  CHECK(comes_true(
      [&] {
        for (const auto& client : clients) {
          client->read(bytes);
        }
        std::this_thread::sleep_for(pause);
        return server.connections() == 0;
      },
      kRounds));
}

}  // namespace
}  // namespace evq
