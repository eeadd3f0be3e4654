// evq_fuzz_replay DIRECTORY…: every fuzz target over the inputs kept for it, in the ordinary build:
// DIRECTORY/<target>/* is what fuzzing found once, and seeds. A target that disagrees traps.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// targets.inc has one line a target: EVQ_FUZZ_TARGET(json), …
#define EVQ_FUZZ_TARGET(name) \
  extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "targets.inc"
#undef EVQ_FUZZ_TARGET

namespace {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Target kTargets[] = {
#define EVQ_FUZZ_TARGET(name) {#name, fuzz_##name},
#include "targets.inc"
#undef EVQ_FUZZ_TARGET
};

int replay(const Target& target, const std::string& directory) {
  const std::filesystem::path folder = std::filesystem::path(directory) / target.name;
  if (!std::filesystem::is_directory(folder)) {
    return 0;
  }
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>()};
    std::fprintf(stderr, "%s\n", entry.path().c_str());
    target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++inputs;
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  int inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const Target& target : kTargets) {
      inputs += replay(target, argv[i]);
    }
  }
  std::printf("%d passed, 0 failed\n", inputs);
  return inputs > 0 ? 0 : 1;
}
