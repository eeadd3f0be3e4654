#pragma once
// FollowedFile: one file of those that a follower reads: how far it was read and stored, and the
// cutter and the lines that are under way. Its place is known again by a checksum of what stands
// before it. Errors: kIo, and kUnavailable for want of descriptors. One thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cli/follow_parts.h"
#include "cli/follow_progress.h"
#include "cli/followed_path.h"
#include "cli/growing_file.h"
#include "store/base/file.h"
#include "store/ingest/input_before.h"
#include "store/ingest/options.h"
#include "store/ingest/piece_cutter.h"

namespace evq {

// What reads a file for as long as it grows: one cutter for all of it, so that its events are the
// same as where it is read at once.
struct FollowedLines {
  FollowedLines(const File& file, std::uint64_t begins_at, std::string trace,
                const IngestOptions& options, const std::function<std::int64_t()>& clock,
                const InputBefore* before, bool has_parts)
      : begin(begins_at),
        source(file, begins_at, std::move(trace)),
        cutter(source, options, clock, before),
        batch(has_parts) {}

  const std::uint64_t begin;  // in the file, of the source
  GrowingFile source;
  PieceCutter cutter;
  PartBatch batch;                // what waits to be stored
  std::uint64_t batch_begin = 0;  // in the file
  InputBefore batch_before;
};

struct FollowedFile {
  // Begins at the start of the file.
  FollowedFile(File opened, const FileIdentity& identity);

  // What stands before a place; less than a trace where the file ends before it.
  Result<std::string> read_before(std::uint64_t place) const;
  // Whether what stands before the offset of `known` is what stood there; goes on there if so.
  Result<bool> go_on(const FollowProgress& known);
  void read_anew();
  // Moves the offset behind all that `lines` has read: what is not stored of it is no event.
  void pass_read();
  // Whether the system still gives what comes next; a file server may have lost the file.
  bool is_readable() const;

  const File file;
  FollowProgress progress;
  std::string before;                  // the offset, as far as a trace goes
  std::optional<FollowedLines> lines;  // none until the file's first line is there
  bool at_end = false;                 // at the last look nothing more was there
  std::uint64_t seen_bytes = 0;        // its size before that look
  std::int64_t grown_ns = 0;           // when something was read of it last
  // Since when another file has its name, as far as is known.
  std::optional<std::int64_t> renamed_ns;
};

// Returns where an open file is to be read from that has come to the path: where it was let go of,
// if one of `known` is the file and what stood there stands there still, or else its start.
FollowProgress reading_start(const File& file, std::span<const FollowProgress> known);

// Returns the file that a run before this one has read, under the path or as rotation renamed it,
// at the place that `known` has for it; null when it is not to be found, or was written anew. Fails
// when what seems to be it cannot be opened, as for want of descriptors.
Result<std::unique_ptr<FollowedFile>> find_followed(const FollowedPath& path,
                                                    const FollowProgress& known);

}  // namespace evq
