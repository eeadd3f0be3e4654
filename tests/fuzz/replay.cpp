// evq_fuzz_replay TARGET,… DIRECTORY…: every fuzz target over the inputs kept for it, in the
// ordinary build: DIRECTORY/<target>/* is what fuzzing found once, and seeds. A target that
// disagrees traps. Fails as well for a named target that has no input, and for a folder that is no
// target's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// targets.inc has one line a target: EVQ_FUZZ_TARGET(json), …
#define EVQ_FUZZ_TARGET(name) \
  extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "targets.inc"
#undef EVQ_FUZZ_TARGET

namespace {

struct Target {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Target kTargets[] = {
#define EVQ_FUZZ_TARGET(name) {#name, fuzz_##name},
#include "targets.inc"
#undef EVQ_FUZZ_TARGET
};

constexpr int kUnknownFolder = -1;

// How many inputs a folder has for the target of its name.
int replay(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  const auto* const target = std::find_if(std::begin(kTargets), std::end(kTargets),
                                          [&](const Target& known) { return known.name == name; });
  if (target == std::end(kTargets)) {
    return kUnknownFolder;
  }
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>()};
    std::fprintf(stderr, "%s\n", entry.path().c_str());
    target->run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++inputs;
  }
  return inputs;
}

// The words between commas.
std::set<std::string> split_names(const std::string& names) {
  std::set<std::string> split;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    split.insert(name);
  }
  return split;
}

}  // namespace

int main(int argc, char** argv) {
  std::set<std::string> without_inputs = split_names(argc > 1 ? argv[1] : "");
  int inputs = 0;
  int failed = 0;
  for (int i = 2; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      const int replayed = replay(entry.path());
      if (replayed == kUnknownFolder) {
        std::fprintf(stderr, "no fuzz target has the name of %s\n", entry.path().c_str());
        ++failed;
        continue;
      }
      inputs += replayed;
      if (replayed > 0) {
        without_inputs.erase(entry.path().filename().string());
      }
    }
  }
  for (const std::string& name : without_inputs) {
    std::fprintf(stderr, "there is no input for the fuzz target %s\n", name.c_str());
    ++failed;
  }
  std::printf("%d passed, %d failed\n", inputs, failed);
  return failed == 0 && inputs > 0 ? 0 : 1;
}
