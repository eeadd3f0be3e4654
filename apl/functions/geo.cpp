// Geography on a sphere: distances by the haversine formula, lengths, directions, points in
// circles, and what geo_polygon.h knows of polygons. Longitude first.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/functions/dynamic_elements.h"
#include "apl/functions/geo_polygon.h"
#include "apl/functions/geo_shape.h"
#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/limits.h"

namespace evq {
namespace {

using geo::cross;
using geo::Direction;
using geo::direction_of;
using geo::dot;
using geo::is_position;
using geo::kEarthRadiusMeters;
using geo::kRadians;
using geo::Point;

std::optional<double> distance(double longitude1, double latitude1, double longitude2,
                               double latitude2) {
  if (!is_position(longitude1, latitude1) || !is_position(longitude2, latitude2)) {
    return std::nullopt;
  }
  const double sin_latitude = std::sin((latitude2 - latitude1) * kRadians / 2);
  const double sin_longitude = std::sin((longitude2 - longitude1) * kRadians / 2);
  const double haversine = sin_latitude * sin_latitude + std::cos(latitude1 * kRadians) *
                                                             std::cos(latitude2 * kRadians) *
                                                             sin_longitude * sin_longitude;
  return 2 * kEarthRadiusMeters * std::asin(std::sqrt(std::min(1.0, haversine)));
}

// The way over the ellipsoid of WGS 84, by T. Vincenty's inverse formula (1975); nothing for points
// so nearly opposite that it does not settle.
std::optional<double> vincenty_distance(double longitude1, double latitude1, double longitude2,
                                        double latitude2) {
  constexpr double kEquatorMeters = 6378137;
  constexpr double kFlattening = 1 / 298.257223563;
  constexpr double kPoleMeters = kEquatorMeters * (1 - kFlattening);
  constexpr int kRoundsMax = 200;
  constexpr double kSettled = 1e-12;
  const double difference = (longitude2 - longitude1) * kRadians;
  const double reduced1 = std::atan((1 - kFlattening) * std::tan(latitude1 * kRadians));
  const double reduced2 = std::atan((1 - kFlattening) * std::tan(latitude2 * kRadians));
  const double sines = std::sin(reduced1) * std::sin(reduced2);
  const double cosines = std::cos(reduced1) * std::cos(reduced2);
  double lambda = difference;
  for (int round = 0; round < kRoundsMax; ++round) {
    const double across = std::cos(reduced2) * std::sin(lambda);
    const double along = std::cos(reduced1) * std::sin(reduced2) -
                         std::sin(reduced1) * std::cos(reduced2) * std::cos(lambda);
    const double sin_sigma = std::hypot(across, along);
    if (sin_sigma == 0) {
      return 0;
    }
    const double cos_sigma = sines + cosines * std::cos(lambda);
    const double sigma = std::atan2(sin_sigma, cos_sigma);
    const double sin_alpha = cosines * std::sin(lambda) / sin_sigma;
    const double cos2_alpha = 1 - sin_alpha * sin_alpha;
    const double middle = cos2_alpha == 0 ? 0 : cos_sigma - 2 * sines / cos2_alpha;
    const double c = kFlattening / 16 * cos2_alpha * (4 + kFlattening * (4 - 3 * cos2_alpha));
    const double before = lambda;
    lambda = difference +
             (1 - c) * kFlattening * sin_alpha *
                 (sigma + c * sin_sigma * (middle + c * cos_sigma * (2 * middle * middle - 1)));
    if (std::abs(lambda - before) > kSettled) {
      continue;
    }
    const double u2 =
        cos2_alpha * (kEquatorMeters * kEquatorMeters / (kPoleMeters * kPoleMeters) - 1);
    const double a = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)));
    const double b = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)));
    const double shift = b * sin_sigma *
                         (middle + b / 4 *
                                       (cos_sigma * (2 * middle * middle - 1) -
                                        b / 6 * middle * (4 * sin_sigma * sin_sigma - 3) *
                                            (4 * middle * middle - 3)));
    return kPoleMeters * a * (sigma - shift);
  }
  return std::nullopt;
}

std::optional<double> distance_over(double longitude1, double latitude1, double longitude2,
                                    double latitude2, std::optional<bool> spheroid) {
  const std::optional<double> sphere = distance(longitude1, latitude1, longitude2, latitude2);
  if (!sphere.has_value() || !spheroid.value_or(false)) {
    return sphere;
  }
  const std::optional<double> exact =
      vincenty_distance(longitude1, latitude1, longitude2, latitude2);
  return exact.has_value() ? exact : sphere;
}

std::optional<bool> in_circle(double longitude, double latitude, double center_longitude,
                              double center_latitude, double radius) {
  const std::optional<double> meters =
      distance(longitude, latitude, center_longitude, center_latitude);
  return meters.has_value() && radius >= 0 ? std::optional(*meters <= radius) : std::nullopt;
}

using Polygons = std::optional<std::vector<geo::Polygon>>;

std::optional<bool> in_one_of(const Polygons& polygons, Point point) {
  if (!polygons.has_value() || !is_position(point.x, point.y)) {
    return std::nullopt;
  }
  return std::ranges::any_of(
      *polygons, [&](const geo::Polygon& polygon) { return geo::contains(polygon, point); });
}

// Neighbouring rows mostly have the same shape: each thread keeps the polygons of the last one,
// unless they are so large that they would have to be charged to somebody.
std::optional<bool> in_polygon(double longitude, double latitude, DynamicView shape) {
  constexpr std::size_t kShapeBytesKept = kMebibyte;
  if (shape.bytes().size() > kShapeBytesKept) {
    return in_one_of(geo::polygons_of(shape), {longitude, latitude});
  }
  thread_local std::string last;
  thread_local Polygons polygons;
  if (shape.bytes() != last) {
    last.clear();  // what follows may throw
    polygons = geo::polygons_of(shape);
    last = shape.bytes();
  }
  return in_one_of(polygons, {longitude, latitude});
}

double way_length(const std::vector<Point>& points) {
  double length = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    length += distance(points[i - 1].x, points[i - 1].y, points[i].x, points[i].y).value_or(0);
  }
  return length;
}

std::optional<double> line_length(DynamicView line) {
  double length = 0;
  const bool valid = geo::each_shape(line, "LineString", [&](DynamicView coordinates) {
    const std::optional<std::vector<Point>> points = geo::positions_of(coordinates);
    length += points.has_value() ? way_length(*points) : 0;
    return points.has_value() && points->size() > 1;
  });
  return valid ? std::optional(length) : std::nullopt;
}

std::optional<geo::Extent> extent_of(DynamicView shape) {
  const std::optional<std::vector<geo::Polygon>> polygons = geo::polygons_of(shape);
  return polygons.has_value() ? geo::extent_of(*polygons) : std::nullopt;
}

std::optional<double> polygon_area(DynamicView shape) {
  const std::optional<geo::Extent> extent = extent_of(shape);
  return extent.has_value() ? std::optional(extent->area * kEarthRadiusMeters * kEarthRadiusMeters)
                            : std::nullopt;
}

std::optional<double> polygon_perimeter(DynamicView shape) {
  const std::optional<geo::Extent> extent = extent_of(shape);
  return extent.has_value() ? std::optional(extent->perimeter * kEarthRadiusMeters) : std::nullopt;
}

// Clockwise from north; nothing between a point and itself or its antipode.
std::optional<double> azimuth(double longitude1, double latitude1, double longitude2,
                              double latitude2) {
  if (!is_position(longitude1, latitude1) || !is_position(longitude2, latitude2)) {
    return std::nullopt;
  }
  const Direction normal =
      cross(direction_of({longitude1, latitude1}), direction_of({longitude2, latitude2}));
  constexpr double kTouching = 1e-24;  // the square of some micrometers, by the sphere's radius
  if (dot(normal, normal) < kTouching) {
    return std::nullopt;
  }
  const double turn = (longitude2 - longitude1) * kRadians;
  const double from = latitude1 * kRadians;
  const double to = latitude2 * kRadians;
  const double angle =
      std::atan2(std::sin(turn) * std::cos(to),
                 std::cos(from) * std::sin(to) - std::sin(from) * std::cos(to) * std::cos(turn));
  return angle < 0 ? angle + 2 * std::numbers::pi : angle;
}

// To the great circle where its nearest point lies between the ends, else to the nearer end.
double distance_to_edge(Point point, Point from, Point to) {
  const Direction p = direction_of(point);
  const Direction a = direction_of(from);
  const Direction b = direction_of(to);
  const Direction normal = cross(a, b);
  const double length = std::sqrt(dot(normal, normal));
  if (length > 0 && dot(cross(normal, a), p) > 0 && dot(cross(b, normal), p) > 0) {
    return kEarthRadiusMeters * std::asin(std::min(1.0, std::fabs(dot(normal, p)) / length));
  }
  return std::min(distance(point.x, point.y, from.x, from.y).value_or(0),
                  distance(point.x, point.y, to.x, to.y).value_or(0));
}

std::optional<double> distance_to_line(double longitude, double latitude, DynamicView line) {
  if (!is_position(longitude, latitude)) {
    return std::nullopt;
  }
  double nearest = std::numeric_limits<double>::infinity();
  const bool valid = geo::each_shape(line, "LineString", [&](DynamicView coordinates) {
    const std::optional<std::vector<Point>> points = geo::positions_of(coordinates);
    for (std::size_t i = 1; points.has_value() && i < points->size(); ++i) {
      nearest = std::min(nearest,
                         distance_to_edge({longitude, latitude}, (*points)[i - 1], (*points)[i]));
    }
    return points.has_value() && points->size() > 1;
  });
  return valid ? std::optional(nearest) : std::nullopt;
}

constexpr ParameterDoc kLine{"line", "A bag of type LineString or MultiLineString."};
constexpr ParameterDoc kPolygon{"polygon", "A bag of type Polygon or MultiPolygon."};

constexpr std::array<ScalarFunction, 8> kGeoFunctions = {{
    {.name = "geo_azimuth",
     .category = "geo",
     .summary = "The direction from one point on the Earth to another.",
     .params = {{{"longitude1", "Longitude of the first point, in degrees."},
                 {"latitude1", "Its latitude."},
                 {"longitude2", "Longitude of the second point."},
                 {"latitude2", "Its latitude."}}},
     .returns =
         "A real: the angle in radians, clockwise from north; null for invalid positions and "
         "for points that are equal or opposite to each other.",
     .examples = {{{"print round(degrees(geo_azimuth(0, 0, 1, 0)), 6)", "90"}}},
     .overloads = {lift<azimuth>()}},
    {.name = "geo_distance_2points",
     .category = "geo",
     .summary = "The shortest distance of two points on the Earth, in meters.",
     .params = {{{"longitude1", "Longitude of the first point, in degrees."},
                 {"latitude1", "Its latitude."},
                 {"longitude2", "Longitude of the second point."},
                 {"latitude2", "Its latitude."},
                 {"[spheroid]", "True for the ellipsoid of WGS 84 rather than a sphere."}}},
     .returns = "A real, on a sphere of radius 6,371,010 m unless told otherwise; null for invalid "
                "positions.",
     .examples = {{{"print round(geo_distance_2points(0, 0, 0, 1) / 1000, 1)", "111.2"},
                   {"print round(geo_distance_2points(0, 0, 0, 1, true) / 1000, 3)", "110.574"}}},
     .overloads = {lift<distance_over>()}},
    {.name = "geo_distance_point_to_line",
     .category = "geo",
     .summary = "The shortest distance of a point to a line on the Earth, in meters.",
     .params = {{{"longitude", "Longitude of the point, in degrees."},
                 {"latitude", "Its latitude."},
                 kLine}},
     .returns = "A real; the line's edges are the shortest ways. Null for invalid positions and "
                "lines.",
     .examples = {{{"print round(geo_distance_point_to_line(0, 1, dynamic({'type': 'LineString', "
                    "'coordinates': [[-9, 0], [9, 0]]})) / 1000, 1)",
                    "111.2"}}},
     .overloads = {lift<distance_to_line>()}},
    {.name = "geo_line_length",
     .category = "geo",
     .summary = "The length of a line on the Earth, in meters.",
     .params = {{kLine}},
     .returns = "A real; what several lines share counts for each of them. Null for invalid lines.",
     .examples = {{{"print round(geo_line_length(dynamic({'type': 'LineString', 'coordinates': "
                    "[[0, 0], [0, 1], [0, 0]]})) / 1000, 1)",
                    "222.4"}}},
     .overloads = {lift<line_length>()}},
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
     .returns = "A bool; edges are the shortest ways, rings part off the smaller side. Null for "
                "invalid positions and polygons.",
     .examples = {{{"print geo_point_in_polygon(1, 1, dynamic({'type': 'Polygon', 'coordinates': "
                    "[[[0, 0], [3, 0], [0, 3], [0, 0]]]}))",
                    "true"}}},
     .overloads = {lift<in_polygon>()}},
    {.name = "geo_polygon_area",
     .category = "geo",
     .summary = "The area of a polygon on the Earth, in square meters.",
     .params = {{kPolygon}},
     .returns =
         "A real; edges are the shortest ways, holes are left out, and what several polygons "
         "share counts once. Null for invalid polygons, and for several near each other with more "
         "than 1,000,000 pairs of edges.",
     .examples = {{{"print round(geo_polygon_area(dynamic({'type': 'Polygon', 'coordinates': [[[0, "
                    "0], [1, 0], [1, 1], [0, 1], [0, 0]]]})) / 1e6)",
                    "12364"}}},
     .overloads = {lift<polygon_area>()}},
    {.name = "geo_polygon_perimeter",
     .category = "geo",
     .summary = "The length of a polygon's borders on the Earth, in meters.",
     .params = {{kPolygon}},
     .returns =
         "A real; the borders of holes belong to it, and of borders of several polygons what "
         "no other of them covers. Null where geo_polygon_area() is.",
     .examples = {{{"print round(geo_polygon_perimeter(dynamic({'type': 'Polygon', 'coordinates': "
                    "[[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]})) / 1000, 1)",
                    "444.8"}}},
     .overloads = {lift<polygon_perimeter>()}},
}};

}  // namespace

std::span<const ScalarFunction> geo_functions() {
  return kGeoFunctions;
}

}  // namespace evq
