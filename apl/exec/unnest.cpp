#include "apl/exec/unnest.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apl/exec/executor.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/repeated_rows.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

DynamicView view_of(const Vector& vector, std::size_t row) {
  return vector.is_null(row) ? DynamicView() : DynamicView(vector.at<std::string_view>(row));
}

// A null and a scalar make one row, an empty array none.
std::size_t row_count(DynamicView value) {
  return value.is_array() || value.is_bag() ? value.size() : 1;
}

// Walks the elements of one cell.
class Elements {
 public:
  Elements(DynamicView value, bool bag_as_array)
      : value_(value), at_(value), bag_as_array_(bag_as_array) {}

  // Appends the next element, or null past the end.
  void append_next(VectorBuilder* to) {
    if (!value_.is_array() && !value_.is_bag()) {
      append(first_ ? value_ : DynamicView(), to);
      first_ = false;
      return;
    }
    if (!at_.next()) {
      to->append_null();
      return;
    }
    if (value_.is_array()) {
      append(at_.value(), to);
      return;
    }
    DynamicBuilder pair;
    if (bag_as_array_) {
      pair.begin_array();
      pair.add_string(at_.key());
      pair.add_encoded(at_.value());
      pair.end_array();
    } else {
      pair.begin_bag();
      pair.key(at_.key());
      pair.add_encoded(at_.value());
      pair.end_bag();
    }
    to->append_text(pair.bytes());
  }

 private:
  static void append(DynamicView value, VectorBuilder* to) {
    to->append_view(value.bytes());  // a null in its form is one here
  }

  DynamicView value_;
  DynamicView::Iterator at_;
  bool bag_as_array_;
  bool first_ = true;
};

// Collects output rows until a chunk is full, and pushes it.
class Unnester {
 public:
  Unnester(const plan::Unnest& unnest, const Chunk& chunk,
           const std::function<Result<Flow>(Chunk)>& push)
      : unnest_(unnest), chunk_(chunk), push_(push) {
    for (std::size_t i = 0; i < unnest.columns.size(); ++i) {
      builders_.emplace_back(Type::kDynamic);
    }
  }

  Result<Flow> expand_row(std::size_t row) {
    std::size_t count = 0;
    elements_.clear();
    for (const plan::UnnestColumn& column : unnest_.columns) {
      const DynamicView value = view_of(chunk_.column(column.column), row);
      count = std::max(count, row_count(value));
      elements_.emplace_back(value, column.bag_as_array);
    }
    if (unnest_.row_limit.has_value() && *unnest_.row_limit < count) {
      count = static_cast<std::size_t>(*unnest_.row_limit);
    }
    if (parents_.size() + count > kChunkRowsMax) {
      EVQ_TRY_ASSIGN(const Flow flow, flush());
      if (flow == Flow::kDone) {
        return flow;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (parents_.size() == kChunkRowsMax) {
        EVQ_TRY_ASSIGN(const Flow flow, flush());
        if (flow == Flow::kDone) {
          return flow;
        }
      }
      parents_.push_back(static_cast<std::uint32_t>(row));
      if (unnest_.item_index) {
        indexes_.append_integer(static_cast<std::int64_t>(i));
      }
      for (std::size_t column = 0; column < elements_.size(); ++column) {
        elements_[column].append_next(&builders_[column]);
      }
    }
    return Flow::kMore;
  }

  Result<Flow> flush() {
    if (parents_.empty()) {
      return Flow::kMore;
    }
    std::vector<Vector> columns = repeat_rows(chunk_.columns(), parents_);
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      const std::size_t column = unnest_.columns[i].column;
      builders_[i].keep_alive(chunk_.column(column).shared_values());
      columns[column] = builders_[i].finish();
    }
    if (unnest_.item_index) {
      columns.push_back(indexes_.finish());
    }
    Chunk made(std::move(columns), parents_.size());
    made.set_sequence(chunk_.sequence());
    parents_.clear();
    return push_(std::move(made));
  }

 private:
  const plan::Unnest& unnest_;
  const Chunk& chunk_;
  const std::function<Result<Flow>(Chunk)>& push_;
  std::vector<VectorBuilder> builders_;
  std::vector<Elements> elements_;  // of the row, by column
  VectorBuilder indexes_{Type::kLong};
  std::vector<std::uint32_t> parents_;
};

class UnnestSink final : public ForwardingSink {
 public:
  UnnestSink(const plan::Unnest& unnest, MemoryBudget* budget, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)), unnest_(unnest), lease_(budget, "mv-expand") {}

  // A part stays charged while the operators after this one have it.
  Result<Flow> push(Chunk chunk) override {
    Result<Flow> flow = unnest_chunk(unnest_, chunk, [this](Chunk part) -> Result<Flow> {
      EVQ_TRY(lease_.resize(part.size_bytes()));
      return next().push(std::move(part));
    });
    lease_.reset();
    return flow;
  }

 private:
  const plan::Unnest& unnest_;
  MemoryLease lease_;
};

class UnnestConsumer final : public Consumer {
 public:
  UnnestConsumer(const plan::Unnest& unnest, MemoryBudget* budget, Consumer& next)
      : unnest_(unnest), budget_(budget), next_(next) {}
  Result<std::unique_ptr<Sink>> make_sink() override {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
    return std::unique_ptr<Sink>(std::make_unique<UnnestSink>(unnest_, budget_, std::move(next)));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    return next_.complete(forwarded_sinks(std::move(sinks)));
  }

 private:
  const plan::Unnest& unnest_;
  MemoryBudget* const budget_;
  Consumer& next_;
};

}  // namespace

Result<Flow> unnest_chunk(const plan::Unnest& unnest, const Chunk& chunk,
                          const std::function<Result<Flow>(Chunk)>& push) {
  Unnester unnester(unnest, chunk, push);
  for (std::size_t row = 0; row < chunk.rows(); ++row) {
    EVQ_TRY_ASSIGN(const Flow flow, unnester.expand_row(row));
    if (flow == Flow::kDone) {
      return flow;
    }
  }
  return unnester.flush();
}

Status run_unnest(Executor& executor, const plan::Node& node, Consumer& consumer) {
  UnnestConsumer unnested(std::get<plan::Unnest>(node.op), executor.options().budget, consumer);
  return executor.run(*node.inputs[0], unnested);
}

}  // namespace evq
