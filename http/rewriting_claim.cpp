#include "http/rewriting_claim.h"

#include <string>

#include "http/framing.h"

namespace evq {

Status RewritingClaim::take(std::size_t bytes) {
  if (lease_.bytes() + bytes > bytes_max_) {
    return make_error(ErrorCode::kTooLarge, "the body makes more than " + size_text(bytes_max_) +
                                                " of events: send less at once");
  }
  return lease_.grow(bytes).ok()
             ? Status::success()
             : Status(make_error(ErrorCode::kUnavailable,
                                 "other large bodies are being read, try again"));
}

}  // namespace evq
