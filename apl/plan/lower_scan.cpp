// scan: conditions and assignments are bound over a stand-in table that has, besides the columns of
// a row, one column `step.column` for each step and column. Whatever of them looks at the row alone
// is computed below the machine, for whole chunks at a time.

#include <algorithm>
#include <map>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "apl/plan/step_machine.h"

namespace evq::plan {
namespace {

// Columns of steps are numbered from here until it is known how many columns the machine's input
// has.
constexpr std::size_t kFirstState = std::size_t{1} << 20U;

}  // namespace

class ScanBinder {
 public:
  ScanBinder(Binder& binder, const ast::Scan& op) : binder_(binder), op_(op) {}

  Result<Relation> bind(Relation input) {
    std::vector<NamedColumn> visible = pass_through(input);
    input = choose(std::move(input), std::move(visible));
    row_ = input.schema();
    stand_in_.take_fields(input);
    for (const ast::ScanColumn& column : op_.declared) {
      EVQ_TRY(declare(column));
    }
    declare_assigned();
    EVQ_TRY(make_stand_in());
    std::vector<NamedColumn> columns = pass_through(input);
    for (const ast::NamedExpr& item : op_.partition) {
      EVQ_TRY_ASSIGN(ExprPtr key, binder_.bind_expr(*item.value, &input));
      program_.partition.push_back(columns.size());
      columns.push_back({hidden_name("key") + std::to_string(columns.size()), std::move(key)});
    }
    first_computed_ = columns.size();
    for (const ast::ScanStep& step : op_.steps) {
      EVQ_TRY(bind_step(step));
    }
    std::ranges::move(computed_, std::back_inserter(columns));
    program_.input_columns = columns.size();
    for (Step& step : program_.steps) {
      place(step.condition.get());
      for (auto& [column, value] : step.assignments) {
        place(value.get());
      }
    }
    return finish(choose(std::move(input), std::move(columns)));
  }

 private:
  Status declare(const ast::ScanColumn& column) {
    const std::string& name = column.column.name.text;
    if (row_.find(name).has_value() ||
        std::ranges::find(declared_, name, &Field::name) != declared_.end()) {
      return diag::duplicate_name(column.column.name.span, name, "scan");
    }
    const Type type = column.column.type;
    Value value = Value::null(type);
    if (column.default_value != nullptr) {
      EVQ_TRY_ASSIGN(value, binder_.bind_constant(*column.default_value, "a column's default"));
      EVQ_TRY_ASSIGN(const ExprPtr fitted,
                     binder_.fit(make_constant(std::move(value), column.default_value->span), type,
                                 "scan declare", declared_.size() + 1));
      value = fitted->constant;
    }
    declared_.push_back({name, type});
    program_.declared.push_back(value.is_null() ? Value::null(type) : std::move(value));
    return Status::success();
  }

  // Columns of the row that steps assign to are declared besides, without a name of their own.
  void declare_assigned() {
    for (const ast::ScanStep& step : op_.steps) {
      for (const ast::ScanAssignment& assignment : step.assignments) {
        const std::optional<std::size_t> column = row_.find(assignment.name.text);
        if (column.has_value() && !assigned_.contains(*column)) {
          const Type type = row_[*column].type;
          program_.copied.emplace_back(declared_.size(), *column);
          program_.declared.push_back(Value::null(type));
          assigned_.emplace(*column, row_.size() + declared_.size());
          declared_.push_back({hidden_name("assigned") + std::to_string(*column), type});
        }
      }
    }
  }

  Status make_stand_in() {
    std::vector<Field> fields = row_.fields();
    std::ranges::copy(declared_, std::back_inserter(fields));
    program_.columns = fields.size();
    for (const Field& field : fields) {
      program_.state_types.push_back(field.type);
    }
    std::vector<Field> state = fields;
    for (const auto& [column, declared] : assigned_) {  // a step holds what it has assigned
      std::swap(state[column].name, state[declared].name);
    }
    std::vector<std::string_view> names;
    for (const ast::ScanStep& step : op_.steps) {
      if (std::ranges::find(names, step.name.text) != names.end()) {
        return diag::duplicate_name(step.name.span, step.name.text, "scan");
      }
      names.push_back(step.name.text);
      for (const Field& field : state) {
        fields.push_back({step.name.text + "." + field.name, field.type});
      }
    }
    stand_in_.node = make_node(Placeholder{}, {}, Schema(std::move(fields)));
    return Status::success();
  }

  Status bind_step(const ast::ScanStep& step) {
    Step bound;
    bound.output = step.output == ast::ScanOutput::kAll    ? StepOutput::kAll
                   : step.output == ast::ScanOutput::kLast ? StepOutput::kLast
                                                           : StepOutput::kNone;
    bound.optional = step.optional;
    EVQ_TRY_ASSIGN(bound.condition, binder_.bind_predicate(*step.condition, &stand_in_, "scan"));
    bound.condition = split(std::move(bound.condition));
    for (const ast::ScanAssignment& assignment : step.assignments) {
      const std::optional<std::size_t> column = machine_column(assignment.name.text);
      if (!column.has_value()) {
        Error error = diag::unknown_field(assignment.name.span, assignment.name.text, "", {});
        error.hint = "declare it: scan declare (" + assignment.name.text + ":type) with (…)";
        return error;
      }
      EVQ_TRY_ASSIGN(ExprPtr value, binder_.bind_expr(*assignment.value, &stand_in_));
      EVQ_TRY_ASSIGN(value, binder_.fit(std::move(value), declared_[*column - row_.size()].type,
                                        assignment.name.text, 1));
      bound.assignments.emplace_back(*column, split(std::move(value)));
    }
    program_.steps.push_back(std::move(bound));
    return Status::success();
  }

  // The declared column that an assignment to `name` sets, among those of the machine.
  std::optional<std::size_t> machine_column(const std::string& name) const {
    if (const std::optional<std::size_t> column = row_.find(name); column.has_value()) {
      return assigned_.at(*column);
    }
    const auto at = std::ranges::find(declared_, name, &Field::name);
    return at == declared_.end()
               ? std::nullopt
               : std::optional(row_.size() + static_cast<std::size_t>(at - declared_.begin()));
  }

  // Moves what depends on the row alone into a column of the machine's input, replaces the
  // declared columns of the row, which hold their defaults, and renumbers those of the steps.
  ExprPtr split(ExprPtr expr) {
    bool plain = true;
    for_each_column(*expr, [&](std::size_t column) { plain = plain && column < row_.size(); });
    if (expr->is_constant() || (plain && expr->is_column())) {
      return expr;
    }
    if (plain) {
      const std::size_t column = first_computed_ + computed_.size();
      ExprPtr made = make_column(column, expr->type, expr->span);
      computed_.push_back({hidden_name("scan") + std::to_string(column), std::move(expr)});
      return made;
    }
    if (!expr->is_column()) {
      for (ExprPtr& arg : expr->args) {
        arg = split(std::move(arg));
      }
      return expr;
    }
    if (expr->column < program_.columns) {
      return make_constant(program_.declared[expr->column - row_.size()], expr->span);
    }
    expr->column = kFirstState + expr->column - program_.columns;
    return expr;
  }

  void place(Expr* expr) const {
    if (expr->is_column() && expr->column >= kFirstState) {
      expr->column = expr->column - kFirstState + program_.input_columns;
    }
    for (const ExprPtr& arg : expr->args) {
      place(arg.get());
    }
  }

  Result<Relation> finish(Relation input) {
    std::vector<Field> fields = row_.fields();
    std::ranges::copy(declared_, std::back_inserter(fields));
    if (op_.match_id.has_value()) {
      program_.match_id = true;
      if (std::ranges::find(fields, op_.match_id->text, &Field::name) != fields.end()) {
        return diag::duplicate_name(op_.match_id->span, op_.match_id->text, "scan");
      }
      fields.push_back({op_.match_id->text, Type::kLong});
    }
    Schema schema(std::move(fields));
    input.node = stack(std::move(input.node),
                       Transform{make_step_machine(std::move(program_), schema)}, schema);
    input.ordered = true;
    input.limit.reset();
    return assigned_.empty() ? std::move(input) : put_in_place(std::move(input));
  }

  // Columns that were assigned to stand where the row has them.
  Relation put_in_place(Relation input) const {
    std::vector<NamedColumn> columns = pass_through(input);
    for (const auto& [column, declared] : assigned_) {
      columns[column].expr->column = declared;
    }
    return choose(std::move(input), std::move(columns));
  }

  Binder& binder_;
  const ast::Scan& op_;
  Schema row_;
  std::vector<Field> declared_;
  // Columns of the row that steps assign to, and their declared ones, among the machine's.
  std::map<std::size_t, std::size_t> assigned_;
  Relation stand_in_;  // for binding only, never run
  StepProgram program_;
  std::vector<NamedColumn> computed_;
  std::size_t first_computed_ = 0;
};

Result<Relation> Binder::lower(const ast::Scan& op, Span span, Relation input) {
  if (!op.order.empty()) {
    EVQ_TRY_ASSIGN(Relation sorted, sort_by(op.order, std::move(input), std::nullopt));
    input = std::move(sorted);
    input.serialized = true;
  }
  if (!input.serialized) {
    return diag::not_serialized(span, "scan");
  }
  return ScanBinder(*this, op).bind(std::move(input));
}

}  // namespace evq::plan
