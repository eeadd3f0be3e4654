#pragma once
// The options of `evq ingest` as the store's loads take them, for whole inputs and followed files.
// kUsage for what makes no sense. Pure.

#include "cli/options.h"
#include "store/base/result.h"
#include "store/ingest/options.h"

namespace evq {

Result<IngestOptions> make_ingest_options(const IngestCommand& command);

}  // namespace evq
