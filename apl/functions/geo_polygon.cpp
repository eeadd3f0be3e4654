// The area left of a closed way is what its edges have between them and the equator, with sign, and
// half the sphere when it goes round a pole. That sum needs no order of edges: the area of a union
// follows from the parts of borders that no other polygon covers.

#include "apl/functions/geo_polygon.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq::geo {
namespace {

constexpr double kHalfSphere = 2 * std::numbers::pi;
// Places nearer than this, some micrometers, are one.
constexpr double kSamePlace = 1e-12;

// From one longitude to another the shorter way round, in degrees.
double turn_between(double from, double to) {
  const double turn = to - from;
  return turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
}

struct BorderSums {
  double turns = 0;  // eastwards, in radians
  double below = 0;  // the area between the border and the equator, in steradians

  void add(Point from, Point to) {
    const double tan_from = std::tan(from.y * kRadians / 2);
    const double tan_to = std::tan(to.y * kRadians / 2);
    const double turn = turn_between(from.x, to.x) * kRadians;
    turns += turn;
    below += 2 * std::atan2(std::tan(turn / 2) * (tan_from + tan_to), 1 + tan_from * tan_to);
  }
  bool round_pole() const { return std::fabs(turns) > std::numbers::pi; }
  // Caps at both poles have a sum below zero; another one is there by rounding alone.
  double area_left() const {
    const double area = (round_pole() ? kHalfSphere : 0) - below;
    return area < -1 ? area + 2 * kHalfSphere : std::max(area, 0.0);
  }
  // Of a single ring.
  double smaller_side() const {
    const double area = std::fabs(below);
    return round_pole() ? kHalfSphere - area : std::min(area, 2 * kHalfSphere - area);
  }
  bool smaller_side_left() const {
    return round_pole() ? below >= 0 : (below <= 0) == (std::fabs(below) <= kHalfSphere);
  }
};

BorderSums sums_of(const Ring& ring) {
  BorderSums sums;
  for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
    sums.add(ring[j], ring[i]);
  }
  return sums;
}

// Whether a point lies on the smaller side: the edges north of it are counted, on its meridian. An
// odd number parts it from the north pole.
bool inside(const Ring& ring, Point p) {
  bool odd = false;
  double turns = 0;
  for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
    const double from = turn_between(p.x, ring[j].x);
    const double to = turn_between(p.x, ring[i].x);
    turns += turn_between(ring[j].x, ring[i].x);
    if ((from > 0) == (to > 0) || std::fabs(to - from) >= 180) {
      continue;
    }
    const double tan_latitude = (std::tan(ring[j].y * kRadians) * std::sin(to * kRadians) -
                                 std::tan(ring[i].y * kRadians) * std::sin(from * kRadians)) /
                                std::sin((to - from) * kRadians);
    odd = odd != (std::tan(p.y * kRadians) < tan_latitude);
  }
  if (std::fabs(turns) < 180) {
    return odd;
  }
  const BorderSums sums = sums_of(ring);
  const bool holds_north_pole = (sums.turns > 0) == (sums.below > 0);
  return odd != holds_north_pole;
}

// With the smaller side left of it, or right of it when it is a hole.
std::optional<Ring> ring_of(DynamicView array, bool is_hole) {
  std::optional<Ring> ring = positions_of(array);
  if (!ring.has_value()) {
    return std::nullopt;
  }
  std::set<std::pair<double, double>> corners;
  for (const Point& point : *ring) {
    corners.emplace(point.x, point.y);
  }
  constexpr std::size_t kCornersMin = 3;
  if (corners.size() < kCornersMin) {
    return std::nullopt;
  }
  if (sums_of(*ring).smaller_side_left() == is_hole) {
    std::ranges::reverse(*ring);
  }
  return ring;
}

// A part of a border: of one great circle, shorter than half of it.
struct Edge {
  Point begin;
  Point end;
  Direction from;
  Direction to;
  Direction normal;  // the border's left
  double angle = 0;  // from end to end
  double slack = 0;  // how far off rounding may have put the great circle of a short edge

  Edge(Point first, Point last)
      : begin(first),
        end(last),
        from(direction_of(first)),
        to(direction_of(last)),
        normal(cross(from, to)) {
    const double length = length_of(normal);
    angle = std::atan2(length, dot(from, to));
    normal = length > 0 ? sum_of(1 / length, normal, 0, normal) : normal;
    slack = kSamePlace + (length > 0 ? 1e-15 / length : 0);
  }
  // How far along the great circle a place of it is.
  double at(const Direction& place) const {
    return std::atan2(dot(cross(from, place), normal), dot(from, place));
  }
  Direction place(double along) const {
    return sum_of(std::cos(along), from, std::sin(along), cross(normal, from));
  }
  bool holds(const Direction& place) const {
    const double along = at(place);
    return std::fabs(dot(place, normal)) < slack && along > -kSamePlace &&
           along < angle + kSamePlace;
  }
};

std::vector<Edge> edges_of(const Polygon& polygon) {
  std::vector<Edge> edges;
  for (const Ring& ring : polygon.rings) {
    for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
      const Edge edge(ring[j], ring[i]);
      if (edge.angle > kSamePlace) {
        edges.push_back(edge);
      }
    }
  }
  return edges;
}

// A polygon's outer ring fits in a cap of this center and radius.
struct Cap {
  Direction center{};
  double radius = 0;

  explicit Cap(const Ring& ring) {
    for (const Point& corner : ring) {
      center = sum_of(1, center, 1, direction_of(corner));
    }
    const double length = length_of(center);
    center = length > 0 ? sum_of(1 / length, center, 0, center) : Direction{0, 0, 1};
    for (const Point& corner : ring) {
      radius =
          std::max(radius, std::acos(std::clamp(dot(center, direction_of(corner)), -1.0, 1.0)));
    }
    // An edge may leave a larger cap between its ends.
    radius = radius < std::numbers::pi / 2 ? radius : std::numbers::pi;
  }
  bool meets(const Cap& other) const {
    return std::acos(std::clamp(dot(center, other.center), -1.0, 1.0)) <=
           radius + other.radius + kSamePlace;
  }
};

// A polygon among those it may share something with.
struct Member {
  const Polygon* polygon = nullptr;
  std::vector<Edge> edges;
  std::vector<std::size_t> near;  // other members
};

class UnionOf {
 public:
  explicit UnionOf(const std::vector<Member>& members) : members_(members) {}

  Extent measure() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const Edge& edge : members_[i].edges) {
        add_uncovered(i, edge);
      }
    }
    return {sums_.area_left(), perimeter_};
  }

 private:
  // A place of an edge, which has one value for both borders that meet there: what they have below
  // them would not cancel out else.
  struct Cut {
    double along = 0;
    Point point;
    bool is_corner = false;
  };

  // The places where an edge meets the borders of other polygons, from its beginning to its end.
  std::vector<Cut> cuts_of(std::size_t member, const Edge& edge) {
    std::vector<Cut> cuts = {{0, edge.begin, true}, {edge.angle, edge.end, true}};
    const auto cut = [&](const Edge& other, const Direction& place, Point point, bool is_corner) {
      const double along = edge.at(place);
      if (along > 0 && along < edge.angle && edge.holds(place) && other.holds(place)) {
        cuts.push_back({along, point, is_corner});
      }
    };
    for (const std::size_t j : members_[member].near) {
      poll_.add(members_[j].edges.size());
      for (const Edge& other : members_[j].edges) {
        cut(other, other.from, other.begin, true);
        cut(other, other.to, other.end, true);
        const Direction line = cross(edge.normal, other.normal);
        const double length = length_of(line);
        if (length > edge.slack + other.slack) {
          const Direction place = sum_of(1 / length, line, 0, line);
          const Direction opposite = sum_of(-1 / length, line, 0, line);
          cut(other, place, point_of(place), false);
          cut(other, opposite, point_of(opposite), false);
        }
      }
    }
    std::ranges::sort(cuts, {}, &Cut::along);
    return merged(cuts);
  }

  // Of places that are one, a corner stands for all: both borders know it.
  static std::vector<Cut> merged(const std::vector<Cut>& cuts) {
    std::vector<Cut> places;
    for (const Cut& cut : cuts) {
      if (places.empty() || cut.along - places.back().along > kSamePlace) {
        places.push_back(cut);
      } else if (cut.is_corner && !places.back().is_corner) {
        places.back() = cut;
      }
    }
    return places;
  }

  // Whether another polygon has what is left of a border at this place of it, or counts it.
  bool is_covered(std::size_t member, const Edge& edge, const Direction& place) {
    return std::ranges::any_of(members_[member].near, [&](std::size_t j) {
      poll_.add(1 + members_[j].edges.size());
      for (const Edge& other : members_[j].edges) {
        if (other.holds(place) && std::fabs(dot(other.normal, edge.normal)) > 0.5) {
          return dot(other.normal, edge.normal) < 0 || j < member;
        }
      }
      return contains(*members_[j].polygon, point_of(place));
    });
  }

  void add_uncovered(std::size_t member, const Edge& edge) {
    const std::vector<Cut> cuts = cuts_of(member, edge);
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const Cut& from = cuts[i - 1];
      const Cut& to = cuts[i];
      if (!is_covered(member, edge, edge.place((from.along + to.along) / 2))) {
        sums_.add(from.point, to.point);
        perimeter_ += to.along - from.along;
      }
    }
  }

  const std::vector<Member>& members_;
  BorderSums sums_;
  double perimeter_ = 0;
  PollCounter poll_;
};

Extent extent_alone(const Polygon& polygon) {
  Extent extent;
  for (const Ring& ring : polygon.rings) {
    const bool outer = &ring == polygon.rings.data();
    extent.area += (outer ? 1 : -1) * sums_of(ring).smaller_side();
  }
  for (const Edge& edge : edges_of(polygon)) {
    extent.perimeter += edge.angle;
  }
  return extent;
}

}  // namespace

std::optional<std::vector<Polygon>> polygons_of(DynamicView shape) {
  std::vector<Polygon> polygons;
  const bool valid = each_shape(shape, "Polygon", [&](DynamicView rings) {
    Polygon polygon;
    DynamicView::Iterator each(rings);
    while (each.next()) {
      std::optional<Ring> ring = ring_of(each.value(), !polygon.rings.empty());
      if (!ring.has_value()) {
        return false;
      }
      polygon.rings.push_back(*std::move(ring));
    }
    polygons.push_back(std::move(polygon));
    return !polygons.back().rings.empty();
  });
  return valid ? std::optional(std::move(polygons)) : std::nullopt;
}

bool contains(const Polygon& polygon, Point point) {
  return inside(polygon.rings[0], point) &&
         std::none_of(polygon.rings.begin() + 1, polygon.rings.end(),
                      [&](const Ring& hole) { return inside(hole, point); });
}

std::optional<Extent> extent_of(const std::vector<Polygon>& polygons) {
  std::vector<Cap> caps;
  caps.reserve(polygons.size());
  for (const Polygon& polygon : polygons) {
    caps.emplace_back(polygon.rings[0]);
  }
  Extent extent;
  std::vector<Member> members;
  std::vector<std::size_t> numbers(polygons.size());  // of members
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    bool alone = true;
    pairs += polygons.size();
    for (std::size_t j = 0; j < polygons.size() && alone; ++j) {
      alone = i == j || !caps[i].meets(caps[j]);
    }
    if (alone) {
      const Extent more = extent_alone(polygons[i]);
      extent.area += more.area;
      extent.perimeter += more.perimeter;
      continue;
    }
    numbers[i] = members.size();
    members.push_back({&polygons[i], edges_of(polygons[i]), {}});
    for (std::size_t j = 0; j < i; ++j) {
      if (caps[i].meets(caps[j])) {
        members[numbers[j]].near.push_back(numbers[i]);
        members[numbers[i]].near.push_back(numbers[j]);
        pairs += members[numbers[i]].edges.size() * members[numbers[j]].edges.size();
      }
    }
    if (pairs > kPolygonEdgePairsMax) {
      return std::nullopt;
    }
  }
  if (!members.empty()) {
    const Extent shared = UnionOf(members).measure();
    extent.area += shared.area;
    extent.perimeter += shared.perimeter;
  }
  return extent;
}

}  // namespace evq::geo
