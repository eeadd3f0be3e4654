#pragma once
// A batch of the input on its way through the pipeline of stream.cpp, which says whose each field
// is when. No thread of its own.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>

#include "store/base/result.h"
#include "store/ingest/batch_builder.h"
#include "store/ingest/piece.h"
#include "store/ingest/piece_parser.h"
#include "store/ingest/stream.h"

namespace evq {

// What a worker made of (a part of) a job.
struct SealedPart {
  std::unique_ptr<SealedBatch> batch;  // null: nothing but failures
  ParseReport report;
};

struct Job {
  std::deque<Piece> waiting;
  bool closed = false;   // no piece will come
  bool running = false;  // a thread is on it
  bool done = false;
  std::size_t events = 0;
  std::size_t text_bytes = 0;
  std::size_t memory_bytes = 0;  // of the pieces with that text
  std::int64_t opened_ns = 0;
  Status status;
  std::exception_ptr failure;  // instead of a status: the memory ran out
  std::deque<SealedPart> parts;
  // Of the thread that is on it.
  std::unique_ptr<BatchBuilder> builder;
  ParseReport report;
  std::uint64_t sealed_bytes = 0;  // of text whose events are sealed
  std::uint64_t parsed_bytes = 0;  // of whole pieces
};

}  // namespace evq
