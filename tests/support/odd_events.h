#pragma once
// Events that are odd in every way that queries may meet: what the ways to run a query are compared
// over.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace evq::test {

// Times that blocks share and that go back, columns of only some of the events and of another type
// in others, keys that repeat and that do not.
inline std::string odd_events(std::size_t rows) {
  constexpr const char* kTexts[] = {
      "alpha", "Beta gamma", "", "beta", "10.0.0.1 GET /a?b=c 200", "\\u00e9t\\u00e9", "a", "1"};
  constexpr const char* kLists[] = {"[]", "[1,\"x\",null]", "{\"a\":1,\"b\":[1]}",
                                    "[[2],2.5,\"a\"]"};
  const std::size_t numbers = rows < 100 ? 11 : 1009;
  std::string events;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string number = std::to_string(i);
    const std::size_t tenth = i * 10 / rows;
    const std::size_t hour = tenth < 5 ? tenth * 2 + i % 2 : i * 7 % 16;
    events += R"({"_time":"2024-05-0)" + std::to_string(1 + hour / 8) + "T0" +
              std::to_string(hour % 8) + R"(:00:00Z","g":"id-)" + number + '"';
    const auto add = [&](bool there, const std::string& name, const std::string& value) {
      events += there ? ",\"" + name + "\":" + value : "";
    };
    const std::string text = '"' + std::string(kTexts[i * 5 % std::size(kTexts)]) + '"';
    add(i % 9 != 4, "k", text);
    add(i % 7 != 3, "n", std::to_string(static_cast<int>(i * i % numbers) - 3));
    add(tenth < 2, "x", std::to_string(9007199254740992 + i));
    add(tenth == 2, "x", i % 2 == 0 ? "-0.0" : std::to_string(static_cast<double>(i) / 4 - 3));
    add(tenth > 4, "x", i % 21 == 0 ? "9223372036854775807" : number);
    add(tenth < 3 || tenth == 7, "r", i % 11 == 0 ? "0" : std::to_string(i % 50));
    add(tenth == 3 || tenth == 8, "r", i % 2 == 0 ? "-0.0" : std::to_string(i % 50) + ".125");
    add(tenth < 2 || i % 3 == 0, "y", std::to_string(i % 4));
    add(tenth >= 2 && i % 3 != 0, "y", i % 3 == 1 ? text : i % 2 == 0 ? "true" : "[1,2]");
    add(i % 4 != 2, "z", i % 3 == 0 ? "true" : "false");
    add(i % 6 != 5, "d", std::to_string((static_cast<std::int64_t>(i % 5) - 2) * 3600000000000));
    add(i % 5 != 0, "l", kLists[i % std::size(kLists)]);
    add(i % 5 == 2, "o", R"({"k":)" + text + R"(,"d":)" + number + "}");
    add(tenth == 3, "f", std::to_string(i / 3));
    add(tenth % 2 == 0, "s", text);
    events += "}\n";
  }
  return events;
}

}  // namespace evq::test
