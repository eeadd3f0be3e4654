#pragma once
// FollowForm: what the lines of a followed file are. The first lines tell it once: every file of
// the name is read in the same way. kUsage and kData for what cannot be followed. One thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/base/control.h"
#include "store/base/file.h"
#include "store/ingest/input_before.h"
#include "store/ingest/options.h"

namespace evq {

class FollowForm {
 public:
  // Takes the options of the command; `path` is for errors.
  static Result<FollowForm> make(IngestOptions options, std::string path);

  // Looks at how a file begins that is to be read from `offset` on. False while too little is there
  // to tell what its lines are, of which more may come unless it is `over`.
  Result<bool> tell(const File& file, std::uint64_t offset, bool over);

  // What one would know who has read the file up to the offset.
  Result<InputBefore> before(const File& file, std::uint64_t offset,
                             const std::function<std::int64_t()>& clock,
                             const QueryControl& control) const;

  // Of its lines. They stay where they are while the form does.
  const IngestOptions& options() const { return options_; }
  // The lines may be parts of others, as a container's runtime wrote them.
  bool has_parts() const { return containers_ == Containers::kParts; }
  // Whether the events of a batch are other text than the batch, and that text.
  bool rewrites() const { return containers_.value_or(Containers::kNone) != Containers::kNone; }
  std::string rewritten(std::string_view batch) const;

 private:
  enum class Containers : std::uint8_t { kNone, kNamed, kParts };

  FollowForm(IngestOptions options, std::string path)
      : options_(std::move(options)), path_(std::move(path)) {}
  void look_for_containers(std::string_view head);
  Status choose_format(std::string_view head, std::uint64_t offset);

  IngestOptions options_;
  std::string path_;
  std::optional<Containers> containers_;
};

}  // namespace evq
