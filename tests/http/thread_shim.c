// Preloaded: of the threads that a process asks for, those from number EVQ_THREADS on (the first is 0)
// cannot be had.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*enter)(void*),
                   void* argument) {
  static atomic_int made;
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT,
                                                                              "pthread_create");
  return atomic_fetch_add(&made, 1) >= atoi(getenv("EVQ_THREADS"))
             ? EAGAIN
             : real(thread, attributes, enter, argument);
}
