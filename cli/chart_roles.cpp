#include "cli/chart_roles.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "store/column/dynamic.h"

namespace evq {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// A column of numbers; one of integers and reals is dynamic.
bool holds_numbers(Type type, const std::vector<Chunk>& chunks, std::size_t column) {
  if (type != Type::kDynamic) {
    return is_number(type);
  }
  bool any = false;
  for (const Chunk& chunk : chunks) {
    const Vector& values = chunk.column(column);
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      const DynamicView value =
          values.is_null(row) ? DynamicView() : DynamicView(values.at<std::string_view>(row));
      if (!value.is_number() && !value.is_null()) {
        return false;
      }
      any = any || value.is_number();
    }
  }
  return any;
}

}  // namespace

bool is_number(Type type) {
  return type == Type::kLong || type == Type::kReal || type == Type::kTimespan;
}

double number_of(const Vector& column, std::size_t row) {
  if (column.is_null(row)) {
    return kNoNumber;
  }
  switch (column.type()) {
    case Type::kLong:
      return static_cast<double>(column.at<std::int64_t>(row));
    case Type::kTimespan:
      return static_cast<double>(column.at<std::int64_t>(row)) / 1e9;
    case Type::kReal:
      return column.at<double>(row);
    case Type::kDynamic:
      return number_of(DynamicView(column.at<std::string_view>(row)));
    case Type::kNull:
    case Type::kBool:
    case Type::kDatetime:
    case Type::kString:
      break;
  }
  return kNoNumber;
}

double number_of(DynamicView value) {
  return value.is_number() ? value.as_real() : kNoNumber;
}

std::vector<std::string> listed_property(const ResultHeader& header, std::string_view property) {
  std::vector<std::string> names;
  for (const auto& [name, value] : header.render_properties) {
    for (std::size_t begin = 0; name == property && begin <= value.size();) {
      const std::size_t end = std::min(value.find(',', begin), value.size());
      names.push_back(value.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

ChartRoles assign_chart_roles(const ResultHeader& header, const std::vector<Chunk>& chunks) {
  ChartRoles roles;
  const std::vector<Field>& fields = header.schema.fields();
  const std::vector<std::string> axis = listed_property(header, "xcolumn");
  const std::vector<std::string> numbers = listed_property(header, "ycolumns");
  const std::vector<std::string> series = listed_property(header, "series");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool group = contains(header.group_names, fields[i].name);
    const bool time = fields[i].type == Type::kDatetime;
    if (contains(axis, fields[i].name) || (axis.empty() && time && !roles.axis.has_value())) {
      roles.axis = i;
    } else if (!numbers.empty() ? contains(numbers, fields[i].name)
                                : holds_numbers(fields[i].type, chunks, i) && !group &&
                                      !contains(series, fields[i].name)) {
      roles.numbers.push_back(i);
    } else if (series.empty() ? !time : contains(series, fields[i].name)) {
      roles.names.push_back(i);
    }
  }
  if (!roles.numbers.empty() || chunks.empty()) {
    return roles;
  }
  // Arrays of numbers, as make-series gives them, beside an array of times.
  const Vector* first = nullptr;
  std::vector<std::size_t> names;
  for (const std::size_t i : roles.names) {
    first = &chunks[0].column(i);
    const bool array = fields[i].type == Type::kDynamic && chunks[0].rows() > 0 &&
                       !first->is_null(0) && DynamicView(first->at<std::string_view>(0)).is_array();
    if (!array) {
      names.push_back(i);
      continue;
    }
    const DynamicView element = DynamicView(first->at<std::string_view>(0)).at(0);
    const bool times = element.type() == Type::kDatetime || element.is_string();
    (times && !roles.axis.has_value()) ? void(roles.axis = i) : roles.numbers.push_back(i);
    roles.arrays = true;
  }
  roles.names = names;
  return roles;
}

void take_number_as_axis(const std::vector<Field>& fields, ChartRoles* roles) {
  for (std::size_t i = 0; i < fields.size() && !roles->axis.has_value(); ++i) {
    const bool alone = roles->numbers.size() == 1 && roles->numbers[0] == i;
    if (is_number(fields[i].type) && !alone) {
      roles->axis = i;
      std::erase(roles->numbers, i);
      std::erase(roles->names, i);
    }
  }
}

std::optional<double> number_property(const ResultHeader& header, std::string_view property) {
  const std::vector<std::string> values = listed_property(header, property);
  if (values.empty()) {
    return std::nullopt;
  }
  double number = 0;
  const char* const end = values.back().data() + values.back().size();
  const auto [at, error] = std::from_chars(values.back().data(), end, number);
  return error == std::errc() && at == end && std::isfinite(number) ? std::optional(number)
                                                                    : std::nullopt;
}

}  // namespace evq
