#pragma once
// Timing of one kernel: repeats it until a tenth of a second has passed, takes the fastest of
// several such rounds (neighbours only ever slow things down) and prints bytes and items per
// second. One thread; the kernel returns a number that depends on its work, so that the work is not
// optimised away.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace evq::bench {

template <typename Kernel>
void report(const char* name, double bytes, double items, Kernel kernel) {
  constexpr int kRounds = 5;
  constexpr double kRoundSeconds = 0.1;
  using Clock = std::chrono::steady_clock;
  std::uint64_t sink = 0;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = Clock::now();
    double spent = 0;
    int repeats = 0;
    while (spent < kRoundSeconds) {
      sink += kernel();
      ++repeats;
      spent = std::chrono::duration<double>(Clock::now() - start).count();
    }
    best = std::min(best, spent / repeats);
  }
  std::printf("%-40s %9.3f ms %9.2f GB/s %9.1f M items/s  (%llx)\n", name, best * 1e3,
              bytes / best / 1e9, items / best / 1e6, static_cast<unsigned long long>(sink));
}

}  // namespace evq::bench
