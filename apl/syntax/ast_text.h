#pragma once
// TextWriter: the state of one printing, shared by the printer's files. Private to this layer;
// others call ast_printer.h. Trees are bounded in height by the parser, so printing recurses.

#include <string>
#include <string_view>
#include <vector>

#include "apl/syntax/ast.h"
#include "apl/syntax/ast_printer.h"

namespace evq::syntax {

class TextWriter {
 public:
  explicit TextWriter(PrintStyle style) : explicit_(style == PrintStyle::kExplicit) {}

  void add(std::string_view text) { out_ += text; }
  void add_name(const ast::Name& name);
  void add_pattern(const ast::NamePattern& pattern);
  void add_expr(const ast::Expr& expr);
  void add_named(const ast::NamedExpr& item);
  // `pipe` comes before each operator. On a new line it would break parentheses: those print on
  // one.
  void add_pipeline(const ast::Pipeline& pipeline, std::string_view pipe = " | ");
  void add_query(const ast::Query& query);
  std::string take() { return std::move(out_); }

  template <class Items, class Add>
  void add_list(const Items& items, Add add_item) {
    bool first = true;
    for (const auto& item : items) {
      add(first ? "" : ", ");
      add_item(item);
      first = false;
    }
  }
  void add_named_list(const std::vector<ast::NamedExpr>& items);
  void add_patterns(const std::vector<ast::NamePattern>& patterns);
  void add_columns(const std::vector<ast::ColumnSpec>& columns);
  void add_tables(const std::vector<ast::TableItem>& tables);
  void add_options(const std::vector<ast::Option>& options, std::string_view separator);
  void add_operator(const ast::Operator& op);
  void add_block(const ast::OperatorList& operators);
  void add_source(const ast::SourceNode& source);
  void add_union(const ast::Union& node);
  void add_search(const ast::Search& node);
  // An expression that must not end in a comparison or connective where it stands.
  void add_arithmetic(const ast::Expr& expr);

 private:
  void add_operand(const ast::Expr& expr, int level);
  void add_statement(const ast::Statement& statement);
  void add_let(const ast::Let& let);
  void add_inner_lets(const std::vector<ast::Let>& lets);
  void add_let_value(const ast::LetValue& value);
  void add_parameters(const std::vector<ast::Parameter>& parameters);

  bool explicit_;
  std::string out_;
};

}  // namespace evq::syntax
