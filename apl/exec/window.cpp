// Window functions: each call makes one column over the rows of an ordered stream. Where these come
// one chunk after the other, as from a sort or a limit, each chunk goes on with its columns, and of
// those before only what the calls look back at is held. Otherwise, and where workers read
// stretches of time side by side, all rows are collected first; when those do not fit into memory,
// a sort gives them again.

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "apl/exec/executor.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/overflow_mark.h"
#include "apl/exec/repeatable.h"
#include "apl/exec/time_order.h"
#include "apl/exec/whole_input.h"
#include "apl/plan/node_traits.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::string_view kWindowName = "a window function";

using plan::WindowCall;

// The last values of the rows so far, those that are looked back at and a few more: as the slices
// that they came in, each of which is copied once however far back that is.
class ValuesBefore {
 public:
  std::size_t rows() const { return rows_; }
  std::size_t size_bytes() const { return bytes_; }
  // Oldest first; none is empty.
  const std::deque<Vector>& slices() const { return slices_; }

  // Holds the last `most` of the values so far, of which the first `count` of these are the last.
  void remember(const Vector& values, std::size_t count, std::uint64_t most) {
    const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(most, count));
    if (kept == 0) {
      return;
    }
    slices_.push_back(values.slice(count - kept, kept).detached());
    rows_ += kept;
    bytes_ += slices_.back().size_bytes();
    while (rows_ - slices_.front().size() >= most) {
      rows_ -= slices_.front().size();
      bytes_ -= slices_.front().size_bytes();
      slices_.pop_front();
    }
  }

 private:
  std::deque<Vector> slices_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

// One call's column, piece by piece.
class WindowColumn {
 public:
  explicit WindowColumn(const WindowCall& call) : call_(call) {}

  // Of the next `count` rows of the stream, the first of `input`, which has those after them as far
  // as the call looks ahead.
  Vector make(const Chunk& input, std::size_t count) {
    switch (call_.kind) {
      case WindowKind::kRowNumber:
        return number_rows(input, count);
      case WindowKind::kRowCumsum:
        return call_.type == Type::kReal ? sum_reals(input, count) : sum_integers(input, count);
      case WindowKind::kRowRankDense:
      case WindowKind::kRowRankMin:
        return rank(input, count);
      case WindowKind::kPrev:
        return earlier(input, count);
      case WindowKind::kNext:
        return later(input, count);
      case WindowKind::kNear:
        return near(input, count);
      case WindowKind::kRowWindowSession:
        break;
    }
    return sessions(input, count);
  }
  std::size_t rows_ahead() const { return call_.rows_ahead(); }
  // What is held of the rows so far.
  std::size_t size_bytes() const { return before_.size_bytes(); }

 private:
  static bool is_set(const Vector& flags, std::size_t row) {
    return !flags.is_null(row) && flags.at<std::uint8_t>(row) != 0;
  }
  bool restarts(const Chunk& input, std::size_t row) const {
    return call_.restart.has_value() && is_set(input.column(*call_.restart), row);
  }
  const Vector& argument(const Chunk& input) const { return input.column(call_.args[0]); }

  // Numbers beyond the range of a long are null.
  Vector number_rows(const Chunk& input, std::size_t rows) {
    VectorBuilder to(Type::kLong);
    for (std::size_t row = 0; row < rows; ++row) {
      number_ = restarts(input, row) ? 0 : number_;
      std::int64_t number = 0;
      if (__builtin_add_overflow(call_.offset, number_++, &number)) {
        to.append_null();
      } else {
        to.append_integer(number);
      }
    }
    return to.finish();
  }

  Vector sum_reals(const Chunk& input, std::size_t rows) {
    VectorBuilder to(Type::kReal);
    for (std::size_t row = 0; row < rows; ++row) {
      real_sum_ = restarts(input, row) ? 0 : real_sum_;
      real_sum_ += argument(input).is_null(row) ? 0 : argument(input).at<double>(row);
      to.append_real(real_sum_);
    }
    return to.finish();
  }

  // Sums beyond the range of a long are null until the next restart.
  Vector sum_integers(const Chunk& input, std::size_t rows) {
    VectorBuilder to(call_.type);
    for (std::size_t row = 0; row < rows; ++row) {
      if (restarts(input, row)) {
        sum_ = 0;
        overflow_ = false;
      }
      if (!argument(input).is_null(row)) {
        overflow_ =
            __builtin_add_overflow(sum_, argument(input).at<std::int64_t>(row), &sum_) || overflow_;
      }
      if (overflow_) {
        to.append_null();
      } else {
        to.append_integer(sum_);
      }
    }
    return to.finish();
  }

  Vector rank(const Chunk& input, std::size_t rows) {
    VectorBuilder to(Type::kLong);
    const Vector& values = argument(input);
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_first = row == 0 && before_.rows() == 0;
      const bool restart = is_first || restarts(input, row);
      if (restart) {
        rank_ = 0;
        number_ = 0;
      }
      ++number_;
      if (restart || !(row == 0 ? rows_equal(values, 0, before_.slices().back(), 0)
                                : rows_equal(values, row, values, row - 1))) {
        rank_ = call_.kind == WindowKind::kRowRankDense ? rank_ + 1 : number_;
      }
      to.append_integer(rank_);
    }
    before_.remember(values, rows, 1);
    return to.finish();
  }

  // Shares the argument's texts, as later() does. What lies at the distance are rows one after the
  // other: first none, then those before, then these.
  Vector earlier(const Chunk& input, std::size_t rows) {
    const auto distance = static_cast<std::uint64_t>(call_.offset);
    const auto back = static_cast<std::size_t>(std::min<std::uint64_t>(distance, before_.rows()));
    const auto missing = static_cast<std::size_t>(std::min<std::uint64_t>(distance - back, rows));
    std::vector<Vector> parts = {Vector::constant(call_.fallback, 1)};
    std::vector<RowPlace> places(missing, RowPlace{0, 0});
    places.reserve(rows);
    const auto take = [&](const Vector& from, std::size_t begin) {
      const auto part = static_cast<std::uint32_t>(parts.size());
      for (std::size_t row = begin; row < from.size() && places.size() < rows; ++row) {
        places.push_back({part, static_cast<std::uint32_t>(row)});
      }
      parts.push_back(from);
    };
    std::size_t begin = before_.rows() - back;  // of the first slice: one before it would be gone
    for (const Vector& slice : before_.slices()) {
      if (places.size() == rows) {
        break;
      }
      take(slice, std::exchange(begin, 0));
    }
    if (places.size() < rows) {
      take(argument(input), 0);
    }
    Vector made = interleave(parts, places);
    before_.remember(argument(input), rows, distance);
    return made;
  }

  Vector later(const Chunk& input, std::size_t rows) {
    const std::array<Vector, 2> parts = {argument(input), Vector::constant(call_.fallback, 1)};
    const auto distance = static_cast<std::uint64_t>(call_.offset);
    std::vector<RowPlace> places(rows, RowPlace{1, 0});
    for (std::size_t row = 0; row < rows; ++row) {
      if (distance < input.rows() - row) {
        places[row] = {0, static_cast<std::uint32_t>(row + distance)};
      }
    }
    return interleave(parts, places);
  }

  // The last row with a true argument, of those up to the last one that is near ahead, is near
  // behind if any is.
  Vector near(const Chunk& input, std::size_t rows) {
    VectorBuilder to(Type::kBool);
    const Vector& flags = argument(input);
    const auto ahead =
        static_cast<std::size_t>(std::min<std::uint64_t>(rows_ahead(), input.rows()));
    std::size_t seen = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      for (const std::size_t end = std::min(row + ahead + 1, input.rows()); seen < end; ++seen) {
        if (is_set(flags, seen)) {
          last_set_ = number_ + static_cast<std::int64_t>(seen);
        }
      }
      const std::int64_t place = number_ + static_cast<std::int64_t>(row);
      to.append_bool(last_set_.has_value() && place - *last_set_ <= call_.behind);
    }
    number_ += static_cast<std::int64_t>(rows);
    return to.finish();
  }

  // The first time of each row's session.
  Vector sessions(const Chunk& input, std::size_t rows) {
    VectorBuilder to(Type::kDatetime);
    for (std::size_t row = 0; row < rows; ++row) {
      session_open_ = session_open_ && !restarts(input, row);
      if (argument(input).is_null(row)) {
        session_open_ = false;
        to.append_null();
        continue;
      }
      const auto time = argument(input).at<std::int64_t>(row);
      if (!session_open_ || reached(session_first_, time, call_.max_distance_first) ||
          reached(session_last_, time, call_.max_distance_between)) {
        session_first_ = time;
        session_open_ = true;
      }
      session_last_ = time;
      to.append_integer(session_first_);
    }
    return to.finish();
  }

  static bool reached(std::int64_t from, std::int64_t to, std::int64_t distance) {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(to, from, &difference) || difference >= distance;
  }

  const WindowCall& call_;
  ValuesBefore before_;
  std::int64_t number_ = 0;               // of rows since the last restart
  std::optional<std::int64_t> last_set_;  // of near(), the row's number
  std::int64_t rank_ = 0;
  double real_sum_ = 0;
  std::int64_t sum_ = 0;
  bool overflow_ = false;
  std::int64_t session_first_ = 0;
  std::int64_t session_last_ = 0;
  bool session_open_ = false;
};

std::vector<WindowColumn> columns_of(const plan::Window& window) {
  return {window.calls.begin(), window.calls.end()};
}

// Adds the calls' columns to the chunks of an ordered stream. The only sink of its input.
class WindowSink final : public ForwardingSink {
 public:
  WindowSink(const Executor& executor, const plan::Window& window, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)),
        executor_(executor),
        columns_(columns_of(window)),
        lease_(executor.options().budget, kWindowName) {
    for (const WindowColumn& column : columns_) {
      rows_ahead_ = std::max(rows_ahead_, column.rows_ahead());
    }
  }

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    waiting_rows_ += chunk.rows();
    waiting_.push_back(std::move(chunk));
    // Not for each row that may go on: those that wait are moved each time.
    return waiting_rows_ / 2 >= rows_ahead_ ? hand_on(waiting_rows_ - rows_ahead_) : hold();
  }
  Status finish() override {
    if (waiting_rows_ > 0 && !done_) {
      EVQ_TRY(hand_on(waiting_rows_));
    }
    return ForwardingSink::finish();
  }

 private:
  // The first `count` of the rows that wait.
  Result<Flow> hand_on(std::size_t count) {
    Chunk rows;
    std::vector<Vector> made;
    AllocationMeter meter = executor_.meter(kWindowName);
    EVQ_TRY(meter.guard([&] {
      rows = waiting_.size() == 1 ? waiting_.front() : concatenate(waiting_);
      for (WindowColumn& column : columns_) {
        made.push_back(column.make(rows, count));
      }
    }));
    waiting_.clear();
    waiting_rows_ = rows.rows() - count;
    if (waiting_rows_ > 0) {
      waiting_.push_back(rows.slice(count, waiting_rows_));
    }
    EVQ_TRY_ASSIGN(Flow flow, hold());
    Chunk output = rows.slice(0, count);
    for (Vector& column : made) {
      output.columns().push_back(std::move(column));
    }
    for (std::size_t begin = 0; begin < count && flow == Flow::kMore; begin += kChunkRowsMax) {
      Chunk some = output.slice(begin, std::min(kChunkRowsMax, count - begin));
      some.set_sequence(sequence_++);
      EVQ_TRY_ASSIGN(flow, next().push(std::move(some)));
    }
    done_ = flow == Flow::kDone;
    return flow;
  }

  // Books what waits and what the calls hold.
  Result<Flow> hold() {
    std::size_t bytes = 0;
    for (const WindowColumn& column : columns_) {
      bytes += column.size_bytes();
    }
    for (Chunk& chunk : waiting_) {
      chunk.detach();
      bytes += chunk.size_bytes();
    }
    EVQ_TRY(lease_.resize(bytes));
    return Flow::kMore;
  }

  const Executor& executor_;
  std::vector<WindowColumn> columns_;
  MemoryLease lease_;
  std::size_t rows_ahead_ = 0;
  std::vector<Chunk> waiting_;  // for those that they look ahead at
  std::size_t waiting_rows_ = 0;
  std::uint64_t sequence_ = 0;
  bool done_ = false;
};

class WindowConsumer final : public Consumer {
 public:
  WindowConsumer(const Executor& executor, const plan::Window& window, Consumer& next)
      : executor_(executor), window_(window), next_(next) {}

  Result<std::unique_ptr<Sink>> make_sink() override {
    EVQ_CHECK(!made_);
    made_ = true;
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
    return std::unique_ptr<Sink>(std::make_unique<WindowSink>(executor_, window_, std::move(next)));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    return next_.complete(forwarded_sinks(std::move(sinks)));
  }

 private:
  const Executor& executor_;
  const plan::Window& window_;
  Consumer& next_;
  bool made_ = false;
};

// Marks an overflow when the rows do not fit, before anything is handed on; or what the operators
// below hold of them, which hold less where they need not give the rows to several sinks.
Status run_over_all_rows(Executor& executor, const plan::Node& node, Consumer& consumer,
                         OverflowMark* overflow) {
  const auto& window = std::get<plan::Window>(node.op);
  EVQ_TRY_ASSIGN(WholeInput whole,
                 overflow->note(collect_whole(executor, *node.inputs[0], kWindowName)));
  Chunk& input = whole.rows;
  for (WindowColumn& column : columns_of(window)) {
    // What is held besides the column while it is made.
    const std::size_t builder_bytes = input.rows() * sizeof(std::string_view);
    EVQ_TRY(overflow->note(whole.lease.grow(builder_bytes)));
    Vector made;
    {
      AllocationMeter meter = executor.meter(kWindowName);
      EVQ_TRY(overflow->note(meter.guard([&] { made = column.make(input, input.rows()); })));
    }
    const std::size_t made_bytes = made.values().size_bytes() + input.rows() * sizeof(Code);
    EVQ_TRY(overflow->note(whole.lease.resize(whole.lease.bytes() - builder_bytes + made_bytes)));
    input.columns().push_back(std::move(made));
  }
  return push_whole(executor, input, kWindowName, consumer);
}

}  // namespace

Status run_window(Executor& executor, const plan::Node& node, const Demand& demand,
                  Consumer& consumer) {
  const plan::Node& input = *node.inputs[0];
  const plan::Node* const ordered = plan::ordered_below(input);
  const CountsOfOneRun counts(executor.stats());
  TimeOrder order = TimeOrder::kNone;
  if (!demand.order.one_sink && ordered != nullptr &&
      std::holds_alternative<plan::Sort>(ordered->op)) {
    EVQ_TRY_ASSIGN(order, time_order_below(executor, *ordered));
  }
  if (ordered == nullptr || order != TimeOrder::kNone) {
    OverflowMark overflow;
    Status at_once = run_over_all_rows(executor, node, consumer, &overflow);
    if (!overflow.is_set() || ordered == nullptr || !is_repeatable(input)) {
      return at_once;
    }
    counts.forget();
    return_free_memory();
  }
  WindowConsumer stream(executor, std::get<plan::Window>(node.op), consumer);
  Demand below;
  below.order.one_sink = true;
  return executor.run(input, stream, below);
}

}  // namespace evq
