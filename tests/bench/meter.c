// meter OUT COMMAND...: runs a command, then writes one JSON object to OUT: wall and CPU seconds
// and peak resident memory. A small process of its own, because a child's peak begins at its
// parent's.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    return 2;
  }
  const double start = now();
  const pid_t child = vfork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) < 0) {
    return 2;
  }
  const double wall = now() - start;
  FILE* out = fopen(argv[1], "w");
  if (out == NULL) {
    return 2;
  }
  fprintf(out, "{\"wall\":%.6f,\"cpu\":%.6f,\"rss_kb\":%ld}\n", wall,
          seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss);
  fclose(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
