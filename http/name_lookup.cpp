#include "http/name_lookup.h"

#include <array>

#include <netdb.h>
#include <sys/socket.h>

namespace evq {
namespace {

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

}  // namespace

// Lies where the resolver's threads find it, also when nobody waits any more.
struct NameLookup::Request {
  std::string host;
  addrinfo hints{};
  gaicb control{};
  int refused = 0;  // the request itself; then nothing works on it

  ~Request() {
    if (control.ar_result != nullptr) {
      ::freeaddrinfo(control.ar_result);
    }
  }
};

NameLookup::NameLookup(const std::string& host) : request_(std::make_unique<Request>()) {
  request_->host = host;
  request_->hints.ai_socktype = SOCK_STREAM;
  request_->control.ar_name = request_->host.c_str();
  request_->control.ar_request = &request_->hints;
  gaicb* list = &request_->control;
  request_->refused = ::getaddrinfo_a(GAI_NOWAIT, &list, 1, nullptr);
}

NameLookup::~NameLookup() {
  if (!is_done() && ::gai_cancel(&request_->control) == EAI_NOTCANCELED) {
    // A thread works on it and will write to it: some hundred bytes for each name that hangs.
    static_cast<void>(request_.release());
  }
}

bool NameLookup::is_done() const {
  return request_->refused != 0 || ::gai_error(&request_->control) != EAI_INPROGRESS;
}

LookupOutcome NameLookup::take(std::vector<std::string>* addresses) const {
  const int code = request_->refused != 0 ? request_->refused : ::gai_error(&request_->control);
  if (code != 0) {
    return outcome_of(code);
  }
  for (const addrinfo* at = request_->control.ar_result; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> digits{};
    if (::getnameinfo(at->ai_addr, at->ai_addrlen, digits.data(), digits.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      addresses->emplace_back(digits.data());
    }
  }
  return addresses->empty() ? LookupOutcome::kUnknownName : LookupOutcome::kFound;
}

}  // namespace evq
