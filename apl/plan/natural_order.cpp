#include "apl/plan/natural_order.h"

#include <algorithm>

#include "store/base/ascii.h"

namespace evq::plan {
namespace {

// The run of digits at the start of `text`, leading zeros dropped; `size` gets its full length.
std::string_view digit_run(std::string_view text, std::size_t* size) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  *size = end;
  std::string_view run = text.substr(0, end);
  while (run.size() > 1 && run.front() == '0') {
    run.remove_prefix(1);
  }
  return run;
}

}  // namespace

int compare_granny(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      std::size_t a_size = 0;
      std::size_t b_size = 0;
      const std::string_view a_run = digit_run(a, &a_size);
      const std::string_view b_run = digit_run(b, &b_size);
      if (a_run.size() != b_run.size()) {
        return a_run.size() < b_run.size() ? -1 : 1;
      }
      if (const int order = a_run.compare(b_run); order != 0) {
        return order;
      }
      a.remove_prefix(a_size);
      b.remove_prefix(b_size);
      continue;
    }
    if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front()) ? -1 : 1;
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() ? (b.empty() ? 0 : -1) : 1;
}

void sort_names(ast::ReorderDirection direction, std::vector<NamedColumn>* columns) {
  const bool granny = direction == ast::ReorderDirection::kGrannyAsc ||
                      direction == ast::ReorderDirection::kGrannyDesc;
  const bool descending =
      direction == ast::ReorderDirection::kDesc || direction == ast::ReorderDirection::kGrannyDesc;
  if (direction == ast::ReorderDirection::kNone) {
    return;
  }
  std::ranges::stable_sort(*columns, [&](const NamedColumn& a, const NamedColumn& b) {
    const NamedColumn& first = descending ? b : a;
    const NamedColumn& second = descending ? a : b;
    return granny ? compare_granny(first.name, second.name) < 0 : first.name < second.name;
  });
}

}  // namespace evq::plan
