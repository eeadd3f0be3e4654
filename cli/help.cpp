// evq help TOPIC: a function, aggregate or operator explained from its own row.

#include <utility>

#include "apl/service/reference.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace evq {

int run_help(const GlobalOptions& /*global*/, const HelpCommand& command) {
  const auto text = command.topic.empty() ? Result<std::string>(reference_overview())
                                          : reference_topic(command.topic);
  if (!text.ok()) {
    return report_error(text.error());
  }
  (void)stdout_sink()(text.value()).ok();
  return 0;
}

}  // namespace evq
