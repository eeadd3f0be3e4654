#pragma once
// Polygons of GeoJSON on a sphere. Edges are the shortest ways between corners, and a ring parts
// off the smaller side, whichever way it goes round. Pure functions; any thread.

#include <optional>
#include <vector>

#include "apl/functions/geo_shape.h"

namespace evq::geo {

using Ring = std::vector<Point>;  // its corners; the last one is joined to the first

struct Polygon {
  std::vector<Ring> rings;  // the outer one, then holes; what belongs to it is left of all of them
};

// Reads a bag of type Polygon or MultiPolygon; nullopt when it is neither, or has a ring of fewer
// than three different corners.
std::optional<std::vector<Polygon>> polygons_of(DynamicView shape);

bool contains(const Polygon& polygon, Point point);

struct Extent {
  double area = 0;       // in steradians
  double perimeter = 0;  // in radians
};

// Measures the union of all polygons: shared area counts once. nullopt when so many edges lie near
// each other that it would take too long: more than a thousand in each of two.
std::optional<Extent> extent_of(const std::vector<Polygon>& polygons);

}  // namespace evq::geo
