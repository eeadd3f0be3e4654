#pragma once
// Names of columns that are all different: one that is taken already gets the first number that
// makes it another. A plain value; what is asked of it costs the same however many names there are,
// but a look through the schema that it may begin with.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/column/schema.h"

namespace evq {

class UniqueNames {
 public:
  UniqueNames() = default;
  // The names of columns of any kind that has one.
  template <class Column>
  explicit UniqueNames(const std::vector<Column>& columns) {
    for (const Column& column : columns) {
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
    if (is_taken(name)) {
      return take_numbered(name, "", 1);
    }
    note(name);
    return name;
  }
  // `name`, `between` and the first number, from `first`, that makes it another.
  std::string take_numbered(const std::string& name, std::string_view between, std::size_t first) {
    std::size_t& number = numbers_[name];
    std::string given;
    do {
      number = std::max(number + 1, first);
      given = name + std::string(between) + std::to_string(number);
    } while (is_taken(given));
    note(given);
    return given;
  }

 private:
  Schema schema_;
  std::unordered_set<std::string> taken_;                 // besides those of the schema
  std::unordered_map<std::string, std::size_t> numbers_;  // the last one that each name got
};

}  // namespace evq
