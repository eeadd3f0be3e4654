#pragma once
// The options of `evq ingest`, and of the files of `evq query --file`, as the store's loads take
// them. kUsage for what makes no sense. Pure.

#include "cli/options.h"
#include "store/base/result.h"
#include "store/ingest/options.h"

namespace evq {

Result<IngestOptions> make_reading_options(const ReadingOptions& reading);
Result<IngestOptions> make_ingest_options(const IngestCommand& command);

}  // namespace evq
