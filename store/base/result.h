#pragma once
// Status and Result<T>: the only way an expected failure travels. Both are cheap when all is well
// (a null pointer, a variant index) and may not be ignored. Broken invariants do not come here:
// they are EVQ_CHECK's (check.h).

#include <memory>
#include <utility>
#include <variant>

#include "store/base/error.h"

namespace evq {

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error)  // NOLINT(google-explicit-constructor): lets a function return make_error(…)
      : error_(std::make_unique<Error>(std::move(error))) {}

  static Status success() { return {}; }
  bool ok() const { return error_ == nullptr; }
  // Only when !ok().
  const Error& error() const { return *error_; }
  Error take_error() && { return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return held_.index() == 0; }
  // Only when ok().
  T& value() & { return *std::get_if<0>(&held_); }
  const T& value() const& { return *std::get_if<0>(&held_); }
  T&& value() && { return std::move(*std::get_if<0>(&held_)); }
  T& operator*() { return value(); }
  const T& operator*() const { return *std::get_if<0>(&held_); }
  T* operator->() { return std::get_if<0>(&held_); }
  const T* operator->() const { return std::get_if<0>(&held_); }
  // Only when !ok().
  const Error& error() const { return *std::get_if<1>(&held_); }
  Error take_error() && { return std::move(*std::get_if<1>(&held_)); }

 private:
  std::variant<T, Error> held_;
};

}  // namespace evq

#define EVQ_CONCAT_INNER(a, b) a##b
#define EVQ_CONCAT(a, b) EVQ_CONCAT_INNER(a, b)

// Returns the error of a Status or Result expression from the enclosing function, if it has one.
#define EVQ_TRY(expression)                                 \
  do {                                                      \
    if (auto evq_status = (expression); !evq_status.ok()) { \
      return std::move(evq_status).take_error();            \
    }                                                       \
  } while (false)

// EVQ_TRY_ASSIGN(auto rows, read_rows(file)): the value, or return the error.
// A declaration cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define EVQ_TRY_ASSIGN(declaration, expression)                       \
  auto EVQ_CONCAT(evq_result_, __LINE__) = (expression);              \
  if (!EVQ_CONCAT(evq_result_, __LINE__).ok()) {                      \
    return std::move(EVQ_CONCAT(evq_result_, __LINE__)).take_error(); \
  }                                                                   \
  declaration = std::move(EVQ_CONCAT(evq_result_, __LINE__)).value()
// NOLINTEND(bugprone-macro-parentheses)
