#include "cli/follow_parts.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "cli/container_lines.h"
#include "cli/limits.h"
#include "store/base/time.h"

namespace evq {
namespace {

constexpr std::int64_t kWaitNs = PartBatch::kPartWaitMs * kMillisecondNs;

std::string line(std::string_view stream_and_tag, std::string_view text) {
  return "2024-05-01T10:00:00Z " + std::string(stream_and_tag) + " " + std::string(text) + "\n";
}

std::string joined(std::string_view lines) {
  PartJoiner joiner;
  std::string text;
  while (!lines.empty()) {
    const std::size_t size = lines.find('\n') + 1;
    joiner.add(lines.substr(0, size), &text);
    lines.remove_prefix(size);
  }
  joiner.end(&text);
  return text;
}

}  // namespace

TEST_CASE("a line is found by its number, in any order") {
  LineStarts starts;
  const std::string_view text = "a\nbc\n\nd";
  const std::size_t wanted[] = {0, 2, 5, 6, 7};
  const std::uint64_t numbers[] = {1, 3, 2, 4, 5, 9, 1};
  for (const std::uint64_t number : numbers) {
    CHECK(starts.find(text, number) == wanted[number > 5 ? 4 : number - 1]);
  }
}

TEST_CASE("without parts all lines are whole") {
  PartBatch batch(false);
  batch.add(line("stderr P", "a"), 0);
  CHECK(batch.whole_bytes() == batch.text().size());
  CHECK(batch.take(batch.whole_bytes()) == line("stderr P", "a"));
  CHECK(batch.text().empty());
}

TEST_CASE("a batch ends between whole lines of both streams") {
  PartBatch batch(true);
  const std::string whole = line("stdout F", "a");
  batch.add(whole, 0);
  CHECK(batch.whole_bytes() == whole.size());
  batch.add(line("stdout P", "be"), 0);
  batch.add(line("stderr P", "o"), 0);
  batch.add(line("stdout F", "gins"), 0);
  CHECK(batch.whole_bytes() == whole.size());
  CHECK(batch.take(whole.size()) == whole);
  CHECK(batch.whole_bytes() == 0);
  batch.add(line("stderr F", "dd"), 0);
  CHECK(batch.whole_bytes() == batch.text().size());
}

TEST_CASE("a line whose end never comes holds back the others for a while only") {
  PartBatch batch(true);
  batch.add(line("stderr P", "torn"), 0);
  for (std::int64_t now_ns = 0; now_ns < kWaitNs; now_ns += kWaitNs / 8) {
    batch.add(line("stdout F", "x"), now_ns);
    batch.give_up(now_ns);
    CHECK(batch.whole_bytes() == 0);
  }
  batch.give_up(kWaitNs);
  CHECK(batch.whole_bytes() == batch.text().size());
}

TEST_CASE("each part of a line gives it its time anew") {
  PartBatch batch(true);
  batch.add(line("stderr P", "a"), 0);
  batch.add(line("stderr P", "b"), kWaitNs - 1);
  batch.give_up(kWaitNs);
  CHECK(batch.whole_bytes() == 0);
  batch.add(line("stderr F", "c"), kWaitNs);
  CHECK(batch.whole_bytes() == batch.text().size());
}

TEST_CASE("a line that is given up does not tear one of the other stream") {
  PartBatch batch(true);
  const std::string torn = line("stderr P", "torn") + line("stdout F", "x");
  batch.add(torn, 0);
  batch.add(line("stdout P", "be"), kWaitNs);
  batch.give_up(kWaitNs);
  REQUIRE(batch.whole_bytes() == torn.size());
  CHECK(joined(batch.take(torn.size())) == line("stdout F", "x") + line("stderr F", "torn"));
  CHECK(batch.whole_bytes() == 0);
  batch.add(line("stdout F", "gins"), kWaitNs);
  CHECK(joined(batch.take(batch.whole_bytes())) == line("stdout F", "begins"));
}

TEST_CASE("what follows a part that was given up is a line of its own") {
  PartBatch batch(true);
  const std::string first = line("stderr P", "a");
  batch.add(first + line("stdout P", "o") + line("stderr P", "b"), 0);
  batch.add(line("stdout P", "n"), kWaitNs);
  batch.give_up(kWaitNs);  // stderr
  REQUIRE(batch.whole_bytes() == first.size());
  batch.take(first.size());
  CHECK(batch.whole_bytes() == 0);
  batch.add(line("stderr F", "c"), kWaitNs);
  CHECK(batch.whole_bytes() == 0);
  batch.add(line("stdout F", "e"), kWaitNs);
  CHECK(joined(batch.take(batch.whole_bytes())) ==
        line("stderr F", "bc") + line("stdout F", "one"));
}

TEST_CASE("what waits for the end of a line is bounded") {
  PartBatch batch(true);
  batch.add(line("stderr P", "torn"), 0);
  const std::string other = line("stdout F", std::string(1000, 'x'));
  while (batch.text().size() + other.size() <= kOpenPartBytesMax) {
    batch.add(other, 0);
  }
  CHECK(batch.whole_bytes() == 0);
  batch.add(other, 0);
  CHECK(batch.whole_bytes() == batch.text().size());
}

TEST_CASE("a line too long for a value ends where it ends in a file that is loaded whole") {
  std::string all;
  for (int i = 0; i < 300; ++i) {
    all += line(i % 2 == 0 ? "stdout P" : "stderr F", std::string(16 * kKibibyte, 'x'));
  }
  all += line("stdout F", "end");
  PartBatch batch(true);
  std::string told;
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t size = rest.find('\n') + 1;
    batch.add(rest.substr(0, size), 0);
    rest.remove_prefix(size);
    if (batch.whole_bytes() > 0) {
      told += joined(batch.take(batch.whole_bytes()));
    }
  }
  CHECK(batch.text().empty());
  const bool same = told == joined(all);
  CHECK(same);
}

}  // namespace evq
