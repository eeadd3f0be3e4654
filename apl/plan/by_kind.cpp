#include "apl/plan/by_kind.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "apl/plan/evaluate.h"
#include "apl/plan/fold.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq::plan {
namespace {

constexpr std::array kKinds = {Type::kBool,   Type::kLong,     Type::kReal,
                               Type::kString, Type::kDatetime, Type::kTimespan};
constexpr std::size_t kOtherKind = kKinds.size();

// One for each kind, over column 0 of its type; null where there is none.
using KindTests = std::array<ExprPtr, kKinds.size()>;

// The position in kKinds.
std::size_t kind_of(DynamicTag tag) {
  switch (tag) {
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return 0;
    case DynamicTag::kLong:
      return 1;
    case DynamicTag::kReal:
      return 2;
    case DynamicTag::kString:
      return 3;
    case DynamicTag::kDatetime:
      return 4;
    case DynamicTag::kTimespan:
      return 5;
    case DynamicTag::kNull:
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  return kOtherKind;
}

// The values of `rows`, all of them of the type.
Vector typed(const Vector& value, Type type, std::span<const std::uint32_t> rows) {
  VectorBuilder builder(type);
  builder.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    const DynamicView view(value.at<std::string_view>(row));
    if (type == Type::kBool) {
      builder.append_bool(view.as_bool());
    } else if (type == Type::kReal) {
      builder.append_real(view.as_real());
    } else if (type == Type::kString) {
      builder.append_view(view.as_string());
    } else {
      builder.append_integer(view.as_integer());
    }
  }
  if (type == Type::kString) {
    builder.keep_alive(value.values());
  }
  return builder.finish();
}

// Puts the truths of `rows` to their places.
void put(const Vector& truths, std::span<const std::uint32_t> rows, Values* out) {
  auto* to = out->mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (truths.is_null(i)) {
      out->set_null(rows[i]);
    } else {
      to[rows[i]] = truths.at<std::uint8_t>(i);
    }
  }
}

class ByKind final : public BoundFunction {
 public:
  ByKind(std::shared_ptr<const BoundFunction> by_value, std::size_t value, KindTests tests)
      : by_value_(std::move(by_value)), value_(value), tests_(std::move(tests)) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    const Vector& value = args[value_];
    std::array<std::vector<std::uint32_t>, kKinds.size() + 1> of_kind;
    for (std::size_t i = 0; i < rows; ++i) {
      of_kind[test_of(value, i)].push_back(static_cast<std::uint32_t>(i));
    }
    if (of_kind[kOtherKind].size() == rows) {
      return by_value_->evaluate(context, args, rows);
    }
    auto out = Values::make(Type::kBool, rows);
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      if (!of_kind[kind].empty()) {
        const Vector field = typed(value, kKinds[kind], of_kind[kind]);
        put(evq::evaluate(*tests_[kind], context, std::span(&field, 1), field.size()),
            of_kind[kind], out.get());
      }
    }
    if (const std::span<const std::uint32_t> others = of_kind[kOtherKind]; !others.empty()) {
      std::vector<Vector> gathered;
      for (const Vector& arg : args) {
        gathered.push_back(arg.gather(others));
      }
      put(by_value_->evaluate(context, gathered, others.size()), others, out.get());
    }
    return Vector::flat(std::move(out));
  }

 private:
  // The kind whose test the row takes.
  std::size_t test_of(const Vector& value, std::size_t row) const {
    if (value.is_null(row)) {
      return kOtherKind;
    }
    const std::size_t kind = kind_of(DynamicView(value.at<std::string_view>(row)).tag());
    return kind == kOtherKind || tests_[kind] == nullptr ? kOtherKind : kind;
  }

  const std::shared_ptr<const BoundFunction> by_value_;
  const std::size_t value_;
  const KindTests tests_;
};

}  // namespace

bool compares_as_is(Type value, Type constant) {
  const auto is_quantity = [](Type type) { return is_numeric(type) || type == Type::kTimespan; };
  return value == constant || (is_quantity(value) && is_quantity(constant));
}

Result<ExprPtr> by_kind(std::string_view function, std::vector<ExprPtr> args, std::size_t value,
                        const FieldTest& test, const EvalContext& context, Span span) {
  KindTests tests;
  bool any = false;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    Result<ExprPtr> made = test(make_column(0, kKinds[kind], args[value]->span));
    if (made.ok()) {
      tests[kind] = std::move(made).value();
      any = any || tests[kind] != nullptr;
    }
  }
  EVQ_TRY_ASSIGN(ExprPtr call, make_call(*find_function(function), std::move(args), context, span));
  if (any) {
    call->by_kind = true;
    call->call.function =
        std::make_shared<ByKind>(std::move(call->call.function), value, std::move(tests));
  }
  return fold(std::move(call), context);
}

}  // namespace evq::plan
