#include "cli/terminal/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cli/terminal/text_width.h"

namespace evq {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

std::vector<double> wave(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(1000 + 1000 * std::sin(static_cast<double>(i) / 6));
  }
  return values;
}

ChartOptions sized() {
  ChartOptions options;
  options.width = 48;
  options.height = 7;
  return options;
}

ChartOptions area() {
  ChartOptions options = sized();
  options.area = true;
  return options;
}

ChartOptions ascii() {
  ChartOptions options = sized();
  options.unicode = false;
  return options;
}

std::vector<std::string> clock_labels(int count) {
  std::vector<std::string> labels;
  for (int i = 0; i < count; ++i) {
    labels.push_back("12:" + std::to_string(i / 10) + std::to_string(i % 10));
  }
  return labels;
}

TEST_CASE("a line with labels") {
  CHECK("\n" + line_chart({{"", wave(60)}}, clock_labels(60), sized()) ==
        R"(
2k ┤    ⡤⠊⠉⠉⠑⠤⡀                    ⢀⠤⠊⠉⠑⠢⣀
   │  ⡰⠊      ⠑⢢                 ⢀⠔⠁      ⠑⢄
   │⢀⠎          ⠱⡀              ⢠⠃         ⠈⠢⡀
1k ┤⠎            ⠑⢄            ⡠⠊            ⠱⡀
   │              ⠈⢆         ⢀⠔⠁              ⠘⢄
   │                ⠱⡀      ⡠⠊
 0 ┤                 ⠈⠢⢄⣀⣀⠤⠊
   └────────────────────────────────────────────
    12:00   12:15      12:30      12:45
)");
}

TEST_CASE("an area") {
  CHECK("\n" + line_chart({{"requests", wave(60)}}, clock_labels(60), area()) ==
        R"(
━ requests
2k ┤    ⣤⣾⣿⣿⣷⣤⡀                    ⢀⣴⣾⣿⣿⣦⣄
   │  ⣰⣿⣿⣿⣿⣿⣿⣿⣷⣦                 ⢀⣴⣿⣿⣿⣿⣿⣿⣿⣷⣄
   │⢀⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⡀              ⢠⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣦⡀
1k ┤⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⣄            ⣠⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⡀
   │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣆         ⢀⣴⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣄
   │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⡀      ⣠⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
 0 ┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣦⣄⣀⣀⣤⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
   └────────────────────────────────────────────
    12:00   12:15      12:30      12:45
)");
}

TEST_CASE("gaps and wide labels") {
  CHECK("\n" + line_chart({{"", {5, 6, kGap, kGap, 8, 2, 9}}},
                          {"a", "b", "c", "d", "e", "f", "日本"}, sized()) ==
        R"(
10 ┤                                           ⢀
   │                             ⠢⡀           ⡰⠁
   │      ⣀⡀                      ⠑⢄        ⢠⠊
 5 ┤⠤⠔⠒⠒⠉⠉                          ⠱⡀     ⡔⠁
   │                                 ⠈⠢⡀ ⡠⠊
   │                                   ⠑⠔⠁
 0 ┤
   └────────────────────────────────────────────
    a             c             e           日本
)");
}

TEST_CASE("two series without colour") {
  CHECK("\n" + line_chart({{"a", {5, 6, 7, 8, 5}}, {"b", {1, 2, 3, 4, 9}}}, {}, sized()) ==
        R"(
● a  ○ b
10 ┤
   │                           ●●●●●●●●       ○○
   │      ●●●●●●●●●●●●●●●●●●●●●        ●●●●●●○
 5 ┤●●●●●●                            ○○○○   ●●●
   │                ○○○○○○○○○○○○○○○○○○
   │○○○○○○○○○○○○○○○○
 0 ┤
   └────────────────────────────────────────────
)");
}

TEST_CASE("two series in plain characters") {
  CHECK("\n" + line_chart({{"a", {5, 6, 7, 8, 5}}, {"b", {1, 2, 3, 4, 9}}}, {"x", "y"}, ascii()) ==
        R"(
* a  o b
10 +
   |                           ********       oo
   |      *********************        ******o
 5 +******                            oooo   ***
   |                oooooooooooooooooo
   |oooooooooooooooo
 0 +
   +--------------------------------------------
    x                                          y
)");
}

TEST_CASE("small differences") {
  CHECK("\n" + line_chart({{"a", {1000.1, 1000.2, 1000.4}}}, {}, sized()) ==
        R"(
━ a
1000.4 ┤                                   ⣀⠤⠔⠒⠉
       │                             ⣀⡠⠤⠒⠊⠉
       │                       ⢀⣀⠤⠒⠊⠉
1000.2 ┤               ⣀⣀⣀⠤⠤⠔⠒⠉⠁
       │  ⣀⣀⣀⠤⠤⠤⠔⠒⠒⠊⠉⠉⠉
       │⠉⠉
1000.0 ┤
       └────────────────────────────────────────
)");
}

TEST_CASE("below zero") {
  CHECK("\n" + line_chart({{"", {-5, 3, kGap}}}, {}, sized()) ==
        R"(
 5 ┤
   │                   ⢀⡠⠔
   │               ⢀⡠⠔⠊⠁
 0 ┤           ⢀⡠⠔⠊⠁
   │       ⢀⡠⠔⠊⠁
   │   ⢀⡠⠔⠊⠁
-5 ┤⡠⠔⠊⠁
   └────────────────────────────────────────────
)");
}

TEST_CASE("one value") {
  CHECK("\n" + line_chart({{"", {7}}}, {"one"}, sized()) ==
        R"(
15 ┤
   │
10 ┤
   │                      ⠄
 5 ┤
   │
 0 ┤
   └────────────────────────────────────────────
                         one
)");
}

TEST_CASE("only gaps") {
  CHECK("\n" + line_chart({{"", {kGap, kGap}}}, {}, sized()) ==
        R"(
1.0 ┤
    │
    │
0.5 ┤
    │
    │
  0 ┤
    └───────────────────────────────────────────
)");
}

TEST_CASE("bars") {
  CHECK("\n" + bar_chart({{"GET", 1200},
                          {"POST", 340.5},
                          {"日本語の長いラベルはここで切られる", 3},
                          {"a\x1b[1m", kGap}},
                         sized()) ==
        R"(
GET             │██████████████████████████ 1.2k
POST            │███████▍ 340
日本語の長いラ… │▏ 3
a\x1b[1m        │ -
)");
}

TEST_CASE("bars on both sides") {
  CHECK("\n" + bar_chart({{"up", 12}, {"down", -6}, {"zero", 0}}, sized()) ==
        R"(
up                │██████████████████████████ 12
down █████████████│ -6
zero              │ 0
)");
}

TEST_CASE("bars in plain characters") {
  CHECK("\n" + bar_chart({{"up", 12}, {"down", -6}, {"tiny", 0.1}}, ascii()) ==
        R"(
up                |######################### 12
down #############| -6
tiny              || 0.1
)");
}

TEST_CASE("sparklines") {
  CHECK("\n" +
            spark_table({{"api", wave(30)}, {"web", {1, 2, kGap, 400}}, {"none", {}}}, sized()) ==
        R"(
                                  min  max  last
api   ▅▅▆▆▇███████▇▇▆▅▄▄▃▂▁▁▁▁▁  1.05   2k   7.3
web   ▁▁ ▂                          1  400   400
none                                -    -     -
)");
}

TEST_CASE("pictures keep to their width, whatever the values") {
  const double huge = std::numeric_limits<double>::max();
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> lists = {
      {},       {0},          {0, 0, 0},        {huge, -huge},    {infinite, -infinite, 1},
      {kGap},   {1e-300},     {1e-300, 2e-300}, {1e15, 1e15 + 1}, wave(5000),
      {-1, -2}, {5, 5, 5, 5},
  };
  for (const std::vector<double>& values : lists) {
    for (const std::size_t width : {std::size_t{0}, std::size_t{24}, std::size_t{79}}) {
      for (const bool unicode : {false, true}) {
        ChartOptions options;
        options.width = width;
        options.height = width / 10;
        options.unicode = unicode;
        options.area = width == 79;
        std::vector<ChartBar> bars;
        for (const double value : values) {
          bars.push_back({"label \xff 日本", value});
        }
        const std::string out = line_chart({{"name", values}, {"other", {1, 2}}}, {}, options) +
                                line_chart({{"", values}}, {"x", "日本語"}, options) +
                                (bars.size() < 10 ? bar_chart(bars, options) : "") +
                                spark_table({{"name", values}}, options);
        for (std::size_t at = 0; at < out.size();) {
          const std::size_t end = out.find('\n', at);
          CHECK(text_width(out.substr(at, end - at)) <= std::max<std::size_t>(width, 40));
          at = end + 1;
        }
      }
    }
  }
  CHECK(line_chart({}, {}, {}).empty());
  CHECK(bar_chart({}, {}).empty());
  CHECK(spark_table({}, {}).empty());
}

TEST_CASE("points stand at their places and are not joined") {
  CHECK("\n" + scatter_chart({{"", {0, 10, kGap, 10, 5}, {0, 10, 3, kGap, 4}}},
                             number_axis(0, 10, 3), sized()) ==
        R"(
10 ┤                                           ⠈
   │
   │
 5 ┤                 ⠠
   │
   │
 0 ┤⡀
   └────────────────────────────────────────────
    0                    5                    10
)");
  CHECK(scatter_chart({}, number_axis(0, 10, 3), sized()).empty());
}

TEST_CASE("an axis of numbers has round ends") {
  using Labels = std::vector<std::string>;
  CHECK(number_axis(3, 97, 5).labels == Labels{"0", "20", "40", "60", "80", "100"});
  CHECK(number_axis(7, 7, 5).low < 7);
  CHECK(number_axis(1e15, 1e15 + 0.25, 5).high > 1e15);
  CHECK(number_axis(-1e308, 1e308, 5).labels.size() >= 2);
}

// The labels of the axis of values, from the top.
std::vector<std::string> value_labels(const std::vector<double>& values, std::size_t height,
                                      const ChartOptions& given = {}) {
  ChartOptions options = given;
  options.height = height;
  const std::string out = line_chart({{"", values}}, {}, options);
  std::vector<std::string> labels;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    const std::string line = out.substr(at, end - at);
    const std::size_t mark = line.find(" ┤");
    if (mark != std::string::npos) {
      labels.push_back(
          line.substr(line.find_first_not_of(' '), mark - line.find_first_not_of(' ')));
    }
    at = end + 1;
  }
  return labels;
}

TEST_CASE("an axis of values has two labels or more, whatever the values and rows") {
  using Labels = std::vector<std::string>;
  CHECK(value_labels({-0.4, 0.4}, 14) == Labels{"0.5", "0", "-0.5"});
  CHECK(value_labels({-4e17, 4e17}, 14) == Labels{"500P", "0", "-500P"});
  CHECK(value_labels({99.95, 99.97}, 14) == Labels{"99.97", "99.96", "99.95"});
  for (const double low : {-7.0, -1.0, -0.9, -0.04, 0.0, 0.3, 4.9}) {
    for (const double span : {1e-3, 0.8, 1.0, 1.9, 3.0, 7.7, 1e9}) {
      for (const std::size_t height : {std::size_t{3}, std::size_t{5}, std::size_t{14}}) {
        CHECK(value_labels({low, low + span}, height).size() >= 2);
      }
    }
  }
}

TEST_CASE("ends of the axis that are asked for") {
  using Labels = std::vector<std::string>;
  ChartOptions options = sized();
  options.low = 2;
  options.high = 6;
  CHECK("\n" + line_chart({{"", {0, 8, 4, 4, 0}}}, {}, options) ==
        R"(
6 ┤        ⡜       ⠈⢢
  │       ⡸          ⠑⢄
  │      ⢰⠁           ⠈⠢⡀
4 ┤     ⢠⠃              ⠑⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⢄
  │    ⢀⠇                            ⠑⢄
  │    ⡎                               ⠣⡀
2 ┤   ⡜                                 ⠈⠢⡀
  └─────────────────────────────────────────────
)");
  CHECK(value_labels({50, 60}, 14, {.low = 0}) == Labels{"60", "40", "20", "0"});
  CHECK(value_labels({50, 60}, 14, {.high = 100}).front() == "100");
  CHECK(value_labels({-1, 1}, 14, {.low = -0.4, .high = 0.4}).size() >= 2);
  // Beyond all values, and none at all.
  CHECK(value_labels({1, 2}, 14, {.low = 100}).size() >= 2);
  CHECK(value_labels({1, 2}, 14, {.low = 5, .high = 3}) == value_labels({1, 2}, 14));
  // Bars stand on zero.
  options = sized();
  options.high = 100;
  CHECK("\n" + bar_chart({{"a", 50}, {"b", 200}}, options) ==
        R"(
a │████████████████████▌ 50
b │█████████████████████████████████████████ 200
)");
}

TEST_CASE("zero belongs to values that are not far from it") {
  CHECK(zero_belongs({{"", {1, 3}}}));
  CHECK(zero_belongs({{"", {-3, -1}}}));
  CHECK_FALSE(zero_belongs({{"", {99.95, 99.97}}}));
  CHECK_FALSE(zero_belongs({{"", {-8, -7}}}));
}

TEST_CASE("a picture fits into so many lines, with five rows at least") {
  ChartOptions options = sized();
  options.height = 14;
  const std::vector<ChartSeries> series = {{"a", {1, 2}}, {"b", {2, 1}}};
  for (const std::size_t lines : {std::size_t{1}, std::size_t{8}, std::size_t{12}}) {
    options.lines_max = lines;
    const std::string out = line_chart(series, {"x", "y"}, options);
    CHECK(static_cast<std::size_t>(std::ranges::count(out, '\n')) ==
          std::max<std::size_t>(lines, 8));
  }
  options.lines_max = 100;
  const std::string out = line_chart(series, {"x", "y"}, options);
  CHECK(std::ranges::count(out, '\n') == 17);
}

TEST_CASE("points that are joined") {
  ChartOptions options = sized();
  options.joined = true;
  CHECK("\n" + scatter_chart({{"", {0, 10, kGap, 5, 0}, {0, 2, 3, 4, 10}}}, number_axis(0, 10, 3),
                             options) ==
        R"(
10 ┤       ⢀⠎
   │      ⢠⠃
   │     ⡰⠁
 5 ┤    ⡜            ⠠⢄⣀⡀
   │  ⢀⠎                ⠈⠉⠑⠒⠢⠤⢄⣀⡀
   │ ⢠⠃                         ⠈⠉⠑⠒⠢⠤⢄⣀⡀
 0 ┤⡰⠁                                  ⠈⠉⠑⠒⠢⠤⢄⣀
   └────────────────────────────────────────────
    0                    5                    10
)");
}

TEST_CASE("shares of a whole") {
  ChartOptions options = sized();
  options.shares = true;
  CHECK("\n" + bar_chart({{"a", 3}, {"b", 1}, {"c", kGap}}, options) ==
        R"(
a │███████████████████████████████████ 3 (75.0%)
b │███████████▋ 1 (25.0%)
c │ -
)");
  CHECK(bar_chart({{"a", 3}, {"b", -1}}, options).find('%') == std::string::npos);
  CHECK(bar_chart({{"a", 0}}, options).find('%') == std::string::npos);
}

TEST_CASE("stacked bars") {
  const std::vector<ChartSeries> parts = {{"GET", {6, 1}}, {"POST", {3, 1, -5}}, {"PUT", {1}}};
  CHECK("\n" + stacked_chart({"a", "日本", "c"}, parts, false, sized()) ==
        R"(
█ GET  ▒ POST  ▓ PUT
a    │███████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓ 10
日本 │████▒▒▒▒ 2
c    │ 0
)");
  CHECK("\n" + stacked_chart({"a", "b", "c"}, parts, true, ascii()) ==
        R"(
# GET  = POST  + PUT
a |#########################=============++++ 10
b |#####################===================== 2
c | 0
)");
}

TEST_CASE("axis ticks are round numbers") {
  using Ticks = std::vector<double>;
  CHECK(axis_ticks(0, 10, 2) == Ticks{0, 5, 10});
  CHECK(axis_ticks(0, 9, 3) == Ticks{0, 5});
  CHECK(axis_ticks(-3, 3, 3) == Ticks{-2, 0, 2});
  CHECK(axis_ticks(5, 5, 3) == Ticks{5});
  CHECK(axis_ticks(1e15, 1e15 + 0.25, 3).size() <= 4);
}

TEST_CASE("a sparkline averages what shares a character") {
  CHECK(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8, 0, 7, true) == "▁▂▃▄▅▆▇█");
  CHECK(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 4, 0, 7, true) == "▁▃▆█");
  CHECK(sparkline({0, 3, 7, kGap}, 9, 0, 7, false) == "_-# ");
  CHECK(sparkline({kGap, 4}, 1, 0, 7, true) == "▅");
  CHECK(sparkline({}, 5, 0, 1, true).empty());
  CHECK(sparkline({1, 2}, 0, 0, 1, true).empty());
}

TEST_CASE("colour tells the series apart, with dots for all") {
  ChartOptions options = sized();
  options.color = true;
  const std::string out = line_chart({{"a", {1, 2}}, {"b", {2, 1}}}, {}, options);
  CHECK(out.find("\x1b[34m━\x1b[0m a") != std::string::npos);
  CHECK(out.find("\x1b[33m━\x1b[0m b") != std::string::npos);
  CHECK(out.find("●") == std::string::npos);
}

}  // namespace
}  // namespace evq
