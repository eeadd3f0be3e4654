// Geography on a sphere of the Earth's mean radius: distances by the haversine formula, points in
// circles, points in polygons whose edges are lines of longitude and latitude. Longitude first.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"

namespace evq {
namespace {

constexpr double kEarthRadiusMeters = 6371008.8;

bool is_position(double longitude, double latitude) {
  return longitude >= -180 && longitude <= 180 && latitude >= -90 && latitude <= 90;
}

std::optional<double> distance(double longitude1, double latitude1, double longitude2,
                               double latitude2) {
  if (!is_position(longitude1, latitude1) || !is_position(longitude2, latitude2)) {
    return std::nullopt;
  }
  constexpr double kRadians = std::numbers::pi / 180;
  const double sin_latitude = std::sin((latitude2 - latitude1) * kRadians / 2);
  const double sin_longitude = std::sin((longitude2 - longitude1) * kRadians / 2);
  const double haversine = sin_latitude * sin_latitude + std::cos(latitude1 * kRadians) *
                                                             std::cos(latitude2 * kRadians) *
                                                             sin_longitude * sin_longitude;
  return 2 * kEarthRadiusMeters * std::asin(std::sqrt(std::min(1.0, haversine)));
}

std::optional<bool> in_circle(double longitude, double latitude, double center_longitude,
                              double center_latitude, double radius) {
  const std::optional<double> meters =
      distance(longitude, latitude, center_longitude, center_latitude);
  return meters.has_value() && radius >= 0 ? std::optional(*meters <= radius) : std::nullopt;
}

struct Point {
  double x = 0;
  double y = 0;
  auto operator<=>(const Point&) const = default;
};

std::optional<std::vector<Point>> ring_of(DynamicView array) {
  std::vector<Point> ring;
  DynamicView::Iterator each(array);
  while (each.next()) {
    const DynamicView x = each.value().at(0);
    const DynamicView y = each.value().at(1);
    if (!x.is_number() || !y.is_number() || !is_position(x.as_real(), y.as_real())) {
      return std::nullopt;
    }
    ring.push_back({x.as_real(), y.as_real()});
  }
  std::vector<Point> corners = ring;
  std::ranges::sort(corners);
  const auto [repeats, end] = std::ranges::unique(corners);
  constexpr std::ptrdiff_t kCornersMin = 3;
  return repeats - corners.begin() >= kCornersMin ? std::optional(std::move(ring)) : std::nullopt;
}

// Counts the edges to the east: inside when odd.
bool inside(const std::vector<Point>& ring, Point p) {
  bool result = false;
  for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
    const Point a = ring[i];
    const Point b = ring[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) {
      result = !result;
    }
  }
  return result;
}

// A polygon of GeoJSON: the outer ring, then holes.
std::optional<bool> in_rings(DynamicView rings, Point point) {
  bool result = false;
  DynamicView::Iterator each(rings);
  for (bool outer = true; each.next(); outer = false) {
    const std::optional<std::vector<Point>> ring = ring_of(each.value());
    if (!ring.has_value()) {
      return std::nullopt;
    }
    const bool within = inside(*ring, point);
    result = outer ? within : result && !within;
  }
  return rings.size() > 0 ? std::optional(result) : std::nullopt;
}

std::optional<bool> in_polygon(double longitude, double latitude, DynamicView polygon) {
  if (!is_position(longitude, latitude)) {
    return std::nullopt;
  }
  const DynamicView coordinates = polygon.find("coordinates").value_or(DynamicView());
  const DynamicView kind = polygon.find("type").value_or(DynamicView());
  if (!kind.is_string() || !coordinates.is_array()) {
    return std::nullopt;
  }
  if (kind.as_string() == "Polygon") {
    return in_rings(coordinates, {longitude, latitude});
  }
  if (kind.as_string() != "MultiPolygon") {
    return std::nullopt;
  }
  DynamicView::Iterator each(coordinates);
  bool any = false;
  while (each.next()) {
    const std::optional<bool> within = in_rings(each.value(), {longitude, latitude});
    if (!within.has_value()) {
      return std::nullopt;
    }
    any = any || *within;
  }
  return any;
}

constexpr std::array<ScalarFunction, 3> kGeoFunctions = {{
    {.name = "geo_distance_2points",
     .category = "geo",
     .summary = "The shortest distance of two points on the Earth, in meters.",
     .params = {{{"longitude1", "Longitude of the first point, in degrees."},
                 {"latitude1", "Its latitude."},
                 {"longitude2", "Longitude of the second point."},
                 {"latitude2", "Its latitude."}}},
     .returns = "A real, on a sphere of radius 6,371,008.8 m; null for invalid positions.",
     .examples = {{{"print round(geo_distance_2points(0, 0, 0, 1) / 1000, 1)", "111.2"}}},
     .overloads = {lift<distance>()}},
    {.name = "geo_point_in_circle",
     .category = "geo",
     .summary = "Whether a point on the Earth lies within a distance of another.",
     .params = {{{"longitude", "Longitude of the point, in degrees."},
                 {"latitude", "Its latitude."},
                 {"center_longitude", "Longitude of the center."},
                 {"center_latitude", "Its latitude."},
                 {"radius", "The distance, in meters."}}},
     .returns = "A bool; null for invalid positions and negative distances.",
     .examples = {{{"print geo_point_in_circle(0, 0.5, 0, 0, 60000)", "true"}}},
     .overloads = {lift<in_circle>()}},
    {.name = "geo_point_in_polygon",
     .category = "geo",
     .summary = "Whether a point lies within a polygon of GeoJSON.",
     .params = {{{"longitude", "Longitude of the point, in degrees."},
                 {"latitude", "Its latitude."},
                 {"polygon", "A bag of type Polygon or MultiPolygon with coordinates."}}},
     .returns = "A bool, edges taken as straight on a map of longitude and latitude; null for "
                "invalid positions and polygons.",
     .examples = {{{"print geo_point_in_polygon(1, 1, dynamic({'type': 'Polygon', 'coordinates': "
                    "[[[0, 0], [3, 0], [0, 3], [0, 0]]]}))",
                    "true"}}},
     .overloads = {lift<in_polygon>()}},
}};

}  // namespace

std::span<const ScalarFunction> geo_functions() {
  return kGeoFunctions;
}

}  // namespace evq
