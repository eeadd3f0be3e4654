#include "apl/syntax/ast_printer.h"

#include <memory>
#include <utility>

#include "apl/syntax/ast_text.h"
#include "apl/syntax/literal.h"
#include "apl/syntax/words.h"

namespace evq::syntax {

namespace {

// Binding strength, loosest first. An operand below its place gets parentheses.
constexpr int kOr = 1;
constexpr int kAnd = 2;
constexpr int kComparison = 3;
constexpr int kSum = 4;
constexpr int kProduct = 5;
constexpr int kUnary = 6;
constexpr int kPostfix = 7;
constexpr int kAtom = 8;

int binary_level(ast::BinaryOp op) {
  if (op == ast::BinaryOp::kMultiply || op == ast::BinaryOp::kDivide ||
      op == ast::BinaryOp::kModulo) {
    return kProduct;
  }
  return op == ast::BinaryOp::kAdd || op == ast::BinaryOp::kSubtract ? kSum : kComparison;
}

int level_of(const ast::Expr& expr) {
  if (const auto* binary = std::get_if<ast::Binary>(&expr.node)) {
    return binary_level(binary->op);
  }
  if (const auto* logical = std::get_if<ast::Logical>(&expr.node)) {
    return logical->is_or ? kOr : kAnd;
  }
  if (std::holds_alternative<ast::Unary>(expr.node)) {
    return kUnary;
  }
  if (std::holds_alternative<ast::Member>(expr.node) ||
      std::holds_alternative<ast::Index>(expr.node)) {
    return kPostfix;
  }
  const bool compares = std::holds_alternative<ast::Membership>(expr.node) ||
                        std::holds_alternative<ast::Between>(expr.node) ||
                        std::holds_alternative<ast::SearchTerm>(expr.node);
  return compares ? kComparison : kAtom;
}

}  // namespace

void TextWriter::add_operand(const ast::Expr& expr, int level) {
  const int own = level_of(expr);
  const bool wrap = own < level || (explicit_ && own < kPostfix);
  add(wrap ? "(" : "");
  add_expr(expr);
  add(wrap ? ")" : "");
}

void TextWriter::add_arithmetic(const ast::Expr& expr) {
  add_operand(expr, kSum);
}

namespace {

struct ExprText {
  TextWriter& out;
  void (*add_operand)(TextWriter&, const ast::Expr&, int);

  void operand(const ast::Expr& expr, int level) const { add_operand(out, expr, level); }

  void operator()(const ast::Literal& e) const { out.add(literal_text(e.value)); }
  void operator()(const ast::FieldRef& e) const { out.add_name(e.name); }
  void operator()(const ast::Star&) const { out.add("*"); }

  void operator()(const ast::Member& e) const {
    operand(*e.object, kPostfix);
    out.add(".");
    out.add(e.key.text);  // one word, a keyword too; `.['a b']` would be an index
  }
  void operator()(const ast::Index& e) const {
    operand(*e.object, kPostfix);
    out.add("[");
    out.add_expr(*e.key);
    out.add("]");
  }
  void operator()(const ast::Call& e) const {
    // A call's name is never a field, so words such as toscalar need no quotes.
    out.add(is_keyword(e.function.text) ? e.function.text : quote_name(e.function.text));
    out.add("(");
    out.add_list(e.arguments, [&](const ast::Argument& argument) {
      if (argument.name) {
        out.add_name(*argument.name);
        out.add(" = ");
      }
      if (const auto* table = std::get_if<ast::Subquery>(&argument.value->node)) {
        // Commas of its operators would end it early among other arguments.
        const bool wrap = table->pipeline->operators.empty() || e.arguments.size() > 1;
        out.add(wrap ? "(" : "");
        out.add_pipeline(*table->pipeline);
        out.add(wrap ? ")" : "");
        return;
      }
      out.add_expr(*argument.value);
    });
    out.add(")");
  }
  void operator()(const ast::Unary& e) const {
    if (e.op == ast::UnaryOp::kNot) {
      out.add("not (");
      operand(*e.operand, 0);
      out.add(")");
      return;
    }
    // Signs in a row need no parentheses, which would nest the text deeper than it was.
    const auto* inner = std::get_if<ast::Unary>(&e.operand->node);
    const bool signs = inner != nullptr && inner->op != ast::UnaryOp::kNot;
    out.add(e.op == ast::UnaryOp::kMinus ? "-" : "+");
    out.add(signs ? " " : "");
    operand(*e.operand, signs ? kUnary : kPostfix);
  }
  void operator()(const ast::Binary& e) const {
    const int level = binary_level(e.op);
    operand(*e.left, level == kComparison ? kSum : level);
    out.add(e.negated ? " !" : " ");
    out.add(ast::binary_op_text(e.op));
    out.add(" ");
    operand(*e.right, level + 1);
  }
  void operator()(const ast::Logical& e) const {
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      out.add(i == 0 ? "" : (e.is_or ? " or " : " and "));
      operand(*e.operands[i], e.is_or ? kAnd : kComparison);
    }
  }
  void operator()(const ast::Membership& e) const {
    operand(*e.value, kSum);
    out.add(e.negated ? " !" : " ");
    out.add(ast::membership_op_text(e.op));
    out.add(" (");
    out.add_list(e.list, [&](const ast::ExprPtr& item) { out.add_expr(*item); });
    out.add(")");
  }
  void operator()(const ast::Between& e) const {
    operand(*e.value, kSum);
    out.add(e.negated ? " !between (" : " between (");
    operand(*e.low, kSum);
    out.add(" .. ");
    operand(*e.high, kSum);
    out.add(")");
  }
  void operator()(const ast::TypeOf& e) const {
    out.add("typeof(");
    if (e.columns.empty()) {
      out.add(type_name(e.type));
      out.add(")");
      return;
    }
    out.add_columns(e.columns);
    out.add(")");
  }
  void operator()(const ast::Subquery& e) const {
    out.add("(");
    out.add_pipeline(*e.pipeline);
    out.add(")");
  }
  void operator()(const ast::SearchTerm& e) const {
    operand(*e.field, kSum);
    out.add(":");
    operand(*e.term, kSum);
  }
};

}  // namespace

void TextWriter::add_name(const ast::Name& name) {
  add(quote_name(name.text));
}

void TextWriter::add_pattern(const ast::NamePattern& pattern) {
  for (std::size_t i = 0; i < pattern.parts.size(); ++i) {
    add(i == 0 ? "" : "*");
    add(pattern.parts[i].empty() ? "" : quote_name(pattern.parts[i]));
  }
}

void TextWriter::add_expr(const ast::Expr& expr) {
  // The visitor lives outside of the class; it reaches the one private step through this pointer.
  const ExprText text{*this, [](TextWriter& out, const ast::Expr& operand, int level) {
                        out.add_operand(operand, level);
                      }};
  std::visit(text, expr.node);
}

void TextWriter::add_named(const ast::NamedExpr& item) {
  if (item.names.size() == 1) {
    add_name(item.names.front());
    add(" = ");
  } else if (item.names.size() > 1) {
    add("(");
    add_list(item.names, [&](const ast::Name& name) { add_name(name); });
    add(") = ");
  }
  add_expr(*item.value);
}

void TextWriter::add_named_list(const std::vector<ast::NamedExpr>& items) {
  add_list(items, [&](const ast::NamedExpr& item) { add_named(item); });
}

void TextWriter::add_patterns(const std::vector<ast::NamePattern>& patterns) {
  add_list(patterns, [&](const ast::NamePattern& pattern) { add_pattern(pattern); });
}

void TextWriter::add_columns(const std::vector<ast::ColumnSpec>& columns) {
  add_list(columns, [&](const ast::ColumnSpec& column) {
    add_name(column.name);
    if (column.type != Type::kNull) {
      add(":");
      add(type_name(column.type));
    }
  });
}

void TextWriter::add_tables(const std::vector<ast::TableItem>& tables) {
  add_list(tables, [&](const ast::TableItem& item) {
    if (const auto* pattern = std::get_if<ast::NamePattern>(&item)) {
      add_pattern(*pattern);
      return;
    }
    add("(");
    add_pipeline(*std::get<ast::PipelinePtr>(item));
    add(")");
  });
}

void TextWriter::add_options(const std::vector<ast::Option>& options, std::string_view separator) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    add(i == 0 ? "" : separator);
    // Before `=` a word of the grammar needs no quotes.
    const std::string& name = options[i].name.text;
    add(is_keyword(name) ? name : quote_name(name));
    add("=");
    add_arithmetic(*options[i].value);
  }
}

void TextWriter::add_block(const ast::OperatorList& operators) {
  add("(");
  bool first = true;
  for (const ast::Operator& op : operators) {
    add(first ? "" : " | ");
    add_operator(op);
    first = false;
  }
  add(")");
}

void TextWriter::add_pipeline(const ast::Pipeline& pipeline, std::string_view pipe) {
  add_inner_lets(pipeline.lets);
  add_source(pipeline.source);
  for (const ast::Operator& op : pipeline.operators) {
    add(pipe);
    add_operator(op);
  }
}

void TextWriter::add_parameters(const std::vector<ast::Parameter>& parameters) {
  add("(");
  add_list(parameters, [&](const ast::Parameter& parameter) {
    add_name(parameter.name);
    add(":");
    if (parameter.is_table) {
      add("(");
      add(parameter.any_columns ? "*" : "");
      add_columns(parameter.columns);
      add(")");
      return;
    }
    add(type_name(parameter.type));
    if (parameter.default_value) {
      add(" = ");
      add_expr(*parameter.default_value);
    }
  });
  add(")");
}

void TextWriter::add_let_value(const ast::LetValue& value) {
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) {
    add_expr(**expr);
  } else if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&value)) {
    add_pipeline(**pipeline);
  } else {
    const ast::Lambda& lambda = *std::get<std::unique_ptr<ast::Lambda>>(value);
    add(lambda.is_view ? "view " : "");
    add_parameters(lambda.parameters);
    add(" { ");
    add_inner_lets(lambda.lets);
    add_let_value(lambda.body);
    add(" }");
  }
}

void TextWriter::add_inner_lets(const std::vector<ast::Let>& lets) {
  for (const ast::Let& let : lets) {
    add_let(let);
    add("; ");
  }
}

void TextWriter::add_let(const ast::Let& let) {
  add("let ");
  add_name(let.name);
  add(" = ");
  add_let_value(let.value);
}

void TextWriter::add_statement(const ast::Statement& statement) {
  if (const auto* let = std::get_if<ast::Let>(&statement)) {
    add_let(*let);
  } else if (const auto* set = std::get_if<ast::Set>(&statement)) {
    add("set ");
    add_name(set->name);
    if (set->value) {
      add(" = ");
      add_arithmetic(*set->value);
    }
  } else {
    add("declare query_parameters");
    add_parameters(std::get<ast::DeclareParameters>(statement).parameters);
  }
  add(";\n");
}

void TextWriter::add_query(const ast::Query& query) {
  for (const ast::Statement& statement : query.statements) {
    add_statement(statement);
  }
  bool first = true;
  for (const ast::PipelinePtr& pipeline : query.pipelines) {
    add(first ? "" : ";\n");
    add_pipeline(*pipeline, "\n| ");
    first = false;
  }
}

std::string print(const ast::Query& query, PrintStyle style) {
  TextWriter writer(style);
  writer.add_query(query);
  return writer.take();
}

std::string print(const ast::Pipeline& pipeline, PrintStyle style) {
  TextWriter writer(style);
  writer.add_pipeline(pipeline, "\n| ");
  return writer.take();
}

std::string print(const ast::Expr& expr, PrintStyle style) {
  TextWriter writer(style);
  writer.add_expr(expr);
  return writer.take();
}

}  // namespace evq::syntax
