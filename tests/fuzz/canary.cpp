// A planted fault that coverage guidance finds in seconds and luck does not in years: if a run does
// not crash here, the harness is broken and silence from the other targets means nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kSecret = "evq!";
  for (std::size_t i = 0; i < kSecret.size(); ++i) {
    if (i >= size || static_cast<char>(data[i]) != kSecret[i]) {
      return 0;
    }
  }
  __builtin_trap();
}
