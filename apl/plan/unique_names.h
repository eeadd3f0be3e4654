#pragma once
// Names of columns that are all different: one that is taken already gets the first number that
// makes it another. A plain value; what is asked of it costs the same however many names there are,
// but a look through the schema that it may begin with.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "apl/plan/binding.h"
#include "store/column/schema.h"

namespace evq::plan {

class UniqueNames {
 public:
  UniqueNames() = default;
  explicit UniqueNames(const std::vector<NamedColumn>& columns) {
    for (const NamedColumn& column : columns) {
      note(column.name);
    }
  }

  // The names of a schema, which are not copied: for operators that add few to many.
  explicit UniqueNames(Schema schema) : schema_(std::move(schema)) {}

  bool is_taken(const std::string& name) const {
    return taken_.contains(name) || schema_.find(name).has_value();
  }
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
  Schema schema_;
  std::unordered_set<std::string> taken_;                 // besides those of the schema
  std::unordered_map<std::string, std::size_t> numbers_;  // the last one that each name got
};

}  // namespace evq::plan
