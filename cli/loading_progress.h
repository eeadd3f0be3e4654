#pragma once
// LoadingProgress: the progress line of one input while it is loaded, where standard error is a
// terminal: see Progress. Its source may be read by another thread; all else is for one.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "cli/options.h"
#include "cli/terminal/progress.h"
#include "store/base/file.h"
#include "store/ingest/byte_source.h"

namespace evq {

class LoadingProgress {
 public:
  // `name` is what people call the input. A note says how a terminal, which is read like any other
  // input, is ended.
  LoadingProgress(const GlobalOptions& global, const std::string& name, const File& input);

  // Returns the input, compressed or not, as a source that counts what is read of it.
  std::unique_ptr<ByteSource> source_of(File input);
  // Shows how many events of it are loaded.
  void update(std::uint64_t events) { line_.update({bytes_.load(), events}); }
  // Removes the line; must be called before anything else is written.
  void clear() { line_.clear(); }

 private:
  std::atomic<std::uint64_t> bytes_ = 0;
  Progress line_;
};

}  // namespace evq
