#pragma once
// Names of columns that are all different: one that is taken already gets the first number that
// makes it another. A plain value; what is asked of it costs the same however many names there are.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "apl/plan/binding.h"

namespace evq::plan {

class UniqueNames {
 public:
  UniqueNames() = default;
  explicit UniqueNames(const std::vector<NamedColumn>& columns) {
    for (const NamedColumn& column : columns) {
      note(column.name);
    }
  }

  bool is_taken(const std::string& name) const { return taken_.contains(name); }
  // `name` is taken from now on.
  void note(const std::string& name) { taken_.insert(name); }
  // `name`, with a number where it is taken; what this gives is taken from now on.
  std::string take(const std::string& name) {
    std::string given = name;
    if (is_taken(given)) {
      std::size_t& number = numbers_[name];
      do {
        given = name + std::to_string(++number);
      } while (is_taken(given));
    }
    note(given);
    return given;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> numbers_;  // the last one that each name got
};

}  // namespace evq::plan
