#pragma once
// Schema: the ordered columns (name and type) of a table, immutable and cheap to copy. Names need
// not be unique; find gives the first. Any thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/column/type.h"

namespace evq {

struct Field {
  std::string name;
  Type type = Type::kNull;
  friend bool operator==(const Field&, const Field&) = default;
};

class Schema {
 public:
  Schema();
  explicit Schema(std::vector<Field> fields);

  std::size_t size() const { return fields_->size(); }
  const Field& operator[](std::size_t i) const { return (*fields_)[i]; }
  const std::vector<Field>& fields() const { return *fields_; }
  // The position of the first field called `name`, exact and case-sensitive.
  std::optional<std::size_t> find(std::string_view name) const;

  friend bool operator==(const Schema& a, const Schema& b) { return *a.fields_ == *b.fields_; }

 private:
  std::shared_ptr<const std::vector<Field>> fields_;
};

}  // namespace evq
