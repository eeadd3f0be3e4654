#pragma once
// What the files of the binder hand each other: named columns, steps of paths, the parts of a
// summarize, and how many arguments a function takes. Plain values.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/plan/environment.h"
#include "apl/plan/plan.h"
#include "apl/syntax/ast.h"

namespace evq::plan {

// Returns the names of all scalar functions, for finding near names.
std::vector<std::string_view> function_names();

// Writes a number of arguments in words: "2", "1 to 3", "at least 1".
std::string argument_range(std::size_t min, std::size_t max);

// Whether a function that takes `min` to `max` arguments takes `count`. A largest number of 255, as
// rows of the registry have it, is no limit: `*` may stand for any number of fields.
inline constexpr std::size_t kArgumentsUnlimited = 255;
inline bool takes_arguments(std::size_t min, std::size_t max, std::size_t count) {
  return count >= min && (count <= max || max >= kArgumentsUnlimited);
}

// Whether a union does without the tables that are not there.
enum class Fuzzy : std::uint8_t { kNo, kYes };

// Whether the result of a call of that name is called as its first argument is (ResultName).
bool keeps_argument_name(std::string_view function);

inline bool is_subquery(const ast::Expr& expr) {
  return std::holds_alternative<ast::Subquery>(expr.node);
}
// Whether a call of a name that stands for nothing is in the function of that name, in a let.
bool calls_itself(const ast::Query* query, const ast::Name& function);
// Whether an expression has the form of a table: a name, parentheses, a call of no scalar function.
bool may_be_table(const ast::Expr& expr, const Environment* at);
// Whether an expression can only be a table, where values over `input` may stand as well.
bool is_table(const ast::Expr& expr, const Relation* input, const Environment* at);

// Counts one level of recursion for as long as it lives.
class Nesting {
 public:
  explicit Nesting(std::size_t* depth) : depth_(depth) { ++*depth_; }
  ~Nesting() { --*depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  std::size_t* const depth_;
};

// Gives a variable another value for as long as this lives.
template <class T>
class Meanwhile {
 public:
  Meanwhile(T* variable, T value)
      : variable_(variable), before_(std::exchange(*variable, std::move(value))) {}
  ~Meanwhile() { *variable_ = std::move(before_); }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  T* const variable_;
  T before_;
};

// The datasets that a query names, in the order in which they are met.
struct NamedDatasets {
  std::vector<std::string> all;
  std::vector<std::string> of_rows;  // whose events the rows of the answer are made of

  void add(const std::string& name, bool gives_rows) {
    for (std::vector<std::string>* list : {&all, gives_rows ? &of_rows : &all}) {
      if (std::ranges::find(*list, name) == list->end()) {
        list->push_back(name);
      }
    }
  }
};

// One name of a path a.b['c'], with the expression it ends.
struct PathStep {
  std::string key;
  Span span;
  bool by_index = false;  // ['key'], not .key
};

// Reads a chain a.b['c'].d as names from left to right; false when it is anything else.
bool collect_path(const ast::Expr& expr, std::vector<PathStep>* steps);

// The field that begins a path: how many of the path's names are its own, and its column.
struct FieldOfPath {
  std::size_t names = 0;
  std::size_t column = 0;
};
// Finds that field; nullopt when no field of `input` begins the path.
std::optional<FieldOfPath> field_of_path(const Relation& input, std::span<const PathStep> steps);

// One output column of project, extend, summarize: its name and expression.
struct NamedColumn {
  std::string name;
  ExprPtr expr;
};

// A group or an aggregate of a summarize, for operators that are made of one.
struct SummarizeItem {
  SummarizeItem(const ast::NamedExpr& item)  // NOLINT(google-explicit-constructor): it is a view
      : names(item.names), value(item.value.get()), span(item.span) {}
  explicit SummarizeItem(const ast::Expr& expr) : value(&expr), span(expr.span) {}

  std::span<const ast::Name> names;
  const ast::Expr* value;
  Span span;
};
struct SummarizeParts {
  std::vector<SummarizeItem> groups;
  std::vector<NamedColumn> bound_groups;  // further groups, after those
  std::optional<std::int64_t> bin_ns;     // the width, where one of the bound groups is a time bin
  std::vector<SummarizeItem> aggregates;
};

}  // namespace evq::plan
