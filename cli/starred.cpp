// evq starred: saved queries, the API's StarredQuery objects.

#include "cli/commands.h"
#include "cli/output.h"

namespace evq {

int run_starred(const GlobalOptions& /*global*/, const StarredCommand& /*command*/) {
  return report_error(make_error(ErrorCode::kUnsupported, "saved queries are not there yet"));
}

}  // namespace evq
