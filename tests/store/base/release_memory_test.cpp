// Containers whose memory goes back to the heap.
#include "store/base/release_memory.h"

#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/large_pages.h"

TEST_CASE("a container whose memory was released is empty and holds none") {
  constexpr std::size_t kSize = 100000;
  std::string text(kSize, 'x');
  std::vector<int> numbers(kSize, 1);
  evq::LargeVector<std::string> texts(kSize, "x");
  evq::release_memory(text);
  evq::release_memory(numbers);
  evq::release_memory(texts);
  CHECK(text.empty());
  CHECK(text.capacity() == std::string().capacity());
  CHECK(numbers.empty());
  CHECK(numbers.capacity() == 0);
  CHECK(texts.empty());
  CHECK(texts.capacity() == 0);
}
