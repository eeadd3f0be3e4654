#pragma once
// Points and shapes of GeoJSON on a sphere, for the functions of geography. Longitude first, in
// degrees. Pure functions; any thread.

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/column/dynamic.h"

namespace evq::geo {

inline constexpr double kEarthRadiusMeters = 6371010;  // as in Kusto and S2
inline constexpr double kRadians = std::numbers::pi / 180;

struct Point {
  double x = 0;
  double y = 0;
};

inline bool is_position(double longitude, double latitude) {
  return longitude >= -180 && longitude <= 180 && latitude >= -90 && latitude <= 90;
}

// Reads an array of GeoJSON positions; nullopt when one of them is invalid.
std::optional<std::vector<Point>> positions_of(DynamicView array);

// Calls visit(coordinates) for the one shape of `kind`, or for each of "Multi" + `kind`; false when
// the bag is neither, or when a visit fails.
template <class Visit>
bool each_shape(DynamicView shape, std::string_view kind, const Visit& visit) {
  const DynamicView type = shape.find("type").value_or(DynamicView());
  const DynamicView coordinates = shape.find("coordinates").value_or(DynamicView());
  if (!type.is_string() || !coordinates.is_array() || coordinates.size() == 0) {
    return false;
  }
  if (type.as_string() == kind) {
    return visit(coordinates);
  }
  if (type.as_string() != "Multi" + std::string(kind)) {
    return false;
  }
  DynamicView::Iterator each(coordinates);
  while (each.next()) {
    if (!visit(each.value())) {
      return false;
    }
  }
  return true;
}

using Direction = std::array<double, 3>;  // of unit length, from the center of the sphere

Direction direction_of(Point point);
Point point_of(const Direction& direction);

inline double dot(const Direction& a, const Direction& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Direction cross(const Direction& a, const Direction& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Direction sum_of(double a, const Direction& x, double b, const Direction& y) {
  return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
}
inline double length_of(const Direction& a) {
  return std::sqrt(dot(a, a));
}

}  // namespace evq::geo
