#pragma once
// Inputs that are named on the command line, looked at before any of them is read: one that is not
// there is told before events of those before it are stored.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/file.h"
#include "store/base/result.h"

namespace evq {

// Checks that each can be opened for reading and is no directory; "-" always can. Pipes are not
// opened and nothing is waited for. Returns the error of the only one that cannot, as `explained`,
// if given, makes it of what went wrong and the path; of several, one error that names them all.
using InputErrorText = std::function<Error(Error, const std::string& path)>;
Status check_inputs(const std::vector<std::string>& paths, const InputErrorText& explained = {});

// Returns when a regular file was last written to; nothing for any other, and where the time is one
// of those that archives give to all files, from before there were logs to keep.
std::optional<std::int64_t> written_ns(const File& file);

// Checks that a file which begins with `head` is text whose lines can be read where it grows: it is
// not compressed, UTF-16 or anything else that is no text. `named`: its format was, and a log that
// is said to be one may have a zero byte. kUsage or kData with what to do.
Status check_followed_head(const std::string& path, std::string_view head, bool named);

}  // namespace evq
