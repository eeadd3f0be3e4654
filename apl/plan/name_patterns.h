#pragma once
// NamePatterns: which names some patterns match. Names without a star, which may be thousands, are
// looked up; with the others each name is compared, under an AllocationMeter no longer than the
// query may take. A plain value; it lives as long as the patterns.

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "apl/syntax/ast_expr.h"
#include "store/base/allocation_meter.h"

namespace evq::plan {

class NamePatterns {
 public:
  explicit NamePatterns(std::span<const ast::NamePattern> patterns) {
    for (const ast::NamePattern& pattern : patterns) {
      add(pattern);
    }
  }
  NamePatterns() = default;

  void add(const ast::NamePattern& pattern) {
    if (pattern.is_wild()) {
      wild_.push_back(&pattern);
    } else if (!pattern.parts.empty()) {
      plain_.insert(pattern.parts.front());
    }
  }
  // Whether one of the patterns without a star is `name`.
  bool has(std::string_view name) const { return plain_.contains(name); }
  bool match(std::string_view name) const {
    AllocationMeter::poll();
    return has(name) || std::ranges::any_of(wild_, [name](const ast::NamePattern* pattern) {
             return pattern->matches(name);
           });
  }

 private:
  std::unordered_set<std::string_view> plain_;
  std::vector<const ast::NamePattern*> wild_;
};

}  // namespace evq::plan
