#include "http/name_lookup.h"

#include <array>
#include <atomic>
#include <new>

#include <netdb.h>
#include <sys/socket.h>

#include "store/base/thread_pool.h"

namespace evq {
namespace {

// Look-ups at once. Each may hang for as long as the resolver waits for its servers.
constexpr std::size_t kLookupsMax = 16;

// Never joined: the program may end while a name hangs.
ThreadPool& lookup_threads() {
  static auto* const threads = new ThreadPool(kLookupsMax);
  return *threads;
}

LookupOutcome outcome_of(int code) {
  switch (code) {
    case 0:
      return LookupOutcome::kFound;
    case EAI_AGAIN:
      return LookupOutcome::kNoAnswer;
    case EAI_NONAME:
    case EAI_NODATA:
      return LookupOutcome::kUnknownName;
    default:
      return LookupOutcome::kFailed;
  }
}

std::vector<std::string> digits_of(const addrinfo* found) {
  std::vector<std::string> addresses;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> digits{};
    if (::getnameinfo(at->ai_addr, at->ai_addrlen, digits.data(), digits.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      addresses.emplace_back(digits.data());
    }
  }
  return addresses;
}

}  // namespace

// Of whoever waits and of the thread that works on it, for as long as either is there.
struct NameLookup::Request {
  explicit Request(const std::string& name) : host(name) {}

  void look_up() {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (code == 0) {
      try {
        addresses = digits_of(found);
      } catch (const std::bad_alloc&) {
        code = EAI_MEMORY;
      }
      ::freeaddrinfo(found);
    }
    done.store(true, std::memory_order_release);
  }

  const std::string host;
  int code = 0;
  std::vector<std::string> addresses;
  std::atomic<bool> done{false};  // then the two above may be read
};

NameLookup::NameLookup(const std::string& host) : request_(std::make_shared<Request>(host)) {
  lookup_threads().submit([request = request_] { request->look_up(); });
}

bool NameLookup::is_done() const {
  return request_->done.load(std::memory_order_acquire);
}

LookupOutcome NameLookup::take(std::vector<std::string>* addresses) const {
  if (request_->code != 0) {
    return outcome_of(request_->code);
  }
  *addresses = request_->addresses;
  return addresses->empty() ? LookupOutcome::kUnknownName : LookupOutcome::kFound;
}

}  // namespace evq
