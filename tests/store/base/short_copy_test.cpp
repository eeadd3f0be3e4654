// Short copies: of every size, and nothing around them.
#include "store/base/short_copy.h"

#include <string>

#include <doctest/doctest.h>

TEST_CASE("a short copy copies all its bytes and no other") {
  std::string from;
  for (int i = 0; i < 200; ++i) {
    from += static_cast<char>('!' + i % 90);
  }
  for (std::size_t size = 0; size <= from.size(); ++size) {
    std::string to(from.size() + 2, '\x7f');
    evq::copy_short(from.data(), size, to.data() + 1);
    const std::string expected =
        "\x7f" + from.substr(0, size) + std::string(from.size() - size + 1, '\x7f');
    CHECK(to == expected);
  }
}
