// join and lookup: conditions become key columns on both sides, right columns whose names are taken
// get a suffix.

#include <algorithm>
#include <span>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/join_kinds.h"
#include "apl/plan/stacking.h"
#include "apl/plan/virtual_columns.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

JoinKind plan_kind(ast::JoinKind kind) {
  switch (kind) {
    case ast::JoinKind::kDefault:
    case ast::JoinKind::kInner:
      return JoinKind::kInner;
    case ast::JoinKind::kInnerUnique:
      return JoinKind::kInnerUnique;
    case ast::JoinKind::kLeftOuter:
      return JoinKind::kLeftOuter;
    case ast::JoinKind::kRightOuter:
      return JoinKind::kRightOuter;
    case ast::JoinKind::kFullOuter:
      return JoinKind::kFullOuter;
    case ast::JoinKind::kLeftAnti:
    case ast::JoinKind::kRightAnti:
      return JoinKind::kLeftAnti;
    case ast::JoinKind::kLeftSemi:
    case ast::JoinKind::kRightSemi:
      return JoinKind::kLeftSemi;
  }
  return JoinKind::kInner;
}

// Whether the right side is the left one of the plan's join: right rows that have a partner, or
// none, come out as they are read, in their order, and need not be held.
bool exchanges_sides(ast::JoinKind kind) {
  return kind == ast::JoinKind::kRightSemi || kind == ast::JoinKind::kRightAnti;
}

// Which side a condition's operand names with $left or $right; 0 when with neither.
int named_side(const ast::Expr& expr) {
  if (const auto* field = std::get_if<ast::FieldRef>(&expr.node)) {
    return field->name.text == "$left" ? 1 : field->name.text == "$right" ? 2 : 0;
  }
  if (const auto* member = std::get_if<ast::Member>(&expr.node)) {
    return named_side(*member->object);
  }
  if (const auto* index = std::get_if<ast::Index>(&expr.node)) {
    return named_side(*index->object);
  }
  if (const auto* call = std::get_if<ast::Call>(&expr.node)) {
    int side = 0;
    for (const ast::Argument& argument : call->arguments) {
      side |= named_side(*argument.value);
    }
    return side;
  }
  if (const auto* binary = std::get_if<ast::Binary>(&expr.node)) {
    return named_side(*binary->left) | named_side(*binary->right);
  }
  return 0;
}

Error different_keys(Span span, Type left, Type right) {
  Error error = diag::type_mismatch(span, "==", type_name(left), type_name(right));
  const Type other = left == Type::kString ? right : left;
  if ((left == Type::kString || right == Type::kString) &&
      (other == Type::kDatetime || other == Type::kTimespan)) {
    error.hint = other == Type::kDatetime ? "convert the text with todatetime(…)"
                                          : "convert the text with totimespan(…)";
  }
  return error;
}

// `on name` where only one side has the field.
Error explain_side(Error error, const ast::Expr& condition, std::string_view side) {
  const auto* field = std::get_if<ast::FieldRef>(&condition.node);
  if (field == nullptr || error.id != "APL2003") {
    return error;
  }
  const std::string& name = field->name.text;
  const std::string member = field->name.quoted ? "['" + name + "']" : "." + name;
  error.message.append(" on the ").append(side).append(" side");
  // The nearest name, where the error has one.
  constexpr std::string_view kNearest = "did you mean '";
  const std::string_view hint = error.hint;
  const bool near = hint.starts_with(kNearest);
  const std::string other =
      near ? std::string(hint.substr(kNearest.size(), hint.rfind('\'') - kNearest.size())) : "name";
  const bool left = side == "left";
  std::string written = "fields of different names are compared by $left";
  written += left ? "." + other : member;
  written += " == $right";
  written += left ? member : "." + other;
  error.hint = hint.starts_with("the fields here are") ? written + "; " + error.hint : written;
  return error;
}

}  // namespace

// One condition's keys, bound over each side.
class JoinBinder {
 public:
  // Whether the result has the keys of the right side besides those of the left.
  enum class RightKeys : std::uint8_t { kKept, kDropped };

  JoinBinder(Binder& binder, Relation left, Relation right)
      : binder_(binder), left_(std::move(left)), right_(std::move(right)) {}

  Status add_condition(const ast::Expr& condition) {
    if (std::holds_alternative<ast::Logical>(condition.node)) {
      return diag::invalid_join_condition(condition.span);
    }
    if (const auto* binary = std::get_if<ast::Binary>(&condition.node)) {
      if (binary->op != ast::BinaryOp::kEqual) {
        return diag::invalid_join_condition(condition.span);
      }
      const ast::Expr* a = binary->left.get();
      const ast::Expr* b = binary->right.get();
      if (named_side(*a) == 2 || named_side(*b) == 1) {
        std::swap(a, b);
      }
      if (named_side(*a) != 0 && named_side(*a) == named_side(*b)) {
        return diag::invalid_join_condition(condition.span);
      }
      auto left_key = bind_side(*a, left_);
      auto right_key = bind_side(*b, right_);
      if ((!left_key.ok() || !right_key.ok()) && named_side(*a) == 0 && named_side(*b) == 0) {
        auto swapped_left = bind_side(*b, left_);
        auto swapped_right = bind_side(*a, right_);
        if (swapped_left.ok() && swapped_right.ok()) {
          left_key = std::move(swapped_left);
          right_key = std::move(swapped_right);
        }
      }
      EVQ_TRY_ASSIGN(ExprPtr left, std::move(left_key));
      EVQ_TRY_ASSIGN(ExprPtr right, std::move(right_key));
      return add_keys(std::move(left), std::move(right), condition.span);
    }
    auto left_key = bind_side(condition, left_);
    auto right_key = bind_side(condition, right_);
    if (left_key.ok() && !right_key.ok()) {
      return explain_side(std::move(right_key).take_error(), condition, "right");
    }
    if (right_key.ok() && !left_key.ok()) {
      return explain_side(std::move(left_key).take_error(), condition, "left");
    }
    EVQ_TRY_ASSIGN(ExprPtr left, std::move(left_key));
    EVQ_TRY_ASSIGN(ExprPtr right, std::move(right_key));
    return add_keys(std::move(left), std::move(right), condition.span);
  }

  // What has been bound of the left side becomes the right one's, and the other way round.
  void exchange_sides() {
    std::swap(left_, right_);
    for (auto& [left, right] : keys_) {
      left.swap(right);
    }
  }

  Result<Relation> build(JoinKind kind, RightKeys right_keys) {
    Join join{kind, {}, {}};
    for (auto& [left, right] : keys_) {
      EVQ_TRY_ASSIGN(const std::size_t left_key, place(&left_, std::move(left)));
      EVQ_TRY_ASSIGN(const std::size_t right_key, place(&right_, std::move(right)));
      join.left_keys.push_back(left_key);
      join.right_keys.push_back(right_key);
    }
    const JoinTraits traits = join_traits(kind);
    hold(traits);
    // Every row has a left one, and with it that row's place in the natural order.
    const bool keeps_order = traits.passes_left_rows();
    for (const Field& field : left_.schema().fields()) {
      fields_.push_back(field);
      visible_.push_back(!is_hidden(field.name) || is_virtual_column(field.name) ||
                         (keeps_order && !left_.ordered && left_.natural() &&
                          (field.name == kTimeColumn || field.name == kRowColumn)));
    }
    if (traits.emits_right) {
      add_right_fields(right_keys);
    }
    std::vector<NodePtr> inputs;
    inputs.push_back(std::move(left_.node));
    inputs.push_back(std::move(right_.node));
    Relation output;
    output.aggregated = left_.aggregated && right_.aggregated;
    output.take_fields(left_);
    add_right_paths(&output);
    output.name.clear();
    output.source.clear();
    for (const std::string& field : held_) {
      if (!output.knows(field)) {
        output.virtual_fields.push_back({field, ""});
      }
    }
    output.node = make_node(std::move(join), std::move(inputs), Schema(fields_));
    // Other hidden columns end here.
    std::vector<NamedColumn> kept;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (visible_[i]) {
        kept.push_back({fields_[i].name, make_column(i, fields_[i].type)});
      }
    }
    return choose(std::move(output), std::move(kept));
  }

 private:
  // The right columns, by other names where the left has theirs.
  void add_right_fields(RightKeys keys) {
    UniqueNames names(fields_);
    const std::span<const Field> left(left_.schema().fields());
    std::vector<NamedColumn> given;
    for (std::size_t i = 0; i < right_.schema().size(); ++i) {
      Field field = right_.schema()[i];
      if (is_virtual_column(field.name)) {
        std::string held(virtual_field_of(field.name));
        if (names.is_taken(held) || left_.knows(held)) {
          held.push_back('1');
        }
        fields_.push_back({virtual_column(held), field.type});
        visible_.push_back(true);
        held_.push_back(std::move(held));
        continue;
      }
      const bool dropped = is_hidden(field.name) ||
                           (keys == RightKeys::kDropped &&
                            std::ranges::find(right_key_columns_, i) != right_key_columns_.end());
      visible_.push_back(!dropped);
      if (dropped) {
        field.name = hidden_name("right") + std::to_string(i);
      } else {
        field.name = names.take(field.name);
        given.push_back({field.name, make_column(i, field.type)});
      }
      fields_.push_back(std::move(field));
    }
    follow_paths(right_, right_.schema(), given, &right_paths_);
    // What a path leads to on the left it leads to in the result.
    const auto is_flat_on_left = [&](const std::string& bag) {
      return std::ranges::any_of(
          left, [&bag](const Field& field) { return field.name.starts_with(bag + "."); });
    };
    std::erase_if(right_paths_.map_fields, is_flat_on_left);
    std::erase_if(right_paths_.mixed_bags, is_flat_on_left);
  }

  void add_right_paths(Relation* output) {
    output->made.merge(right_paths_.made);
    output->mixed_bags.merge(right_paths_.mixed_bags);
    for (std::string& map : right_paths_.map_fields) {
      if (!output->knows(map)) {
        output->map_fields.push_back(std::move(map));
      }
    }
  }

  // Virtual fields of a side whose columns get other names, or have no row everywhere.
  void hold(const JoinTraits& traits) {
    if (traits.emits_right) {
      binder_.hold_virtual_fields(&right_);
    }
    if (traits.keeps_unmatched_right) {
      binder_.hold_virtual_fields(&left_);
    }
  }

  // $left.a and $right.a are a; so is a alone.
  Result<ExprPtr> bind_side(const ast::Expr& expr, const Relation& side) {
    return binder_.bind_sided(expr, side);
  }

  Status add_keys(ExprPtr left, ExprPtr right, Span span) {
    Type type = common_type(left->type, right->type);
    if (type == Type::kDynamic && left->type != Type::kDynamic && right->type != Type::kDynamic) {
      return different_keys(span, left->type, right->type);
    }
    if (left->type != right->type && type == Type::kReal) {
      type = Type::kDynamic;  // a real cannot tell large integers apart; dynamics compare exactly
    }
    if (right->is_column()) {
      right_key_columns_.push_back(right->column);
    }
    keys_.emplace_back(make_cast(std::move(left), type), make_cast(std::move(right), type));
    return Status::success();
  }

  // The column that holds `key`, computed as a further hidden one when it is not a column.
  Result<std::size_t> place(Relation* side, ExprPtr key) {
    if (key->is_column()) {
      return key->column;
    }
    std::string name = hidden_name("key") + std::to_string(side->schema().size());
    return binder_.add_column(side, std::move(name), std::move(key));
  }

  Binder& binder_;
  Relation left_;
  Relation right_;
  std::vector<std::pair<ExprPtr, ExprPtr>> keys_;
  std::vector<std::size_t> right_key_columns_;
  std::vector<Field> fields_;      // of the result, and hidden ones that end with it
  std::vector<bool> visible_;      // those of the result
  RelationTraits right_paths_;     // into the right columns, by their names in the result
  std::vector<std::string> held_;  // virtual fields of the right side, by their names in the result
};

Result<ExprPtr> Binder::bind_sided(const ast::Expr& expr, const Relation& side) {
  const Meanwhile sides(&sided_, &side);
  return bind_expr(expr, &side);
}

Result<Relation> Binder::lower(const ast::Join& op, Span span, Relation input) {
  const Meanwhile beside(&answer_rows_, false);
  EVQ_TRY_ASSIGN(Relation right, bind_pipeline(*op.right));
  if (op.kind == ast::JoinKind::kInnerUnique) {  // which row comes first is seen
    right = order_naturally(std::move(right), EventOrder::kNewestFirst);
  }
  JoinBinder join(*this, std::move(input), std::move(right));
  if (op.conditions.empty()) {
    return diag::missing_clause(span, "join", "on");
  }
  for (const ast::ExprPtr& condition : op.conditions) {
    EVQ_TRY(join.add_condition(*condition));
  }
  if (exchanges_sides(op.kind)) {
    join.exchange_sides();
  }
  return join.build(plan_kind(op.kind), JoinBinder::RightKeys::kKept);
}

Result<Relation> Binder::lower(const ast::Lookup& op, Span /*span*/, Relation input) {
  const Meanwhile beside(&answer_rows_, false);
  EVQ_TRY_ASSIGN(Relation right, bind_pipeline(*op.right));
  JoinBinder join(*this, std::move(input), std::move(right));
  for (const ast::ExprPtr& condition : op.conditions) {
    EVQ_TRY(join.add_condition(*condition));
  }
  return join.build(op.kind == ast::JoinKind::kInner ? JoinKind::kInner : JoinKind::kLeftOuter,
                    JoinBinder::RightKeys::kDropped);
}

}  // namespace evq::plan
