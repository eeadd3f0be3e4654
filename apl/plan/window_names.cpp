#include "apl/plan/window_names.h"

#include <array>

namespace evq::plan {
namespace {

struct WindowName {
  std::string_view name;
  WindowKind kind;
};

constexpr std::array<WindowName, 7> kWindowNames = {{
    {"row_number", WindowKind::kRowNumber},
    {"row_cumsum", WindowKind::kRowCumsum},
    {"row_rank_dense", WindowKind::kRowRankDense},
    {"row_rank_min", WindowKind::kRowRankMin},
    {"prev", WindowKind::kPrev},
    {"next", WindowKind::kNext},
    {"row_window_session", WindowKind::kRowWindowSession},
}};

}  // namespace

std::optional<WindowKind> find_window_function(std::string_view name) {
  for (const WindowName& row : kWindowNames) {
    if (row.name == name) {
      return row.kind;
    }
  }
  return std::nullopt;
}

std::uint64_t rows_ahead(const WindowCall& call) {
  const bool ahead = call.kind == WindowKind::kNext || call.kind == WindowKind::kNear;
  return ahead ? static_cast<std::uint64_t>(call.offset) : 0;
}

}  // namespace evq::plan
