// dynamic(…) literals: JSON with single quotes, unquoted keys, `=` for `:`, and literals of other
// types, straight into the bytes of a dynamic value.

#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/grammar.h"
#include "store/column/dynamic.h"

namespace evq::syntax {

namespace {

Status add_item(TokenCursor& cursor, DynamicBuilder* builder);

Status add_literal(TokenCursor& cursor, bool negative, DynamicBuilder* builder) {
  const Value& value = cursor.take().value;
  if (negative && !value.is_null() && value.type() == Type::kLong) {
    builder->add_long(-value.as_integer());
  } else if (negative && !value.is_null() && value.type() == Type::kReal) {
    builder->add_real(-value.as_real());
  } else {
    builder->add_value(value);
  }
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

Status add_bag(TokenCursor& cursor, DynamicBuilder* builder) {
  cursor.take();
  builder->begin_bag();
  while (!cursor.at("}")) {
    const Token& key = cursor.peek();
    if (key.kind != TokenKind::kString && key.kind != TokenKind::kName) {
      return cursor.unexpected("a key");
    }
    cursor.take();
    if (!cursor.accept("=")) {
      EVQ_TRY(cursor.expect(":"));
    }
    builder->key(key.text);
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

}  // namespace

Result<ast::ExprPtr> parse_dynamic_literal(TokenCursor& cursor) {
  const std::size_t first = cursor.index();
  cursor.take();
  EVQ_TRY(cursor.expect("("));
  DynamicBuilder builder;
  EVQ_TRY(add_item(cursor, &builder));
  EVQ_TRY(cursor.expect(")"));
  std::string bytes = builder.take();
  Value value =
      DynamicView(bytes).is_null() ? Value::null(Type::kDynamic) : Value::dynamic(std::move(bytes));
  return make_expr(cursor, cursor.span_from(first), ast::Literal{std::move(value)});
}

}  // namespace evq::syntax
