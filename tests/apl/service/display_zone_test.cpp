#include "apl/service/display_zone.h"

#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

std::string shown(const char* zone, const char* instant) {
  const Result<DisplayZone> loaded = DisplayZone::load(zone);
  REQUIRE(loaded.ok());
  std::string text;
  loaded->append_instant(&text, *parse_instant(instant));
  return text;
}

TEST_CASE("an instant is shown with the offset of its zone") {
  CHECK(shown("UTC", "2024-05-01T12:00:00.5Z") == "2024-05-01T12:00:00.5Z");
  CHECK(shown("Europe/Amsterdam", "2024-05-01T12:00:00.5Z") == "2024-05-01T14:00:00.5+02:00");
  CHECK(shown("America/New_York", "2024-05-01T03:00:00Z") == "2024-04-30T23:00:00-04:00");
  CHECK(shown("Asia/Kolkata", "2024-05-01T00:00:00Z") == "2024-05-01T05:30:00+05:30");
  CHECK(shown("+02:00", "2024-01-01T12:00:00Z") == "2024-01-01T14:00:00+02:00");
  CHECK(shown("-0330", "2024-01-01T12:00:00Z") == "2024-01-01T08:30:00-03:30");
  // Without room for the local time.
  CHECK(shown("Europe/Amsterdam", "2262-04-11T23:47:16.854775807Z") ==
        "2262-04-11T23:47:16.854775807Z");
}

// The clocks of old had seconds beside minutes, for which RFC 3339 has no place.
TEST_CASE("what is shown is the instant, whatever its offset") {
  for (const char* zone : {"Europe/Amsterdam", "America/New_York", "Africa/Monrovia", "UTC"}) {
    for (const char* instant :
         {"1677-09-21T06:00:00Z", "1847-01-01T00:00:00Z", "1900-01-01T00:00:00Z",
          "1930-06-01T12:00:00.123456789Z", "2024-05-01T00:00:00Z", "2262-04-11T12:00:00Z"}) {
      CAPTURE(std::string(zone));
      CAPTURE(std::string(instant));
      CAPTURE(shown(zone, instant));
      CHECK(parse_instant(shown(zone, instant)) == parse_instant(instant));
    }
  }
}

}  // namespace
}  // namespace evq
