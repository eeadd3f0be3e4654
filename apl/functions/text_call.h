#pragma once
// bind_text_call<F>: the binding of a function over texts that takes values of any type, as their
// text forms. F's parameters are std::string_view, or std::optional<std::string_view> at the end;
// everything else is as in lift.h.

#include <memory>
#include <vector>

#include "apl/functions/lift.h"
#include "apl/functions/text_form.h"

namespace evq {

class TextFormsCall final : public BoundFunction {
 public:
  TextFormsCall(Kernel kernel, std::size_t parameter_count)
      : kernel_(kernel), parameter_count_(parameter_count) {}

  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    std::vector<Vector> texts;
    texts.reserve(parameter_count_);
    for (const Vector& arg : args) {
      texts.push_back(text_forms(arg));
    }
    while (texts.size() < parameter_count_) {
      texts.push_back(Vector::constant(Value::null(Type::kString), rows));
    }
    return kernel_({context, texts, rows});
  }

 private:
  Kernel kernel_;
  std::size_t parameter_count_;
};

template <auto F>
BindResult bind_text_call(const BindRequest& request) {
  constexpr Overload kForm = lift<F>();
  BoundCall call;
  call.result = kForm.result;
  for (const Argument& argument : request.arguments) {
    call.arguments.push_back(argument.type);
  }
  call.function = std::make_shared<TextFormsCall>(kForm.kernel, kForm.parameter_count);
  return call;
}

}  // namespace evq
