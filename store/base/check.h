#pragma once
// EVQ_CHECK aborts on a broken invariant of the program itself, with the expression and its place;
// it stays on in every build. EVQ_DCHECK is for hot loops and vanishes in release builds.
// Neither is for bad input: that is a Status.

namespace evq {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace evq

#define EVQ_CHECK(condition)                               \
  do {                                                     \
    if (!(condition)) [[unlikely]] {                       \
      ::evq::check_failed(#condition, __FILE__, __LINE__); \
    }                                                      \
  } while (false)

#ifdef NDEBUG
#define EVQ_DCHECK(condition) \
  do {                        \
  } while (false)
#else
#define EVQ_DCHECK(condition) EVQ_CHECK(condition)
#endif
