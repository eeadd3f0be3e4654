// Formats of times; models of series; geography.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("formats") {
  const Value time = at("2024-05-01T13:04:05.678Z");
  const auto text = text_value;
  check_calls({
      {"format_datetime", {time, text("yyyy-MM-dd HH:mm:ss.fff")}, "2024-05-01 13:04:05.678"},
      {"format_datetime", {time, text("d/M/yy h:mm tt")}, "1/5/24 1:04 PM"},
      {"format_datetime", {time, text("s.FFFFFFF")}, "5.678"},
      {"format_timespan", {Value::timespan(-90 * kMinuteNs), text("hh:mm:ss")}, "-01:30:00"},
      {"format_timespan", {Value::timespan(INT64_MIN), text("d")}, "-106751"},
  });
}

TEST_CASE("models of series") {
  std::string json = "[";
  for (int i = 0; i < 60; ++i) {
    json.append(i == 0 ? "" : ",").append(std::to_string(i % 6 == 0 ? 100 : 10));
  }
  const Value seasonal = json_value(json + "]");
  check_calls({
      {"series_fit_line", {json_value("[1,3,5]")}, "[1,2,4,0,1,[1,3,5]]"},
      {"series_fit_line", {json_value("[1]")}, "null"},
      {"series_outliers", {json_value("[0,1,0,1,0,1,0,1,0,1,0,9]")}, "[0,0,0,0,0,0,0,0,0,0,0,8]"},
  });
  const Value season = call_shaped("series_seasonal", {seasonal}, {ArgumentShape::kFlat});
  const DynamicView values(season.as_text());
  REQUIRE(values.size() == 60);
  CHECK(values.at(0).as_real() == 100);
  CHECK(values.at(6).as_real() == doctest::Approx(values.at(0).as_real()));
  CHECK(values.at(1).as_real() == 10);
}

TEST_CASE("geography") {
  const auto real = [](double number) { return Value::real(number); };
  const Value square = json_value(
      R"({"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]]})");
  check_calls({
      {"geo_point_in_polygon", {real(3), real(3), square}, "true"},
      {"geo_point_in_polygon", {real(1.5), real(1.5), square}, "false"},
      {"geo_point_in_polygon", {real(5), real(3), square}, "false"},
      {"geo_point_in_polygon", {real(500), real(3), square}, "null"},
      {"geo_point_in_circle", {real(0), real(0.5), real(0), real(0), real(60000)}, "true"},
      {"geo_distance_2points", {real(0), real(91), real(0), real(0)}, "null"},
  });
  const Value half = call_shaped("geo_distance_2points", {real(0), real(0), real(180), real(0)},
                                 std::vector<ArgumentShape>(4, ArgumentShape::kFlat));
  CHECK(half.as_real() == doctest::Approx(20015114.4).epsilon(1e-6));
}

}  // namespace
}  // namespace evq
