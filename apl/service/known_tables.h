#pragma once
// KnownTables: the tables of a completion source as binding sees them, kept for as long as they are
// believed. One thread at a time; the source must outlive them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/plan/table_source.h"
#include "apl/service/completion_source.h"

namespace evq {

class KnownTables final : public plan::TableSource {
 public:
  explicit KnownTables(CompletionSource& source) : source_(source) {}

  // Forgets what is believed no longer.
  void expire();
  // Returns why something could not be had since expire(), in a few words; empty when all could be.
  const std::string& failure() const { return failure_; }
  Result<plan::TableInfo> table(std::string_view name) override;
  Result<std::vector<std::string>> table_names() override;
  // kUnsupported: no rows are read.
  Result<plan::LocationBounds> locate(const plan::TableRef& table, std::int64_t time,
                                      std::uint64_t ordinal) override;

 private:
  void note_failure(const Error& error, const std::string& words);

  CompletionSource& source_;
  std::int64_t filled_ns_ = 0;
  std::string failure_;
  std::map<std::string, plan::TableInfo, std::less<>> tables_;
  std::optional<std::vector<std::string>> names_;
};

}  // namespace evq
