// links: evq_store
// How fast a file becomes a durable store: load_bench FILE DIR [THREADS]. DIR must be new. Against
// ingest_bench, the difference is encoding, compression and the disk's.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <sys/resource.h>

#include "store/base/control.h"
#include "store/base/thread_pool.h"
#include "store/store.h"

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

int fail(const evq::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: load_bench FILE DIR [THREADS]\n");
    return 2;
  }
  auto file = evq::File::open_input(argv[1]);
  if (!file.ok()) {
    return fail(file.error());
  }
  evq::ThreadPool pool(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 2);
  evq::StoreOptions options;
  options.directory = argv[2];
  options.pool = &pool;
  auto store = evq::Store::open(options);
  if (!store.ok()) {
    return fail(store.error());
  }
  const auto source = evq::decoded_source(evq::file_source(std::move(file).value()), {});
  evq::QueryControl control;
  const std::int64_t begin_ns = evq::monotonic_now_ns();
  const auto report = store.value()->ingest("load", *source, evq::IngestRequest(), control);
  const double wall = static_cast<double>(evq::monotonic_now_ns() - begin_ns) * 1e-9;
  if (!report.ok()) {
    return fail(report.error());
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const double megabytes = static_cast<double>(report.value().counts.processed_bytes) * 1e-6;
  std::printf(
      "%llu events, %.1f MB: wall %.3f s, %.0f MB/s; processor %.3f + %.3f s; peak %ld MiB\n",
      static_cast<unsigned long long>(report.value().counts.ingested), megabytes, wall,
      megabytes / wall, seconds_of(used.ru_utime), seconds_of(used.ru_stime),
      used.ru_maxrss / 1024);
  return 0;
}
