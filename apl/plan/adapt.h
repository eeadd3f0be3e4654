#pragma once
// What constants and texts become beside operands of another type, and the comparisons that are
// made of them, for the files of the binder alone. A dynamic beside constants is compared by what
// each row holds. Fails as binding does: kCompile, with the place in the query.

#include <string>
#include <string_view>
#include <vector>

#include "apl/plan/binder.h"

namespace evq::plan {

// The function that reads a text beside a constant of the type; empty where none does.
std::string_view text_reader(Type constant);

// 1 and 0 beside a bool are true and false; any other number stays an error.
ExprPtr adapt_flag(ExprPtr constant, Type other);

// dayofweek() is a number here and days since Sunday in Kusto, whose queries compare it with 1d.
Result<ExprPtr> adapt_weekday(const Binder& binder, ExprPtr value, Type other,
                              const Relation* input);

// Texts beside a constant number, timespan or datetime are read as such. Of two constants the
// mismatch is a slip and stays an error, except for the null of a field that only other tables
// have.
Result<ExprPtr> adapt_texts(const Binder& binder, ExprPtr value, const Expr& other);

// Whether a number that `other` is to equal is taken for its text: beside a text that is written in
// the query, and where a real, as which a text is read, would be too coarse to tell it.
bool equals_as_text(const Expr& number, const Expr& other);

// The two sides as what the operator makes of each beside the other.
Status adapt_operands(const Binder& binder, ast::BinaryOp op, ExprPtr* left, ExprPtr* right,
                      const Relation* input);

// Compares operands that have been adapted; `function` is that of the operator.
Result<ExprPtr> compare(const Binder& binder, ast::BinaryOp op, std::string_view function,
                        ExprPtr left, ExprPtr right, Span span);

// Binds in, !in, in~ or !in~ of a value, the first of `args`, and items, each as == has it beside
// the value; those `of_tables`, the values of a subquery, stay as they are.
Result<ExprPtr> is_in(Binder& binder, const std::string& function, std::vector<ExprPtr> args,
                      const std::vector<bool>& of_tables, Span span);

}  // namespace evq::plan
