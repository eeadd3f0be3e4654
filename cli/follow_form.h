#pragma once
// FollowForm: what the lines of a followed file are. The first lines tell it once, as they tell it
// of a file that is loaded whole: every file of the name is read in the same way. kUsage and kData
// for what cannot be followed, as values that are not a line each. One thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/rewritten_source.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/ingest/input_before.h"
#include "store/ingest/options.h"
#include "store/ingest/piece.h"

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
  bool has_parts() const { return kind_ == RewrittenKind::kParts; }
  // Whether the events of a batch are other text than the batch, and that text.
  bool rewrites() const { return kind_.value_or(RewrittenKind::kEvents) != RewrittenKind::kEvents; }
  std::string rewritten(std::string_view batch);
  // Returns the number of the line of the last such batch that this line of its text comes from; of
  // a batch that is not rewritten the same number.
  std::uint64_t line_of(std::uint64_t number) const;

 private:
  FollowForm(IngestOptions options, std::string path)
      : options_(std::move(options)), path_(std::move(path)) {}
  Status look_for_rewriting(std::string_view head);
  Result<bool> choose_format(std::string_view head, std::uint64_t offset, bool over);
  Error refuse(const std::string& hint) const;
  Error refuse_values(std::string_view head, PieceKind kind) const;

  IngestOptions options_;
  std::string path_;
  std::optional<RewrittenKind> kind_;
  std::vector<std::uint64_t> line_ends_;  // lines of the rewritten text behind each of the batch
};

}  // namespace evq
