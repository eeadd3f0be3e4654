// Window functions: the whole ordered input is collected, each call makes one column over it.

#include <array>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/whole_input.h"
#include "store/base/allocation_meter.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::string_view kWindowName = "a window function";

using plan::WindowCall;
using plan::WindowKind;

class WindowColumn {
 public:
  WindowColumn(const WindowCall& call, const Chunk& input) : call_(call), input_(input) {}

  Vector make() {
    switch (call_.kind) {
      case WindowKind::kRowNumber:
        return number_rows();
      case WindowKind::kRowCumsum:
        return call_.type == Type::kReal ? sum_reals() : sum_integers();
      case WindowKind::kRowRankDense:
      case WindowKind::kRowRankMin:
        return rank();
      case WindowKind::kPrev:
        return shift(false);
      case WindowKind::kNext:
        return shift(true);
      case WindowKind::kRowWindowSession:
        break;
    }
    return sessions();
  }

 private:
  bool restarts(std::size_t row) const {
    if (!call_.restart.has_value()) {
      return false;
    }
    const Vector& flags = input_.column(*call_.restart);
    return !flags.is_null(row) && flags.at<std::uint8_t>(row) != 0;
  }
  const Vector& argument() const { return input_.column(call_.args[0]); }

  // Numbers beyond the range of a long are null.
  Vector number_rows() {
    VectorBuilder to(Type::kLong);
    std::int64_t count = 0;  // of rows since the last restart
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      count = restarts(row) ? 0 : count;
      std::int64_t number = 0;
      if (__builtin_add_overflow(call_.offset, count++, &number)) {
        to.append_null();
      } else {
        to.append_integer(number);
      }
    }
    return to.finish();
  }

  Vector sum_reals() {
    VectorBuilder to(Type::kReal);
    double sum = 0;
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      sum = restarts(row) ? 0 : sum;
      sum += argument().is_null(row) ? 0 : argument().at<double>(row);
      to.append_real(sum);
    }
    return to.finish();
  }

  // Sums beyond the range of a long are null until the next restart.
  Vector sum_integers() {
    VectorBuilder to(call_.type);
    std::int64_t sum = 0;
    bool overflow = false;
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      if (restarts(row)) {
        sum = 0;
        overflow = false;
      }
      if (!argument().is_null(row)) {
        overflow = __builtin_add_overflow(sum, argument().at<std::int64_t>(row), &sum) || overflow;
      }
      if (overflow) {
        to.append_null();
      } else {
        to.append_integer(sum);
      }
    }
    return to.finish();
  }

  Vector rank() {
    VectorBuilder to(Type::kLong);
    std::int64_t rank = 0;
    std::int64_t number = 0;
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      const bool restart = row == 0 || restarts(row);
      if (restart) {
        rank = 0;
        number = 0;
      }
      ++number;
      if (restart || !rows_equal(argument(), row, argument(), row - 1)) {
        rank = call_.kind == WindowKind::kRowRankDense ? rank + 1 : number;
      }
      to.append_integer(rank);
    }
    return to.finish();
  }

  // Shares the argument's texts.
  Vector shift(bool later) {
    const std::array<Vector, 2> parts = {argument(), Vector::constant(call_.fallback, 1)};
    const auto distance = static_cast<std::uint64_t>(call_.offset);
    std::vector<RowPlace> places(input_.rows(), RowPlace{1, 0});
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      const bool inside = later ? distance < input_.rows() - row : distance <= row;
      if (inside) {
        places[row] = {0, static_cast<std::uint32_t>(later ? row + distance : row - distance)};
      }
    }
    return interleave(parts, places);
  }

  // The first time of each row's session.
  Vector sessions() {
    VectorBuilder to(Type::kDatetime);
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool open = false;
    for (std::size_t row = 0; row < input_.rows(); ++row) {
      open = open && !restarts(row);
      if (argument().is_null(row)) {
        to.append_null();
        continue;
      }
      const auto time = argument().at<std::int64_t>(row);
      if (!open || farther(first, time, call_.max_distance_first) ||
          farther(last, time, call_.max_distance_between)) {
        first = time;
        open = true;
      }
      last = time;
      to.append_integer(first);
    }
    return to.finish();
  }

  static bool farther(std::int64_t from, std::int64_t to, std::int64_t distance) {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(to, from, &difference) || difference > distance;
  }

  const WindowCall& call_;
  const Chunk& input_;
};

}  // namespace

Status run_window(Executor& executor, const plan::Node& node, Consumer& consumer) {
  const auto& window = std::get<plan::Window>(node.op);
  EVQ_TRY_ASSIGN(WholeInput whole, collect_whole(executor, *node.inputs[0], kWindowName));
  Chunk& input = whole.rows;
  for (const WindowCall& call : window.calls) {
    // What is held besides the column while it is made.
    const std::size_t builder_bytes = input.rows() * sizeof(std::string_view);
    EVQ_TRY(whole.lease.grow(builder_bytes));
    Vector made;
    {
      AllocationMeter meter(executor.options().budget, executor.options().control, kWindowName);
      EVQ_TRY(meter.guard([&] { made = WindowColumn(call, input).make(); }));
    }
    whole.lease.shrink(builder_bytes);
    EVQ_TRY(whole.lease.grow(made.values().size_bytes() + input.rows() * sizeof(Code)));
    input.columns().push_back(std::move(made));
  }
  return push_whole(executor, input, kWindowName, consumer);
}

}  // namespace evq
