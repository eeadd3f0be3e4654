#include "http/client.h"

#include <chrono>
#include <thread>

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/base/file.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

Result<std::unique_ptr<HttpClient>> client_of(const std::string& url) {
  HttpClientOptions options;
  options.url = url;
  return HttpClient::create(options);
}

TEST_CASE("what is no address is refused with an example of one") {
  for (const char* url : {"", "localhost:8080", "ftp://host", "http://", "http:///path",
                          "http://:8080", "http://host:", "http://host:80x", "http://host:65536",
                          "http://host:101097", "http://host:+80", "http://me@host"}) {
    CAPTURE(url);
    const auto client = client_of(url);
    REQUIRE_FALSE(client.ok());
    CHECK(client.error().code == ErrorCode::kUsage);
    CHECK(client.error().message.find("'" + std::string(url) + "'") != std::string::npos);
    CHECK(client.error().hint.find("http://") != std::string::npos);
  }
  CHECK(client_of("localhost:8080").error().hint ==
        "write http://localhost:8080 or https://localhost:8080");
}

TEST_CASE("an address may have a port, brackets and a path") {
  for (const auto& address :
       {std::pair("http://host", "http://host"), std::pair("https://host/p//", "https://host"),
        std::pair("http://host:81/p", "http://host:81"), std::pair("http://[::1]", "http://[::1]"),
        std::pair("http://[::1]:82/", "http://[::1]:82"),
        std::pair("HTTPS://Host/p", "https://Host"), std::pair("Http://h", "http://h")}) {
    CAPTURE(address.first);
    const auto client = client_of(address.first);
    REQUIRE(client.ok());
    CHECK((*client)->origin() == address.second);
  }
}

TEST_CASE("nothing of the options breaks out of its header") {
  for (std::string HttpClientOptions::*member :
       {&HttpClientOptions::token, &HttpClientOptions::organization}) {
    HttpClientOptions options;
    options.url = "http://127.0.0.1";
    options.*member = "a\r\nX-Other: b";
    const auto client = HttpClient::create(options);
    REQUIRE_FALSE(client.ok());
    CHECK(client.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("certificates that cannot be read are named") {
  const TempDirectory directory;
  HttpClientOptions options;
  options.url = "https://127.0.0.1";
  options.ca_file = directory.path() + "/ca.pem";
  for (const bool exists : {false, true}) {
    if (exists) {
      REQUIRE(write_file_atomically(options.ca_file, "no certificate").ok());
    }
    const auto client = HttpClient::create(options);
    REQUIRE_FALSE(client.ok());
    CHECK(client.error().code == ErrorCode::kUsage);
    CHECK(client.error().message.find(options.ca_file) != std::string::npos);
  }
}

TEST_CASE("a server that is not there is named") {
  // Port 1 of the own machine: nobody listens there, which is known at once.
  const auto client = client_of("http://127.0.0.1:1");
  REQUIRE(client.ok());
  ClientRequest request;
  request.target = "/healthz";
  const auto answer = (*client)->send(request, nullptr);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == ErrorCode::kServer);
  CHECK(answer.error().message.find("http://127.0.0.1:1: ") != std::string::npos);
  request.only_reads = false;  // nothing was sent, so its outcome is known
  CHECK((*client)->send(request, nullptr).error().hint.empty());
}

TEST_CASE("a server that is to come back is waited for, but not for ever") {
  using Clock = std::chrono::steady_clock;
  HttpClientOptions options;
  options.url = "http://127.0.0.1:1";
  options.retry_ms_max = 2000;
  const auto client = HttpClient::create(options);
  REQUIRE(client.ok());
  ClientRequest request;
  request.target = "/v1/datasets/d/ingest";
  request.only_reads = false;
  request.awaits_server = true;
  const auto begin = Clock::now();
  const auto answer = (*client)->send(request, nullptr);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == ErrorCode::kServer);
  CHECK(Clock::now() - begin >= std::chrono::milliseconds(200));  // the first pause
}

// A socket that listens on a free port of this machine.
class Listener {
 public:
  explicit Listener(int flags) : socket_(::socket(AF_INET, SOCK_STREAM | flags, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const where = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket_, where, size) == 0);
    REQUIRE(::listen(socket_, 1) == 0);
    REQUIRE(::getsockname(socket_, where, &size) == 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  const std::string& url() const { return url_; }
  int accept() const { return ::accept(socket_, nullptr, nullptr); }

 private:
  const int socket_;
  std::string url_;
};

TEST_CASE("an answer may begin long after its request, but then it must go on") {
  const Listener listener(0);
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
  const auto late = std::chrono::milliseconds(300);  // beyond what a pause may be
  std::jthread server([&] {
    for (const bool whole : {true, false}) {
      const int socket = listener.accept();
      std::this_thread::sleep_for(late);
      // At once, so that a busy machine makes no pause of its own.
      const std::string answer = std::string(head) + (whole ? "ok" : "o");
      CHECK(::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(answer.size()));
      char byte = 0;
      while (::recv(socket, &byte, 1, 0) > 0) {  // until the client has had enough
      }
      ::close(socket);
    }
  });
  HttpClientOptions options;
  options.url = listener.url();
  options.stall_ms_max = 100;
  ClientRequest request;
  request.target = "/";
  request.only_reads = false;
  for (const bool whole : {true, false}) {
    const auto client = HttpClient::create(options);
    REQUIRE(client.ok());
    const auto answer = (*client)->send(request, nullptr);
    CHECK(answer.ok() == whole);
    CHECK((!whole || answer->body == "ok"));
  }
}

TEST_CASE("what is cancelled before it begins is not begun") {
  const Listener listener(SOCK_NONBLOCK);
  const auto client = client_of(listener.url());
  REQUIRE(client.ok());
  ClientRequest request;
  request.target = "/v1/datasets/d/ingest";
  request.only_reads = false;
  QueryControl control;
  control.cancel();
  const auto answer = (*client)->send(request, &control);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == ErrorCode::kCancelled);
  CHECK(listener.accept() == -1);  // nobody has come
}

}  // namespace
}  // namespace evq
