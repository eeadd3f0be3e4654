// How fast text becomes columns: ingest_bench FILE [THREADS]. Parses and columnarises the whole
// file, drops the batches, and prints events, columns, the rate by wall and by processor time, and
// the peak of memory. The rates leave encoding and writing out.
// links: evq_ingest

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <sys/resource.h>

#include "store/base/control.h"
#include "store/base/thread_pool.h"
#include "store/ingest/stream.h"

namespace {

struct Dropped : evq::SealedBatch {
  std::size_t columns = 0;
};

class DroppingSink : public evq::BatchSink {
 public:
  evq::Result<std::unique_ptr<evq::SealedBatch>> seal(evq::BatchColumns& batch,
                                                      std::uint64_t /*raw_bytes*/) override {
    auto dropped = std::make_unique<Dropped>();
    dropped->columns = batch.schema().size();
    for (std::size_t i = 0; i < dropped->columns; ++i) {
      batch.take(i);
    }
    return std::unique_ptr<evq::SealedBatch>(std::move(dropped));
  }
  evq::Status commit(std::unique_ptr<evq::SealedBatch> /*batch*/,
                     const evq::IngestCounts& /*counts*/) override {
    ++batches;
    return {};
  }

  std::size_t batches = 0;
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ingest_bench FILE [THREADS]\n");
    return 2;
  }
  auto file = evq::File::open_input(argv[1]);
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", file.error().message.c_str());
    return 1;
  }
  const std::size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  evq::ThreadPool pool(threads);
  DroppingSink sink;
  evq::StreamContext context;
  context.pool = threads == 0 ? nullptr : &pool;
  const auto source = evq::decoded_source(evq::file_source(std::move(file).value()), {});
  const std::int64_t begin_ns = evq::monotonic_now_ns();
  const auto counts = evq::parse_stream(*source, evq::IngestOptions(), sink, context);
  const double wall = static_cast<double>(evq::monotonic_now_ns() - begin_ns) * 1e-9;
  if (!counts.ok()) {
    std::fprintf(stderr, "%s\n", counts.error().message.c_str());
    return 1;
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const double cpu = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  const double megabytes = static_cast<double>(counts.value().processed_bytes) * 1e-6;
  std::printf("%llu events, %llu failed, %.1f MB, %zu batches, %zu threads\n",
              static_cast<unsigned long long>(counts.value().ingested),
              static_cast<unsigned long long>(counts.value().failed), megabytes, sink.batches,
              threads);
  std::printf("wall %.3f s, %.0f MB/s; processor %.3f s (system %.3f), %.0f MB/s; peak %ld MiB\n",
              wall, megabytes / wall, cpu, seconds_of(used.ru_stime), megabytes / cpu,
              used.ru_maxrss / 1024);
  return 0;
}
