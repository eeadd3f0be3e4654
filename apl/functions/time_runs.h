#pragma once
// Functions of instants that say the same of all instants of a unit, such as the hour of the day:
// times that mostly rise come in runs of one unit, so that such a function need be called only once
// a run, and its answers are a dictionary. Pure; any thread.

#include <cstdint>

#include "apl/functions/lift.h"

namespace evq {

// Calls `kernel`, with one instant a run of one unit where runs are few and only `time` varies. All
// instants of [n * unit_ns, (n + 1) * unit_ns) must give the same.
Vector call_by_unit(const KernelCall& call, std::size_t time, std::int64_t unit_ns, Kernel kernel);

namespace lifting {

template <auto F, std::int64_t kUnitNs>
Vector unit_kernel(const KernelCall& call) {
  return call_by_unit(call, 0, kUnitNs, &kernel<F>);
}

}  // namespace lifting

// As lift<F>(), where F gives the same for all instants of a unit of its first parameter.
template <auto F, std::int64_t kUnitNs>
constexpr Overload lift_by_unit() {
  Overload overload = lift<F>();
  overload.kernel = &lifting::unit_kernel<F, kUnitNs>;
  return overload;
}

}  // namespace evq
