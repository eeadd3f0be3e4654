#pragma once
// Limits of the command line alone, each with the reason for its number; store/base/limits.h has
// those that the server shares. Sizes are bytes unless the name says otherwise; times carry their
// unit in the name.

#include <cstddef>
#include <cstdint>

#include "store/base/limits.h"

namespace evq {

// Part of a followed file that waits for the end of one line, which the runtime of a container took
// apart: room for the largest value, and as much of what the other stream says meanwhile.
inline constexpr std::size_t kOpenPartBytesMax = 2 * kFieldValueBytesMax;
// A followed file that rotation has renamed is given up when nothing has come to it for so long:
// daemons write on to it until they open the new one, web servers until their last request is done.
inline constexpr std::int64_t kRenamedFileQuietMs = 300'000;
// Files of one name that a follower keeps open: those of a program that begins a new one every few
// seconds are given up sooner. While a server is away more wait, for rotation goes on.
inline constexpr std::size_t kFollowedFilesMax = 16;
inline constexpr std::size_t kFollowedFilesWaitingMax = 4096;

}  // namespace evq
