// Comparisons, memberships and ranges of operands that have been adapted to each other
// (bind_adapt.cpp); of a dynamic and constants, one for each kind of value that a row may hold.

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "apl/plan/adapt.h"
#include "apl/plan/by_kind.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq::plan {
namespace {

bool is_time(Type type) {
  return type == Type::kTimespan || type == Type::kDatetime;
}

bool is_value(const Expr& expr) {
  return expr.is_constant() && !expr.constant.is_null();
}

// A constant that dynamics adapt to by what they hold.
bool is_typed(const Expr& expr) {
  return is_value(expr) && expr.type != Type::kDynamic;
}

bool is_list(const Expr& expr) {
  return is_value(expr) && expr.type == Type::kDynamic;
}

}  // namespace

Result<ExprPtr> compare(const Binder& binder, ast::BinaryOp op, std::string_view function,
                        ExprPtr left, ExprPtr right, Span span) {
  const std::size_t value = left->type == Type::kDynamic ? 0 : 1;
  std::vector<ExprPtr> args;
  args.push_back(std::move(left));
  args.push_back(std::move(right));
  if (binder.strict_types() || args[value]->type != Type::kDynamic || !is_typed(*args[1 - value])) {
    return binder.call(function, std::move(args), span);
  }
  const ExprPtr constant = clone(*args[1 - value]);
  const auto test = [&](ExprPtr field) -> Result<ExprPtr> {
    if (compares_as_is(field->type, constant->type)) {
      return ExprPtr();
    }
    std::array<ExprPtr, 2> beside;
    beside[value] = std::move(field);
    beside[1 - value] = clone(*constant);
    EVQ_TRY(adapt_operands(binder, op, &beside[0], &beside[1], nullptr));
    std::vector<ExprPtr> both;
    both.push_back(std::move(beside[0]));
    both.push_back(std::move(beside[1]));
    return binder.call(function, std::move(both), span);
  };
  return by_kind(function, std::move(args), value, test, binder.context(), span);
}

namespace {

// ---- in

// The scalars of a list, down to the last.
void collect_scalars(DynamicView value, std::vector<Value>* out) {
  if (value.is_array()) {
    DynamicView::Iterator elements(value);
    while (elements.next()) {
      collect_scalars(elements.value(), out);
    }
  } else if (!value.is_bag() && !value.is_null()) {
    out->push_back(value_from_dynamic(value));
  }
}

std::vector<Value> scalars_of(const Expr& constant) {
  std::vector<Value> scalars;
  if (is_list(constant)) {
    collect_scalars(DynamicView(constant.constant.as_text()), &scalars);
  } else if (is_value(constant)) {
    scalars.push_back(constant.constant);
  }
  return scalars;
}

ExprPtr list_of(const std::vector<Value>& scalars, Span span) {
  DynamicBuilder builder;
  builder.begin_array();
  for (const Value& scalar : scalars) {
    builder.add_value(scalar);
  }
  builder.end_array();
  return make_constant(Value::dynamic(builder.take()), span);
}

// The functions that read a text beside a field of the type, each those that the ones before do
// not.
std::vector<std::string_view> readers_beside(Type field) {
  switch (field) {
    case Type::kBool:
      return {"tobool"};
    case Type::kLong:
    case Type::kReal:
      return {"tolong", "toreal"};
    case Type::kDatetime:
      return {"todatetime"};
    case Type::kTimespan:
      return {"totimespan"};
    case Type::kNull:
    case Type::kString:
    case Type::kDynamic:
      break;
  }
  return {};
}

// What items become as literals beside a field of the type, which is no text, besides what they
// are; a list may be long, so that its texts are read together.
std::vector<Value> adapted_scalars(const Binder& binder, const std::vector<Value>& items,
                                   Type field) {
  std::vector<Value> adapted;
  VectorBuilder builder(Type::kString);
  for (const Value& item : items) {
    if (item.type() == Type::kString) {
      builder.append_text(item.as_text());
    } else if (field == Type::kBool && item.type() == Type::kLong &&
               (item.as_integer() == 0 || item.as_integer() == 1)) {
      adapted.push_back(Value::boolean(item.as_integer() == 1));
    }
  }
  if (builder.size() == 0) {
    return adapted;
  }
  const Vector texts = builder.finish();
  std::vector<bool> read(texts.size(), false);
  for (const std::string_view reader : readers_beside(field)) {
    const ScalarFunction& row = *find_function(reader);
    const std::array<Argument, 1> argument = {Argument{Type::kString}};
    const BindResult bound = bind_function(row, {argument, binder.context()});
    const Vector values = evaluate_call(std::get<BoundCall>(bound), row.flags, binder.context(),
                                        std::span(&texts, 1), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!read[i] && !values.is_null(i)) {
        adapted.push_back(values.value(i));
        read[i] = true;
      }
    }
  }
  return adapted;
}

bool reads_texts(const Value& item) {
  return !text_reader(item.type()).empty();
}

// The items of `in` beside texts, by the function that reads a text for them: none for texts.
class TextGroups {
 public:
  // With `apart`, the value is read for numbers and times, too; else it is compared as it is.
  TextGroups(const Binder& binder, const Expr& value, bool apart)
      : binder_(binder), value_(value), apart_(apart) {}

  Status add_list(ExprPtr list) {
    const std::vector<Value> scalars = scalars_of(*list);
    if (std::ranges::none_of(scalars, reads_texts)) {
      groups_[0].push_back(std::move(list));
      return Status::success();
    }
    std::array<std::vector<Value>, kReaders.size()> parts;
    for (const Value& scalar : scalars) {
      EVQ_TRY_ASSIGN(const ExprPtr item, as_text(make_constant(scalar, list->span)));
      parts[apart_ ? group_of(item->type) : 0].push_back(item->constant);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].empty()) {
        groups_[i].push_back(list_of(parts[i], list->span));
      }
    }
    return Status::success();
  }

  // An item that is no list, or the values of a subquery. `times`: all items are times of one type.
  Status add(ExprPtr item, bool times) {
    if (item->is_constant() && item->constant.is_null()) {
      return Status::success();  // equals nothing
    }
    EVQ_TRY_ASSIGN(item, as_text(std::move(item)));
    const bool read = is_typed(*item) && (times || (apart_ && is_numeric(item->type)));
    groups_[read ? group_of(item->type) : 0].push_back(std::move(item));
    return Status::success();
  }

  std::size_t groups() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        groups_, [](const std::vector<ExprPtr>& items) { return !items.empty(); }));
  }

  // Whether the value is one of the items of any group.
  Result<ExprPtr> bind(const std::string& function, Span span) {
    std::vector<ExprPtr> tests;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].empty() && (i != 0 || groups() != 0)) {
        continue;
      }
      ExprPtr value = clone(value_);
      if (i != 0) {
        std::vector<ExprPtr> text;
        text.push_back(std::move(value));
        EVQ_TRY_ASSIGN(value, binder_.call(kReaders[i], std::move(text), span));
      }
      std::vector<ExprPtr> args;
      args.push_back(std::move(value));
      std::ranges::move(groups_[i], std::back_inserter(args));
      EVQ_TRY_ASSIGN(ExprPtr test, binder_.call(function, std::move(args), span));
      tests.push_back(std::move(test));
    }
    const bool negated = function.starts_with("op_not_");
    return tests.size() == 1 ? std::move(tests[0])
                             : binder_.call(negated ? "op_and" : "op_or", std::move(tests), span);
  }

 private:
  static constexpr std::array<std::string_view, 4> kReaders = {"", "toreal", "totimespan",
                                                               "todatetime"};

  static std::size_t group_of(Type type) {
    return static_cast<std::size_t>(std::ranges::find(kReaders, text_reader(type)) -
                                    kReaders.begin());
  }

  // A number that the value, as it is, is to equal becomes a text.
  Result<ExprPtr> as_text(ExprPtr item) const {
    if (!is_value(*item) || !is_numeric(item->type) || (apart_ && !equals_as_text(*item, value_))) {
      return item;
    }
    const Span span = item->span;
    std::vector<ExprPtr> args;
    args.push_back(std::move(item));
    return binder_.call("tostring", std::move(args), span);
  }

  const Binder& binder_;
  const Expr& value_;
  const bool apart_;
  std::array<std::vector<ExprPtr>, kReaders.size()> groups_;
};

Result<ExprPtr> text_in(Binder& binder, const std::string& function, std::vector<ExprPtr> args,
                        const std::vector<bool>& of_tables, Span span) {
  const ExprPtr value = std::move(args[0]);
  const std::span<ExprPtr> items = std::span(args).subspan(1);
  const Type type = items.empty() ? Type::kNull : items[0]->type;
  const bool times =
      is_time(type) && !is_value(*value) && std::ranges::all_of(items, [type](const ExprPtr& item) {
        return item->is_constant() && item->type == type;
      });
  // Copies of a value that is drawn would be values of their own.
  TextGroups texts(binder, *value, !is_value(*value) && is_deterministic(*value));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (of_tables[i + 1] || !is_list(*items[i])) {
      EVQ_TRY(texts.add(std::move(items[i]), times));
    } else {
      EVQ_TRY(texts.add_list(std::move(items[i])));
    }
  }
  if (const std::size_t groups = texts.groups(); groups > 1) {
    EVQ_TRY(binder.note_expressions((groups - 1) * node_count(*value), span));
  }
  return texts.bind(function, span);
}

Result<ExprPtr> dynamic_in(Binder& binder, const std::string& function, std::vector<ExprPtr> args,
                           Span span) {
  std::vector<Value> scalars;
  for (const ExprPtr& item : std::span(args).subspan(1)) {
    for (Value& scalar : scalars_of(*item)) {
      scalars.push_back(std::move(scalar));
    }
  }
  const auto test = [&](ExprPtr field) -> Result<ExprPtr> {
    const Type type = field->type;
    const bool as_they_are = type == Type::kString ? std::ranges::none_of(scalars, reads_texts)
                                                   : adapted_scalars(binder, scalars, type).empty();
    if (as_they_are) {
      return ExprPtr();
    }
    std::vector<ExprPtr> of_field;
    of_field.push_back(std::move(field));
    of_field.push_back(list_of(scalars, span));
    return is_in(binder, function, std::move(of_field), {false, false}, span);
  };
  return by_kind(function, std::move(args), 0, test, binder.context(), span);
}

}  // namespace

Result<ExprPtr> is_in(Binder& binder, const std::string& function, std::vector<ExprPtr> args,
                      const std::vector<bool>& of_tables, Span span) {
  const Type type = args[0]->type;
  const bool adapts = !binder.strict_types();
  if (adapts && type == Type::kString) {
    return text_in(binder, function, std::move(args), of_tables, span);
  }
  const bool constant = std::ranges::find(of_tables, true) == of_tables.end() &&
                        std::ranges::all_of(std::span(args).subspan(1), [](const ExprPtr& item) {
                          return item->is_constant();
                        });
  if (adapts && type == Type::kDynamic && constant) {
    return dynamic_in(binder, function, std::move(args), span);
  }
  for (std::size_t i = 1; i < args.size(); ++i) {
    ExprPtr& item = args[i];
    if (of_tables[i] || type == Type::kDynamic) {
      continue;
    }
    if (adapts && is_list(*item) && type != Type::kNull) {
      std::vector<Value> scalars = scalars_of(*item);
      std::vector<Value> adapted = adapted_scalars(binder, scalars, type);
      if (!adapted.empty()) {
        std::ranges::move(adapted, std::back_inserter(scalars));
        item = list_of(scalars, item->span);
      }
      continue;
    }
    if (adapts) {
      item = adapt_flag(std::move(item), type);
    }
    EVQ_TRY_ASSIGN(item, binder.adapt(std::move(item), type));
  }
  return binder.call(function, std::move(args), span);
}

namespace {

// ---- between

// value >= low and value <= high: two comparisons that pruning understands, except where each of
// them would draw a value of its own.
Result<ExprPtr> within(Binder& binder, ExprPtr value, ExprPtr low, ExprPtr high, Span span) {
  std::vector<ExprPtr> args;
  if (!is_deterministic(*value)) {
    args.push_back(std::move(value));
    args.push_back(std::move(low));
    args.push_back(std::move(high));
    return binder.call("op_between", std::move(args), span);
  }
  EVQ_TRY(binder.note_expressions(node_count(*value), span));
  EVQ_TRY_ASSIGN(ExprPtr at_least, compare(binder, ast::BinaryOp::kGreaterEqual, "op_greater_equal",
                                           clone(*value), std::move(low), span));
  EVQ_TRY_ASSIGN(ExprPtr at_most, compare(binder, ast::BinaryOp::kLessEqual, "op_less_equal",
                                          std::move(value), std::move(high), span));
  args.push_back(std::move(at_least));
  args.push_back(std::move(at_most));
  return binder.call("op_and", std::move(args), span);
}

// The end of a range of times: a timespan there counts from the start, also where dynamics hold
// them; any other value of a dynamic is the end itself.
Result<ExprPtr> end_from(const Binder& binder, const Expr& start, ExprPtr end) {
  const Span span = end->span;
  const bool typed = start.type == Type::kDatetime && end->type == Type::kTimespan;
  ExprPtr itself = typed ? nullptr : clone(*end);
  std::vector<ExprPtr> args;
  args.push_back(clone(start));
  args.push_back(std::move(end));
  EVQ_TRY_ASSIGN(ExprPtr sum,
                 binder.call(typed ? "op_add" : "op_time_after", std::move(args), span));
  if (itself == nullptr) {
    return sum;
  }
  std::vector<ExprPtr> choice;
  choice.push_back(std::move(sum));
  choice.push_back(std::move(itself));
  return binder.call("coalesce", std::move(choice), span);
}

Result<ExprPtr> in_range(Binder& binder, ExprPtr value, ExprPtr low, ExprPtr high, Span span,
                         const Relation* input) {
  if (!binder.strict_types() && value->type == Type::kDynamic && is_typed(*low) &&
      is_typed(*high)) {
    const auto test = [&](ExprPtr field) -> Result<ExprPtr> {
      if (compares_as_is(field->type, low->type) && compares_as_is(field->type, high->type)) {
        return ExprPtr();
      }
      return in_range(binder, std::move(field), clone(*low), clone(*high), span, nullptr);
    };
    std::vector<ExprPtr> args;
    args.push_back(std::move(value));
    args.push_back(clone(*low));
    args.push_back(clone(*high));
    return by_kind("op_between", std::move(args), 0, test, binder.context(), span);
  }
  EVQ_TRY_ASSIGN(value, adapt_weekday(binder, std::move(value), low->type, input));
  EVQ_TRY_ASSIGN(low, binder.adapt(std::move(low), value->type));
  EVQ_TRY_ASSIGN(high, binder.adapt(std::move(high), value->type));
  EVQ_TRY_ASSIGN(value, binder.adapt(std::move(value), low->type));
  EVQ_TRY_ASSIGN(value, adapt_texts(binder, std::move(value), *low));
  EVQ_TRY_ASSIGN(low, adapt_texts(binder, std::move(low), *value));
  EVQ_TRY_ASSIGN(high, adapt_texts(binder, std::move(high), *value));
  const bool times = low->type == Type::kDatetime ||
                     (low->type == Type::kDynamic &&
                      (value->type == Type::kDatetime || value->type == Type::kDynamic));
  if (times && (high->type == Type::kTimespan || high->type == Type::kDynamic)) {
    EVQ_TRY(binder.note_expressions(node_count(*low) + node_count(*high), high->span));
    EVQ_TRY_ASSIGN(high, end_from(binder, *low, std::move(high)));
  }
  return within(binder, std::move(value), std::move(low), std::move(high), span);
}

}  // namespace

Result<ExprPtr> Binder::bind_between(const ast::Between& between, Span span,
                                     const Relation* input) {
  EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*between.value, input));
  EVQ_TRY_ASSIGN(ExprPtr low, bind_expr(*between.low, input));
  EVQ_TRY_ASSIGN(ExprPtr high, bind_expr(*between.high, input));
  EVQ_TRY_ASSIGN(ExprPtr inside,
                 in_range(*this, std::move(value), std::move(low), std::move(high), span, input));
  if (!between.negated) {
    return inside;
  }
  std::vector<ExprPtr> negated;
  negated.push_back(std::move(inside));
  return call("not", std::move(negated), span);
}

}  // namespace evq::plan
