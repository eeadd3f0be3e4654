#include "store/ingest/stream_job.h"

#include <doctest/doctest.h>

#include "store/base/limits.h"

using evq::kIngestBatchTextBytesMax;
using evq::kMebibyte;

TEST_CASE("a job takes the text of some batches, as large as they were of late") {
  evq::JobTextSize size;
  CHECK(size.bytes_max() == kIngestBatchTextBytesMax);
  CHECK(size.bytes_needed() == kIngestBatchTextBytesMax);
  size.note_batch(3 * kMebibyte);
  CHECK(size.bytes_max() == 12 * kMebibyte);
  CHECK(size.bytes_needed() == 24 * kMebibyte);
  size.note_batch(1);
  CHECK(size.bytes_max() == 4 * kMebibyte);
  size.note_whole_job(4 * kMebibyte, 0.9);  // larger batches again
  CHECK(size.bytes_max() == 16 * kMebibyte);
  size.note_whole_job(1, 0.1);  // one that ended early, as the last of a file does
  CHECK(size.bytes_max() == 16 * kMebibyte);
  size.note_batch(kIngestBatchTextBytesMax);
  CHECK(size.bytes_max() == kIngestBatchTextBytesMax);
}

TEST_CASE("a job ends where a batch does, with no rest that would be a block of few rows") {
  evq::JobTextSize size;
  CHECK_FALSE(size.fills(kIngestBatchTextBytesMax - 1, kMebibyte));
  CHECK(size.fills(kIngestBatchTextBytesMax, kMebibyte));
  size.note_batch(kIngestBatchTextBytesMax - 2 * kMebibyte);
  CHECK(size.bytes_max() == kIngestBatchTextBytesMax - 2 * kMebibyte);
  CHECK_FALSE(size.fills(size.bytes_max() - kMebibyte, kMebibyte));
  CHECK(size.fills(size.bytes_max() - kMebibyte + 1, kMebibyte));
  size.note_batch(12 * kMebibyte);  // two of them, not two and two thirds
  CHECK(size.bytes_max() == 24 * kMebibyte);
}

TEST_CASE("jobs take more text again when they fill half of a builder or less") {
  evq::JobTextSize size;
  size.note_batch(20 * kMebibyte);
  size.note_whole_job(19 * kMebibyte, 0.95);
  CHECK(size.bytes_max() == 20 * kMebibyte);
  size.note_whole_job(19 * kMebibyte, 0.51);
  CHECK(size.bytes_max() == 20 * kMebibyte);
  size.note_whole_job(19 * kMebibyte, 0.5);
  CHECK(size.bytes_max() == kIngestBatchTextBytesMax);
}
