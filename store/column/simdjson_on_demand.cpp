// The one function of simdjson's library that its header needs, everything else being reached
// through the object it returns. A program linked with archives loads the library when the first
// JSON text is parsed, for Debian has no archive of it and a query seldom needs it: it would bring
// a shared C++ runtime, whose thousands of symbols take longer to resolve than many a query takes.

#ifdef EVQ_SIMDJSON_SONAME

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <simdjson.h>

namespace simdjson {
namespace {

using ImplementationFunction = decltype(&get_active_implementation);

// A missing library ends the program as it would when the linker looked for it at the start.
ImplementationFunction load_function() {
  void* library = dlopen(EVQ_SIMDJSON_SONAME, RTLD_NOW | RTLD_LOCAL);
  void* symbol =
      library == nullptr ? nullptr : dlsym(library, "_ZN8simdjson25get_active_implementationEv");
  if (symbol == nullptr) {
    std::fprintf(stderr, "evq: error while loading shared libraries: %s\n", dlerror());
    std::_Exit(127);
  }
  return reinterpret_cast<ImplementationFunction>(symbol);
}

}  // namespace

internal::atomic_ptr<const implementation>& get_active_implementation() {
  static const ImplementationFunction function = load_function();
  return function();
}

}  // namespace simdjson

#endif  // EVQ_SIMDJSON_SONAME
