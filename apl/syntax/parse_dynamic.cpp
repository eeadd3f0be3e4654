// dynamic(…): JSON with single quotes, unquoted keys, `=` for `:`, and literals of other types,
// straight into the bytes of a dynamic value. Where an element is computed, the whole becomes calls
// of pack_array and bag_pack instead. The literal reading is tried first and stops at the first
// computed element, so no token is looked at more than twice.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"
#include "store/base/checked_math.h"
#include "store/column/dynamic.h"

namespace evq::syntax {

namespace {

Status add_item(TokenCursor& cursor, DynamicBuilder* builder);

// As the operator has it: null where the type has no such value.
Value negated(const Value& value) {
  if (value.is_null()) {
    return value;
  }
  if (value.type() == Type::kReal) {
    return Value::real(-value.as_real());
  }
  const std::optional<std::int64_t> result = checked_subtract(0, value.as_integer());
  if (!result.has_value()) {
    return Value::null(value.type());
  }
  return value.type() == Type::kLong ? Value::integer(*result) : Value::timespan(*result);
}

Status add_literal(TokenCursor& cursor, bool negative, DynamicBuilder* builder) {
  const Token& token = cursor.peek();
  const Type type = token.value.type();
  if (negative && type != Type::kLong && type != Type::kReal && type != Type::kTimespan) {
    return cursor.unexpected("a number or timespan");
  }
  builder->add_value(negative ? negated(token.value) : token.value);
  cursor.take();
  return Status::success();
}

Status add_array(TokenCursor& cursor, DynamicBuilder* builder) {
  cursor.take();
  builder->begin_array();
  while (!cursor.at("]")) {
    EVQ_TRY(add_item(cursor, builder));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect("]", "',' or ']'"));
  builder->end_array();
  return Status::success();
}

// The key before a value of a bag, and the sign between them. The token is the cursor's.
Result<const Token*> parse_key(TokenCursor& cursor) {
  const Token& key = cursor.peek();
  if (key.kind != TokenKind::kString && key.kind != TokenKind::kName) {
    return cursor.unexpected("a key");
  }
  cursor.take();
  if (!cursor.accept("=")) {
    EVQ_TRY(cursor.expect(":"));
  }
  return &key;
}

Status add_bag(TokenCursor& cursor, DynamicBuilder* builder) {
  cursor.take();
  builder->begin_bag();
  while (!cursor.at("}")) {
    EVQ_TRY_ASSIGN(const Token* key, parse_key(cursor));
    builder->key(key->text);
    EVQ_TRY(add_item(cursor, builder));
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect("}", "',' or '}'"));
  builder->end_bag();
  return Status::success();
}

Status add_word(TokenCursor& cursor, DynamicBuilder* builder) {
  const Token& token = cursor.peek();
  if (token.text == "null") {
    builder->add_null();
  } else if (token.text == "true" || token.text == "false") {
    builder->add_bool(token.text == "true");
  } else if (token.text == "dynamic" && cursor.peek(1).is_symbol("(")) {
    cursor.take();
    cursor.take();
    EVQ_TRY(add_item(cursor, builder));
    return cursor.expect(")");
  } else {
    return diag::invalid_literal(token.span, "dynamic", token.text);
  }
  cursor.take();
  return Status::success();
}

Status add_item(TokenCursor& cursor, DynamicBuilder* builder) {
  DepthGuard guard(cursor);
  EVQ_TRY(guard.take_status());
  const bool negative = cursor.at("-") && cursor.peek(1).kind == TokenKind::kLiteral;
  const Token& token = cursor.peek(negative ? 1 : 0);
  if (negative) {
    cursor.take();
  }
  switch (token.kind) {
    case TokenKind::kString:
      builder->add_string(token.text);
      cursor.take();
      return Status::success();
    case TokenKind::kLiteral:
      return add_literal(cursor, negative, builder);
    case TokenKind::kName:
      return add_word(cursor, builder);
    case TokenKind::kSymbol:
    case TokenKind::kEnd:
      break;
  }
  if (token.is_symbol("[")) {
    return add_array(cursor, builder);
  }
  if (token.is_symbol("{")) {
    return add_bag(cursor, builder);
  }
  return cursor.unexpected("a literal");
}

// ------------------------------------------------------------------------- computed elements

Result<ast::ExprPtr> parse_computed(TokenCursor& cursor);

Result<ast::ExprPtr> make_call(TokenCursor& cursor, std::size_t first, std::string_view function,
                               std::vector<ast::Argument> arguments) {
  const Span span = cursor.span_from(first);
  ast::Call call;
  call.function = {.text = std::string(function), .span = span, .quoted = false};
  call.arguments = std::move(arguments);
  return make_expr(cursor, span, std::move(call));
}

Result<ast::ExprPtr> parse_computed_array(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  std::vector<ast::Argument> arguments;
  while (!cursor.at("]")) {
    EVQ_TRY_ASSIGN(ast::ExprPtr item, parse_computed(cursor));
    arguments.push_back({.name = std::nullopt, .value = std::move(item)});
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect("]", "',' or ']'"));
  return make_call(cursor, first, "pack_array", std::move(arguments));
}

Result<ast::ExprPtr> parse_computed_bag(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  std::vector<ast::Argument> arguments;
  while (!cursor.at("}")) {
    EVQ_TRY_ASSIGN(const Token* key, parse_key(cursor));
    EVQ_TRY_ASSIGN(ast::ExprPtr name,
                   make_expr(cursor, key->span, ast::Literal{Value::string(key->text)}));
    EVQ_TRY_ASSIGN(ast::ExprPtr item, parse_computed(cursor));
    arguments.push_back({.name = std::nullopt, .value = std::move(name)});
    arguments.push_back({.name = std::nullopt, .value = std::move(item)});
    if (!cursor.accept(",")) {
      break;
    }
  }
  EVQ_TRY(cursor.expect("}", "',' or '}'"));
  return make_call(cursor, first, "bag_pack", std::move(arguments));
}

Result<ast::ExprPtr> parse_computed(TokenCursor& cursor) {
  DepthGuard guard(cursor);
  EVQ_TRY(guard.take_status());
  if (cursor.at("[")) {
    return parse_computed_array(cursor);
  }
  if (cursor.at("{")) {
    return parse_computed_bag(cursor);
  }
  if (cursor.at_word("dynamic") && cursor.peek(1).is_symbol("(")) {
    cursor.take();
    cursor.take();
    EVQ_TRY_ASSIGN(ast::ExprPtr inner, parse_computed(cursor));
    EVQ_TRY(cursor.expect(")"));
    return inner;
  }
  return parse_expression(cursor);
}

Status parse_literal_item(TokenCursor& cursor, DynamicBuilder* builder) {
  EVQ_TRY(add_item(cursor, builder));
  return cursor.expect(")");
}

}  // namespace

Result<ast::ExprPtr> parse_dynamic_literal(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  EVQ_TRY(cursor.expect("("));
  const std::size_t body = cursor.index();
  DynamicBuilder builder;
  if (Status status = parse_literal_item(cursor, &builder); !status.ok()) {
    // A lone computed scalar is a slip; inside an array or bag it is a computed element.
    const Token& open = cursor.token(body);
    if (!open.is_symbol("[") && !open.is_symbol("{")) {
      return std::move(status).take_error();
    }
    cursor.move_to(body);
    EVQ_TRY_ASSIGN(ast::ExprPtr computed, parse_computed(cursor));
    EVQ_TRY(cursor.expect(")"));
    return computed;
  }
  std::string bytes = builder.take();
  Value value =
      DynamicView(bytes).is_null() ? Value::null(Type::kDynamic) : Value::dynamic(std::move(bytes));
  return make_expr(cursor, cursor.span_from(first), ast::Literal{std::move(value)});
}

}  // namespace evq::syntax
