#include "cli/loading_progress.h"

#include <utility>

#include <unistd.h>

#include "cli/output.h"

namespace evq {
namespace {

class CountedSource final : public ByteSource {
 public:
  CountedSource(std::unique_ptr<ByteSource> source, std::atomic<std::uint64_t>* bytes)
      : source_(std::move(source)), bytes_(bytes) {}
  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t timeout_ms) override {
    auto size = source_->read(buffer, timeout_ms);
    if (size.ok() && size.value().has_value()) {
      *bytes_ += *size.value();
    }
    return size;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::atomic<std::uint64_t>* bytes_;
};

ProgressOptions options_of(const GlobalOptions& global, const std::string& name,
                           const File& input) {
  const auto size = input.size();
  ProgressOptions options;
  options.enabled = shows_progress(global);
  options.label = "loading " + name;
  options.noun = "events";
  options.bytes_total = size.ok() ? size.value() : 0;
  return options;
}

}  // namespace

LoadingProgress::LoadingProgress(const GlobalOptions& global, const std::string& name,
                                 const File& input)
    : line_(options_of(global, name, input)) {
  if (::isatty(input.descriptor()) != 0) {
    print_note(global, "reading standard input; Ctrl-D ends it");
  }
}

std::unique_ptr<ByteSource> LoadingProgress::source_of(File input) {
  return std::make_unique<CountedSource>(file_source(std::move(input)), &bytes_);
}

}  // namespace evq
