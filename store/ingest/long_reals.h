#pragma once
// LongReals: the texts of an event's numbers that may be times of more digits than a real keeps:
// the nearest real of a time in seconds is some hundred nanoseconds off. One thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/base/time_parse.h"
#include "store/ingest/cell.h"

namespace evq {

class LongReals {
 public:
  // Notes the value of a node as it was written; the text must outlive the event.
  void note(std::uint32_t node, double value, std::string_view text) {
    if (text.size() > kDigits && value >= kTimeMin) {
      reals_.push_back({node, value, text});
    }
  }
  void clear() { reals_.clear(); }
  // The time that a noted cell tells with all of its digits; nothing for other cells.
  std::optional<std::int64_t> time_of(const Cell& cell) const {
    const auto real = std::find_if(reals_.rbegin(), reals_.rend(), [&](const LongReal& each) {
      return cell.kind == CellKind::kReal && cell.node == each.node && cell.real == each.value;
    });
    const bool plain = real != reals_.rend() &&
                       real->text.find_first_not_of("0123456789.") == std::string_view::npos;
    return plain ? parse_event_time(real->text) : std::nullopt;
  }

 private:
  static constexpr std::size_t kDigits = 16;  // of a real, with its point
  static constexpr double kTimeMin = 1e8;     // a time of so many seconds

  struct LongReal {
    std::uint32_t node;
    double value;
    std::string_view text;
  };

  std::vector<LongReal> reals_;
};

}  // namespace evq
