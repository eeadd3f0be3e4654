#include "store/ingest/stream_job.h"

#include <doctest/doctest.h>

#include "store/base/limits.h"

TEST_CASE("a job takes the text of some batches, as large as they were of late") {
  using evq::kMebibyte;
  evq::JobTextSize size;
  CHECK(size.bytes_max() == evq::kIngestBatchTextBytesMax);
  CHECK(size.bytes_needed() == evq::kIngestBatchTextBytesMax);
  size.note_batch(3 * kMebibyte);
  CHECK(size.bytes_max() == 12 * kMebibyte);
  CHECK(size.bytes_needed() == 24 * kMebibyte);
  CHECK_FALSE(size.fills(12 * kMebibyte - 1));
  CHECK(size.fills(12 * kMebibyte));
  size.note_batch(1);
  CHECK(size.bytes_max() == 4 * kMebibyte);
  size.note_whole_job(4 * kMebibyte);  // larger batches again
  CHECK(size.bytes_max() == 16 * kMebibyte);
  size.note_whole_job(1);  // one that ended early, as the last of a file does
  CHECK(size.bytes_max() == 16 * kMebibyte);
  size.note_batch(evq::kIngestBatchTextBytesMax);
  CHECK(size.bytes_max() == evq::kIngestBatchTextBytesMax);
}
