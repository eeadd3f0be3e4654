// range: chunks of evenly spaced values, one after the other, for as long as anybody wants more.

#include <algorithm>
#include <utility>

#include "apl/exec/executor.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Rows [begin, begin + count) of the sequence. The binder made sure that no value overflows.
Vector sequence_rows(const plan::Sequence& sequence, std::uint64_t begin, std::size_t count) {
  const Type type = sequence.start.type();
  auto values = Values::make(type, count);
  if (type == Type::kReal) {
    // A product and not a running sum: errors would add up.
    for (std::size_t i = 0; i < count; ++i) {
      values->mutable_data<double>()[i] =
          sequence.start.as_real() + static_cast<double>(begin + i) * sequence.step.as_real();
    }
    return Vector::flat(std::move(values));
  }
  const auto start = static_cast<std::uint64_t>(sequence.start.as_integer());
  const auto step = static_cast<std::uint64_t>(sequence.step.as_integer());
  for (std::size_t i = 0; i < count; ++i) {
    values->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(start + (begin + i) * step);
  }
  return Vector::flat(std::move(values));
}

}  // namespace

Status run_sequence(Executor& executor, const plan::Sequence& sequence, Consumer& consumer) {
  EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
  std::uint64_t number = 0;
  for (std::uint64_t begin = 0; begin < sequence.count; begin += kChunkRowsMax) {
    EVQ_TRY(executor.check());
    const auto rows =
        static_cast<std::size_t>(std::min<std::uint64_t>(kChunkRowsMax, sequence.count - begin));
    std::vector<Vector> columns;
    columns.push_back(sequence_rows(sequence, begin, rows));
    Chunk chunk(std::move(columns), rows);
    chunk.set_sequence(number++);
    EVQ_TRY_ASSIGN(const Flow flow, sink->push(std::move(chunk)));
    if (flow == Flow::kDone) {
      break;
    }
  }
  return complete_with(std::move(sink), consumer);
}

}  // namespace evq
