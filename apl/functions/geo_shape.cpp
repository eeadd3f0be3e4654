#include "apl/functions/geo_shape.h"

namespace evq::geo {

std::optional<std::vector<Point>> positions_of(DynamicView array) {
  std::vector<Point> positions;
  DynamicView::Iterator each(array);
  while (each.next()) {
    const DynamicView x = each.value().at(0);
    const DynamicView y = each.value().at(1);
    if (!x.is_number() || !y.is_number() || !is_position(x.as_real(), y.as_real())) {
      return std::nullopt;
    }
    positions.push_back({x.as_real(), y.as_real()});
  }
  return positions;
}

Direction direction_of(Point point) {
  const double longitude = point.x * kRadians;
  const double latitude = point.y * kRadians;
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
          std::sin(latitude)};
}

Point point_of(const Direction& direction) {
  return {std::atan2(direction[1], direction[0]) / kRadians,
          std::atan2(direction[2], std::hypot(direction[0], direction[1])) / kRadians};
}

}  // namespace evq::geo
