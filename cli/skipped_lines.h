#pragma once
// SkippedLines tells on stderr which parts of an input became no events: the first ones each with
// its place, of the others how many they are.

#include <cstdint>
#include <string>

#include "cli/options.h"
#include "store/ingest/options.h"

namespace evq {

class SkippedLines {
 public:
  explicit SkippedLines(const GlobalOptions& global) : global_(global) {}

  // Tells of one as "app.log:17:3: expected a value (line skipped)", or counts it.
  void note(const std::string& file, const IngestFailure& failure);
  // Notes how many parts were not told of, if any.
  void note_rest() const;
  // Returns the place of the first one, "app.log:17:3"; empty when there was none.
  const std::string& first_place() const { return first_place_; }

 private:
  const GlobalOptions& global_;
  std::uint64_t count_ = 0;
  std::string first_place_;
};

}  // namespace evq
