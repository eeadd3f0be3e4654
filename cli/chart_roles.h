#pragma once
// What the columns of an answer are for a picture, by their types and by the properties of
// `render`, and the numbers in them. All functions are pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/result_writer.h"
#include "store/column/chunk.h"
#include "store/column/dynamic.h"

namespace evq {

struct ChartRoles {
  std::optional<std::size_t> axis;
  std::vector<std::size_t> numbers;
  std::vector<std::size_t> names;
  bool arrays = false;  // make-series: each row holds a whole series
};

ChartRoles assign_chart_roles(const ResultHeader& header, const std::vector<Chunk>& chunks);
// Takes the first number as the axis of points without a time; it is none of their numbers then.
void take_number_as_axis(const std::vector<Field>& fields, ChartRoles* roles);

// Returns the values of a property of `render` that holds several; none when it is not given.
std::vector<std::string> listed_property(const ResultHeader& header, std::string_view property);
std::optional<double> number_property(const ResultHeader& header, std::string_view property);

bool is_number(Type type);
// Returns a number, timespans in seconds; NaN for null and what is none.
double number_of(const Vector& column, std::size_t row);
double number_of(DynamicView value);

}  // namespace evq
