#include "store/column/field_path.h"

namespace evq {

std::vector<std::string> split_field_name(std::string_view name) {
  std::vector<std::string> keys(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size() && name[i + 1] == '.') {
      keys.back().push_back('.');
      ++i;
    } else if (name[i] == '.') {
      keys.emplace_back();
    } else {
      keys.back().push_back(name[i]);
    }
  }
  return keys;
}

}  // namespace evq
