#include "http/tls_greeting.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "http/connection.h"

namespace evq {
namespace {

// The head of a record: its type, two bytes of version, two of the length of what follows.
constexpr std::size_t kRecordHeadBytes = 5;
constexpr std::size_t kRecordBytesMax = 16 * kKibibyte;
constexpr unsigned char kHandshakeRecord = 22;
constexpr unsigned char kMajorVersion = 3;

unsigned byte_at(const std::string& bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// The bytes of the record that begins so, or of its head where that is not there yet; 0 when it is
// none to shake hands with.
std::size_t record_bytes(const std::string& begun) {
  if ((!begun.empty() && byte_at(begun, 0) != kHandshakeRecord) ||
      (begun.size() > 1 && byte_at(begun, 1) != kMajorVersion)) {
    return 0;
  }
  if (begun.size() < kRecordHeadBytes) {
    return kRecordHeadBytes;
  }
  const std::size_t length = byte_at(begun, 3) << 8U | byte_at(begun, 4);
  return length == 0 || length > kRecordBytesMax ? 0 : kRecordHeadBytes + length;
}

class Greeting : public std::enable_shared_from_this<Greeting> {
 public:
  Greeting(Shared& shared, tcp::socket socket, std::shared_ptr<asio::ssl::context> context,
           const std::optional<tcp::endpoint>& client)
      : shared_(shared), bytes_(std::move(socket)), context_(std::move(context)), client_(client) {}
  ~Greeting() { leave(); }
  Greeting(const Greeting&) = delete;
  Greeting& operator=(const Greeting&) = delete;

  asio::any_io_executor executor() { return lowest().get_executor(); }

  asio::awaitable<void> run() {
    enter();
    bytes_.expires_after(std::chrono::milliseconds(kHttpHeaderMsMax));  // for all of it
    std::string hello;
    if (!co_await read_record(&hello) || shared_.draining.load()) {
      co_return;
    }
    shared_.connections.note_cost(*entry_);
    tls_.emplace(std::move(bytes_), *context_);
    error_code error;
    co_await tls_->async_handshake(asio::ssl::stream_base::server, asio::buffer(hello),
                                   quietly(error));
    if (!error) {
      start_connection(shared_, *std::move(tls_), client_);
    }
  }

 private:
  PlainStream& lowest() { return tls_.has_value() ? beast::get_lowest_layer(*tls_) : bytes_; }

  // Exactly the first record: what follows it is the stream's to read.
  asio::awaitable<bool> read_record(std::string* record) {
    std::array<char, 1024> piece{};
    error_code error;
    for (std::size_t whole = kRecordHeadBytes; record->size() < whole;) {
      const std::size_t wanted = std::min(piece.size(), whole - record->size());
      const std::size_t got =
          co_await bytes_.async_read_some(asio::buffer(piece.data(), wanted), quietly(error));
      record->append(piece.data(), got);
      whole = record_bytes(*record);
      if (error || whole == 0) {
        co_return false;
      }
    }
    co_return true;
  }

  void enter() {
    std::weak_ptr<Greeting> weak = this->weak_from_this();
    entry_ = shared_.connections.add([weak, thread = executor()] {
      asio::post(thread, [weak] {
        if (const auto self = weak.lock()) {
          self->lowest().close();
        }
      });
    });
    shared_.connections.mark(*entry_, ConnectionState::kIdle, nullptr);
    shared_.metrics.connections.fetch_add(1);
  }
  void leave() {
    if (entry_.has_value()) {
      shared_.connections.remove(*std::exchange(entry_, std::nullopt));
      shared_.metrics.connections.fetch_sub(1);
    }
  }

  Shared& shared_;
  PlainStream bytes_;  // until the stream of TLS has them
  std::optional<TlsStream> tls_;
  const std::shared_ptr<asio::ssl::context> context_;
  const std::optional<tcp::endpoint> client_;
  std::optional<ConnectionList::Handle> entry_;  // none before and after
};

}  // namespace

void greet_over_tls(Shared& shared, tcp::socket socket, std::shared_ptr<asio::ssl::context> context,
                    const std::optional<tcp::endpoint>& client) {
  auto greeting = std::make_shared<Greeting>(shared, std::move(socket), std::move(context), client);
  asio::co_spawn(
      greeting->executor(), [greeting]() -> asio::awaitable<void> { return greeting->run(); },
      asio::detached);
}

}  // namespace evq
