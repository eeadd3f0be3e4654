// Nodes that the binder does not make yet.

#include "apl/exec/executor.h"

namespace evq {
namespace {

Status pending() { return make_error(ErrorCode::kInternal, "a node without an implementation"); }

}  // namespace

Status run_transform(Executor& /*executor*/, const plan::Node& /*node*/, Consumer& /*consumer*/) {
  return pending();
}

}  // namespace evq
