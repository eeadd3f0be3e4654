// Geohashes: cells of longitude and latitude that are halved in turns, longitude first, five
// halvings a character. Cells have straight edges on a map. Longitude first everywhere.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/ascii.h"

namespace evq {
namespace {

constexpr std::string_view kGeohashDigits = "0123456789bcdefghjkmnpqrstuvwxyz";
constexpr int kGeohashBitsPerDigit = 5;
constexpr std::int64_t kGeohashLengthDefault = 5;
constexpr std::size_t kGeohashLengthMax = 18;

// The column and row of a cell in the grid of all cells of its length, from the south west.
struct GeohashCell {
  std::uint64_t column = 0;
  std::uint64_t row = 0;
  std::size_t length = 0;

  int column_bits() const { return (static_cast<int>(length) * kGeohashBitsPerDigit + 1) / 2; }
  int row_bits() const { return static_cast<int>(length) * kGeohashBitsPerDigit / 2; }
  // Both are sums of powers of two, and so exact.
  double west(double columns) const { return std::ldexp(360 * columns, -column_bits()) - 180; }
  double south(double rows) const { return std::ldexp(180 * rows, -row_bits()) - 90; }
};

std::optional<GeohashCell> cell_of(std::string_view hash) {
  if (hash.empty() || hash.size() > kGeohashLengthMax) {
    return std::nullopt;
  }
  GeohashCell cell{0, 0, hash.size()};
  bool halves_longitude = true;
  for (const char c : hash) {
    const std::size_t digit = kGeohashDigits.find(to_lower(c));
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    for (int bit = kGeohashBitsPerDigit - 1; bit >= 0; --bit) {
      std::uint64_t& half = halves_longitude ? cell.column : cell.row;
      half = half << 1U | (digit >> static_cast<unsigned>(bit) & 1U);
      halves_longitude = !halves_longitude;
    }
  }
  return cell;
}

std::string hash_of(const GeohashCell& cell) {
  std::string hash;
  int columns_left = cell.column_bits();
  int rows_left = cell.row_bits();
  bool halves_longitude = true;
  for (std::size_t i = 0; i < cell.length; ++i) {
    std::size_t digit = 0;
    for (int bit = 0; bit < kGeohashBitsPerDigit; ++bit) {
      const std::uint64_t half =
          halves_longitude ? cell.column >> --columns_left & 1U : cell.row >> --rows_left & 1U;
      digit = digit << 1U | static_cast<std::size_t>(half);
      halves_longitude = !halves_longitude;
    }
    hash.push_back(kGeohashDigits[digit]);
  }
  return hash;
}

// The place of `value` among 2 ^ bits equal parts of [low, low + width); the end is in the last.
std::uint64_t part_of(double value, double low, double width, int bits) {
  const double part = std::floor(std::ldexp((value - low) / width, bits));
  return std::min(static_cast<std::uint64_t>(part), (std::uint64_t{1} << bits) - 1);
}

std::optional<std::string> point_to_geohash_of(double longitude, double latitude,
                                               std::int64_t digits) {
  const bool valid = std::fabs(longitude) <= 180 && std::fabs(latitude) <= 90 && digits >= 1 &&
                     digits <= static_cast<std::int64_t>(kGeohashLengthMax);
  if (!valid) {
    return std::nullopt;
  }
  GeohashCell cell{0, 0, static_cast<std::size_t>(digits)};
  cell.column = part_of(longitude, -180, 360, cell.column_bits());
  cell.row = part_of(latitude, -90, 180, cell.row_bits());
  return hash_of(cell);
}

std::optional<std::string> point_to_geohash(double longitude, double latitude) {
  return point_to_geohash_of(longitude, latitude, kGeohashLengthDefault);
}

void add_position(double longitude, double latitude, DynamicBuilder* out) {
  out->begin_array();
  out->add_real(longitude);
  out->add_real(latitude);
  out->end_array();
}

MaybeDynamic geohash_to_central_point(std::string_view hash) {
  const std::optional<GeohashCell> cell = cell_of(hash);
  if (!cell.has_value()) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_bag();
  out.key("type");
  out.add_string("Point");
  out.key("coordinates");
  add_position(cell->west(static_cast<double>(cell->column) + 0.5),
               cell->south(static_cast<double>(cell->row) + 0.5), &out);
  out.end_bag();
  return DynamicBytes{out.take()};
}

// Counterclockwise from the south west, and back there.
MaybeDynamic geohash_to_polygon(std::string_view hash) {
  const std::optional<GeohashCell> cell = cell_of(hash);
  if (!cell.has_value()) {
    return std::nullopt;
  }
  constexpr std::array<std::pair<int, int>, 5> kCorners = {
      {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}};
  DynamicBuilder out;
  out.begin_bag();
  out.key("type");
  out.add_string("Polygon");
  out.key("coordinates");
  out.begin_array();
  out.begin_array();
  for (const auto& [east, north] : kCorners) {
    add_position(cell->west(static_cast<double>(cell->column) + east),
                 cell->south(static_cast<double>(cell->row) + north), &out);
  }
  out.end_array();
  out.end_array();
  out.end_bag();
  return DynamicBytes{out.take()};
}

// In the order of Kusto. Columns meet at 180 degrees; beyond the poles there are no rows.
MaybeDynamic geohash_neighbors(std::string_view hash) {
  const std::optional<GeohashCell> cell = cell_of(hash);
  if (!cell.has_value()) {
    return std::nullopt;
  }
  constexpr std::array<std::pair<int, int>, 8> kSteps = {
      {{-1, -1}, {-1, 1}, {1, -1}, {0, 1}, {-1, 0}, {1, 1}, {1, 0}, {0, -1}}};
  const std::uint64_t columns = std::uint64_t{1} << cell->column_bits();
  const std::uint64_t rows = std::uint64_t{1} << cell->row_bits();
  DynamicBuilder out;
  out.begin_array();
  for (const auto& [east, north] : kSteps) {
    GeohashCell neighbor = *cell;
    neighbor.column = (cell->column + columns + static_cast<std::uint64_t>(east)) % columns;
    neighbor.row = cell->row + static_cast<std::uint64_t>(north);
    if (neighbor.row < rows) {  // one row south of the first wraps to a number far above
      out.add_string(hash_of(neighbor));
    }
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

constexpr ParameterDoc kGeohash{"geohash", "A geohash of 1 to 18 characters."};

constexpr std::array<ScalarFunction, 4> kGeohashFunctions = {{
    {.name = "geo_geohash_neighbors",
     .category = "geo",
     .summary = "The geohashes of the cells around one.",
     .params = {{kGeohash}},
     .returns = "An array of eight, of five at a pole; null for an invalid geohash.",
     .examples = {{{"print array_length(geo_geohash_neighbors('sunny'))", "8"}}},
     .overloads = {lift<geohash_neighbors>()}},
    {.name = "geo_geohash_to_central_point",
     .category = "geo",
     .summary = "The center of a geohash's cell.",
     .params = {{kGeohash}},
     .returns = "A Point of GeoJSON; null for an invalid geohash.",
     .examples = {{{"print geo_geohash_to_central_point('s0')['coordinates']", "[5.625,2.8125]"}}},
     .overloads = {lift<geohash_to_central_point>()}},
    {.name = "geo_geohash_to_polygon",
     .category = "geo",
     .summary = "A geohash's cell.",
     .params = {{kGeohash}},
     .returns = "A Polygon of GeoJSON; null for an invalid geohash.",
     .examples = {{{"print geo_geohash_to_polygon('s')['coordinates'][0][2]", "[45,45]"}}},
     .overloads = {lift<geohash_to_polygon>()}},
    {.name = "geo_point_to_geohash",
     .category = "geo",
     .summary = "The geohash of the cell in which a point lies: near points share a beginning.",
     .params = {{{"longitude", "Longitude of the point, in degrees."},
                 {"latitude", "Its latitude."},
                 {"[length]", "How many characters, 1 to 18; 5 when left out, cells of 4.9 km."}}},
     .returns = "string; null for invalid positions and lengths.",
     .examples = {{{"print geo_point_to_geohash(-80.195829, 25.802215, 8)", "dhwfz15h"}}},
     .overloads = {lift<point_to_geohash>(), lift<point_to_geohash_of>()}},
}};

}  // namespace

std::span<const ScalarFunction> geohash_functions() {
  return kGeohashFunctions;
}

}  // namespace evq
