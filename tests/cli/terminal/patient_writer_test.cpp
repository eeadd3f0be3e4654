// What a reader who does not read is given later, and when nobody waits for it.
#include "cli/terminal/patient_writer.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "store/base/limits.h"

namespace evq {
namespace {

// More than a pipe takes.
constexpr std::size_t kLongBytes = 512 * kKibibyte;
constexpr PatientWriter::Limits kImpatient = {.patience_ms = 0};

struct Pipe {
  Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
  ~Pipe() {
    close_reader();
    ::close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_reader() {
    if (ends[0] >= 0) {
      ::close(ends[0]);
      ends[0] = -1;
    }
  }
  // As many bytes, or fewer when the writer is gone.
  std::string read(std::size_t bytes) {
    std::string text(bytes, '\0');
    std::size_t size = 0;
    while (size < bytes) {
      const ssize_t some = ::read(ends[0], text.data() + size, bytes - size);
      if (some <= 0) {
        break;
      }
      size += static_cast<std::size_t>(some);
    }
    text.resize(size);
    return text;
  }
  std::array<int, 2> ends{};
};

std::string numbered(std::size_t bytes) {
  std::string text;
  for (std::uint64_t n = 0; text.size() < bytes; ++n) {
    text += std::to_string(n) + '\n';
  }
  return text;
}

TEST_CASE("what is read at once is not held") {
  Pipe pipe;
  PatientWriter writer(pipe.ends[1], nullptr);
  CHECK(writer.write("some"));
  CHECK(writer.held_bytes() == 0);
  CHECK(writer.drain());
  CHECK(pipe.read(4) == "some");
}

TEST_CASE("a reader who does not read holds up nobody, and gets all in its order") {
  Pipe pipe;
  PatientWriter writer(pipe.ends[1], nullptr, kImpatient);
  const std::string first = numbered(kLongBytes);
  const std::string second = "second\n";
  REQUIRE(writer.write(first));
  CHECK(writer.held_bytes() > 0);
  REQUIRE(writer.write(second));
  std::string seen = pipe.read(100);
  REQUIRE(writer.write("third\n"));
  std::thread reader([&] { seen += pipe.read(first.size() + second.size() + 6 - seen.size()); });
  CHECK(writer.drain());
  reader.join();
  CHECK(writer.held_bytes() == 0);
  CHECK(seen == first + second + "third\n");
  // As if nothing had been held.
  CHECK(writer.write("again"));
  CHECK(pipe.read(5) == "again");
}

TEST_CASE("what the reader takes on the way is given to it, and the file is let go") {
  Pipe pipe;
  PatientWriter writer(pipe.ends[1], nullptr, kImpatient);
  const std::string text = numbered(kLongBytes);
  REQUIRE(writer.write(text));
  std::string seen;
  while (writer.held_bytes() > 0) {
    seen += pipe.read(1000);
    REQUIRE(writer.write("."));
  }
  ::close(pipe.ends[1]);
  seen += pipe.read(2 * kLongBytes);
  pipe.ends[1] = ::dup(pipe.ends[0]);  // for the destructor
  CHECK(seen.starts_with(text));
  CHECK(seen.find_first_not_of('.', text.size()) == std::string::npos);
}

TEST_CASE("the reader is waited for beyond what may be held") {
  Pipe pipe;
  PatientWriter writer(pipe.ends[1], nullptr, {.patience_ms = 0, .held_bytes_max = kLongBytes / 2});
  const std::string text = numbered(kLongBytes);
  std::string seen;
  std::thread reader([&] { seen = pipe.read(2 * text.size()); });
  REQUIRE(writer.write(text));
  REQUIRE(writer.write(text));
  CHECK(writer.held_bytes() <= kLongBytes / 2);
  CHECK(writer.drain());
  reader.join();
  CHECK(seen == text + text);
}

TEST_CASE("a reader who goes ends the writing") {
  Pipe pipe;
  PatientWriter writer(pipe.ends[1], nullptr, kImpatient);
  REQUIRE(writer.write(numbered(kLongBytes)));
  pipe.close_reader();
  CHECK_FALSE(writer.drain());
  CHECK(errno == EPIPE);
  CHECK_FALSE(writer.write("more"));
}

TEST_CASE("whoever is told to stop waits for no reader") {
  Pipe pipe;
  PatientWriter writer(pipe.ends[1], [] { return true; });
  CHECK_FALSE(writer.write(numbered(kLongBytes)));
  CHECK(errno == ECANCELED);
}

}  // namespace
}  // namespace evq
