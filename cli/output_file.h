#pragma once
// Writing the file that a user has named: it is whole, or not there. Nothing is kept between calls;
// one thread at a time, for a pipe makes the process deaf to SIGPIPE meanwhile.

#include <functional>
#include <string>

#include "apl/service/result_writer.h"
#include "store/base/control.h"
#include "store/base/result.h"

namespace evq {

// Gives `produce` a sink, and puts what it has written there under `path` when it succeeds, durable
// on return: until then it is beside that, in a file of its own named "<path>.<number>.partial",
// and a failure leaves nothing. Of two that write one path at once, the last one's file stays. A
// file that is replaced lends its permissions, a new one has those that the umask leaves; a
// symbolic link leads to the file. A pipe or a device cannot be replaced: it is written to as it
// is. `control` ends the wait for the reader of a named pipe.
Status write_output_file(const std::string& path, const QueryControl& control,
                         const std::function<Status(const ByteSink& out)>& produce);

}  // namespace evq
