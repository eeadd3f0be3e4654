#pragma once
// Calls of any number of arguments, computed row by row over dynamic views: what lift<F>() cannot
// express (pack_array, set_union, bag_merge). bind_rows<F, Result>() is a `bind` for a function
// row: every argument is converted to dynamic, nulls arrive as null views. Immutable once bound.

#include <span>
#include <vector>

#include "apl/functions/function.h"
#include "store/base/allocation_meter.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {

// Appends exactly one row, of the type the call was bound with, to `out`.
using RowFunction = void (*)(std::span<const DynamicView> args, VectorBuilder* out);
// Adds one value to `out` and returns true, or returns false for null, whatever it added. Values
// beyond the limits of functions become null.
using DynamicRowFunction = bool (*)(std::span<const DynamicView> args, DynamicBuilder* out);

// Gives the arguments of one row after the other as views.
class DynamicRows {
 public:
  explicit DynamicRows(std::span<const Vector> args) : args_(args), views_(args.size()) {}
  // Returns the arguments of row `i`, valid until the next call. Polls.
  std::span<const DynamicView> row(std::size_t i) {
    std::size_t bytes = 0;
    for (std::size_t a = 0; a < args_.size(); ++a) {
      views_[a] =
          args_[a].is_null(i) ? DynamicView() : DynamicView(args_[a].at<std::string_view>(i));
      bytes += views_[a].bytes().size();
    }
    poll_.add(1 + bytes / kPollTextBytes);
    return views_;
  }

 private:
  std::span<const Vector> args_;
  std::vector<DynamicView> views_;
  PollCounter poll_;
};

class RowsFunction final : public BoundFunction {
 public:
  RowsFunction(Type result, RowFunction function) : result_(result), function_(function) {}
  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override;

 private:
  Type result_;
  RowFunction function_;
};

class DynamicRowsFunction final : public BoundFunction {
 public:
  explicit DynamicRowsFunction(DynamicRowFunction function) : function_(function) {}
  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override;

 private:
  DynamicRowFunction function_;
};

template <auto F, Type kResult>
BindResult bind_rows(const BindRequest& request) {
  return BoundCall{kResult, std::vector<Type>(request.arguments.size(), Type::kDynamic),
                   std::make_shared<RowsFunction>(kResult, F)};
}

template <auto F>
BindResult bind_dynamic_rows(const BindRequest& request) {
  return BoundCall{Type::kDynamic, std::vector<Type>(request.arguments.size(), Type::kDynamic),
                   std::make_shared<DynamicRowsFunction>(F)};
}

}  // namespace evq
