/* A wall clock that is off by as many seconds as a file says, for storm.py: preloaded into a
   server, it shifts CLOCK_REALTIME and leaves the monotonic clock alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long long offset_s(void) {
  const char* path = getenv("EVQ_CLOCK_OFFSET");
  long long seconds = 0;
  FILE* file = path == NULL ? NULL : fopen(path, "r");
  if (file != NULL) {
    if (fscanf(file, "%lld", &seconds) != 1) {
      seconds = 0;
    }
    fclose(file);
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) {
    *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  }
  const int status = real(clock, out);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    out->tv_sec += offset_s();
  }
  return status;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  (void)zone;
  struct timespec now;
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return status;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) {
    *out = now.tv_sec;
  }
  return now.tv_sec;
}
