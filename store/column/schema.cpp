#include "store/column/schema.h"

#include <utility>

namespace evq {

Schema::Schema() : Schema(std::vector<Field>()) {}

Schema::Schema(std::vector<Field> fields)
    : fields_(std::make_shared<const std::vector<Field>>(std::move(fields))) {}

std::optional<std::size_t> Schema::find(std::string_view name) const {
  for (std::size_t i = 0; i < fields_->size(); ++i) {
    if ((*fields_)[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace evq
