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
2k ┤    ⣤⣾⣿⣿⣷⣦⡀                    ⢀⣤⣾⣿⣿⣶⣄
   │  ⣰⣾⣿⣿⣿⣿⣿⣿⣿⣦                 ⢀⣴⣿⣿⣿⣿⣿⣿⣿⣷⣄
   │⢀⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⡀              ⢠⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣧⡀
1k ┤⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣄            ⣠⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⡄
   │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣦         ⢀⣴⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣆
   │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⣄      ⣠⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
 0 ┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⣤⣀⣀⣤⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
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
       │
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
   │
   │
10 ┤
   │                      ⠄
   │
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
