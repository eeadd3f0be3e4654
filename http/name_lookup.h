#pragma once
// NameLookup: the addresses of a host's name, looked up beside the caller, who may stop waiting at
// any time. The system's resolver cannot be ended once it has begun: what nobody waits for any more
// it ends by itself, within its own time limits. One thread at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace evq {

enum class LookupOutcome : std::uint8_t { kFound, kUnknownName, kNoAnswer, kFailed };

class NameLookup {
 public:
  explicit NameLookup(const std::string& host);

  // False while the resolver works.
  bool is_done() const;
  // When it is done: the addresses in digits, in the order in which to try them.
  LookupOutcome take(std::vector<std::string>* addresses) const;

 private:
  struct Request;
  std::shared_ptr<Request> request_;
};

}  // namespace evq
