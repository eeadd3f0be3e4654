// Sources of a pipeline: datasets, print, range, datatable, externaldata, calls, parentheses.

#include <algorithm>
#include <cmath>
#include <utility>

#include "apl/plan/after_cursor.h"
#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "store/base/limits.h"
#include "store/column/unique_names.h"
#include "store/column/vector_builder.h"

namespace evq::plan {
namespace {

Relation values_relation(Schema schema, Table table) {
  Relation relation;
  relation.node =
      make_node(ValuesNode{std::make_shared<const Table>(std::move(table))}, {}, std::move(schema));
  relation.ordered = true;
  relation.serialized = true;
  relation.aggregated = true;  // computed rows: no default limit
  return relation;
}

// What has no name of its own is known by that of its let. Two lets of the same dataset are two
// sources.
Result<Relation> named(Result<Relation> bound, std::string_view name) {
  if (bound.ok()) {
    Relation& table = bound.value();
    table.name = table.name.empty() ? name : table.name;
    table.source = name;
  }
  return bound;
}

double number(const Value& value) {
  return value.type() == Type::kLong ? static_cast<double>(value.as_integer()) : value.as_real();
}

// Whether a sequence of `type` can have this end and step.
bool steps_through(Type type, Type to, Type step) {
  if (type == Type::kReal) {
    return is_numeric(to) && is_numeric(step);
  }
  if (type == Type::kLong || type == Type::kTimespan) {
    return to == type && step == type;
  }
  return type == Type::kDatetime && to == type && step == Type::kTimespan;
}

// How many of from, from + step, … do not pass `to`, which belongs to them.
std::uint64_t integer_steps(std::int64_t from, std::int64_t to, std::int64_t step) {
  if (step > 0 ? to < from : to > from) {
    return 0;
  }
  const auto low = static_cast<std::uint64_t>(step > 0 ? from : to);
  const auto high = static_cast<std::uint64_t>(step > 0 ? to : from);
  const auto width =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t steps = (high - low) / width;
  return steps == UINT64_MAX ? steps : steps + 1;
}

std::uint64_t real_steps(double from, double to, double step) {
  constexpr double kStepsMax = 0x1.0p62;
  const double steps = std::floor((to - from) / step);
  if (!std::isfinite(from) || !std::isfinite(step) || !(steps >= 0)) {
    return 0;
  }
  auto count = static_cast<std::uint64_t>(std::min(steps, kStepsMax)) + 1;
  // The quotient is rounded: what counts is where the values themselves stand.
  const auto passed = [&](std::uint64_t at) {
    const double value = from + static_cast<double>(at) * step;
    return step > 0 ? value > to : value < to;
  };
  if (passed(count - 1)) {
    --count;
  } else if (steps < kStepsMax && !passed(count)) {
    ++count;
  }
  return count;
}

}  // namespace

Result<Relation> Binder::scan_dataset(std::string_view name, Span span) {
  auto found = tables_.table(name);
  if (!found.ok()) {
    if (found.error().code != ErrorCode::kNotFound) {
      return std::move(found).take_error();
    }
    // Where not all can be told, this may be one of the others.
    EVQ_TRY_ASSIGN(const std::vector<std::string> owned, tables_.table_names());
    const std::vector<std::string_view> names(owned.begin(), owned.end());
    Error error = diag::unknown_dataset(span, name, names);
    const Environment::Meaning* meaning = environment_->find(name);
    if (meaning != nullptr && std::holds_alternative<Environment::Function>(*meaning)) {
      error = diag::table_expected(span, "a function");
      error.hint = "'" + std::string(name) + "' is a function: write " + std::string(name) + "()";
    } else if (name == "print") {
      error.message = "'print' needs one or more expressions";
      error.hint = "give it a value: print now()";
    } else if (name == "search") {
      error.message = "'search' needs what to search for";
      error.hint = "write search 'text', or search in (logs) 'text'";
    } else if (name == "range") {
      error.message = "'range' needs a name and the values it takes";
      error.hint = "write range x from 1 to 10 step 1";
    }
    return error;
  }
  const TableInfo info = std::move(found).value();
  std::ranges::for_each(info.warnings, [this](const std::string& warning) { warn(warning); });
  datasets_.add(info.ref.name, answer_rows_);
  Scan scan{info.ref, {}, {}, context().range_start_ns, context().range_end_ns};
  if (answer_rows_) {
    scan.arrived_from = options_.arrived_from;
    scan.arrived_before = options_.arrived_before;
  }
  std::vector<Field> fields;
  for (const Field& field : info.schema.fields()) {
    scan.columns.push_back({field.name, field.type});
    fields.push_back(field);
  }
  // Result order of the columns: _sysTime, _time, then the fields in byte order.
  const auto rank = [](const std::string& field) {
    return field == "_sysTime" ? 0 : field == "_time" ? 1 : 2;
  };
  const auto before = [&](const auto& a, const auto& b) {
    return std::pair(rank(a), std::string_view(a)) < std::pair(rank(b), std::string_view(b));
  };
  std::ranges::sort(scan.columns, before, &ScanColumn::field);
  std::ranges::sort(fields, before, &Field::name);
  scan.columns.push_back({std::string(kTimeColumn), Type::kDatetime});
  scan.columns.push_back({std::string(kRowColumn), Type::kLong});
  fields.push_back({std::string(kTimeColumn), Type::kDatetime});
  fields.push_back({std::string(kRowColumn), Type::kLong});
  Relation relation;
  relation.name = info.ref.name;
  relation.map_fields = info.map_fields;
  relation.virtual_fields = info.virtual_fields;
  relation.wide_longs.insert(info.wide_longs.begin(), info.wide_longs.end());
  relation.node = make_node(std::move(scan), {}, Schema(std::move(fields)));
  if (answer_rows_ && options_.cursor.has_value()) {
    const CursorBound& cursor = *options_.cursor;
    EVQ_TRY_ASSIGN(const LocationBounds bounds,
                   tables_.locate(info.ref, cursor.time, cursor.ordinal));
    EVQ_TRY_ASSIGN(relation, after_cursor(*this, cursor, bounds, std::move(relation)));
  }
  return relation;
}

Result<Relation> Binder::named_table(std::string_view name, Span span) {
  if (const Environment::Meaning* meaning = environment_->find(name); meaning != nullptr) {
    if (const auto* pipeline = std::get_if<Environment::LetPipeline>(meaning)) {
      const Environment* outer = std::exchange(environment_, pipeline->defined_in);
      auto bound = bind_pipeline(*pipeline->pipeline);
      environment_ = outer;
      return named(std::move(bound), name);
    }
    if (const auto* table = std::get_if<Environment::BoundTable>(meaning)) {
      // Beside the rows of the answer it is read whole, whatever part of them is asked for.
      const bool whole = !answer_rows_ && options_.takes_part();
      Relation relation =
          read_shared(whole ? whole_plan(table->plan, &whole_plans_) : table->plan, table->traits);
      relation.name = relation.name.empty() ? std::string(name) : relation.name;
      return relation;
    }
    if (const auto* function = std::get_if<Environment::Function>(meaning);
        function != nullptr && function->lambda->parameters.empty()) {
      return named(bind_table_call(ast::Call{{std::string(name), span, false}, {}}, span, nullptr),
                   name);
    }
    if (const auto* let = std::get_if<Environment::LetExpr>(meaning)) {
      const Environment* outer = std::exchange(environment_, let->defined_in);
      auto bound = table_of_expr(*let->expr);
      environment_ = outer;
      return named(std::move(bound), name);
    }
  }
  return scan_dataset(name, span);
}

Result<Relation> Binder::lower(const ast::TableRef& source, Span span) {
  if (!source.name.is_wild()) {
    return named_table(source.name.text(), span);
  }
  ast::Union all;
  all.tables.emplace_back(source.name);
  EVQ_TRY_ASSIGN(std::vector<Relation> inputs, union_inputs(all.tables, Fuzzy::kNo));
  return union_of(std::move(inputs), all);
}

Result<Relation> Binder::lower(const ast::NestedSource& source, Span /*span*/) {
  return bind_pipeline(*source.pipeline);
}

Result<Relation> Binder::lower(const ast::CallSource& source, Span /*span*/) {
  return table_of_expr(*source.call);
}

Result<Relation> Binder::lower(const ast::Print& source, Span /*span*/) {
  Relation row = values_relation(Schema(), Table{Schema(), {}, 1});
  std::vector<NamedColumn> columns;
  UniqueNames names;
  for (std::size_t i = 0; i < source.items.size(); ++i) {
    const ast::NamedExpr& item = source.items[i];
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_expr(*item.value, nullptr));
    if (item.names.empty()) {
      columns.push_back({names.take("print_" + std::to_string(i)), std::move(bound)});
      continue;
    }
    EVQ_TRY_ASSIGN(std::vector<ExprPtr> parts, parts_of(std::move(bound), item.names.size(), &row));
    for (std::size_t part = 0; part < parts.size(); ++part) {
      columns.push_back({names.take(item.names[part].text), std::move(parts[part])});
    }
  }
  return project(std::move(row), std::move(columns));
}

Result<Relation> Binder::lower(const ast::Range& source, Span span) {
  EVQ_TRY_ASSIGN(const Value from, bind_constant(*source.from, "the start of a range"));
  EVQ_TRY_ASSIGN(const Value to, bind_constant(*source.to, "the end of a range"));
  EVQ_TRY_ASSIGN(const Value step, bind_constant(*source.step, "the step of a range"));
  const Type type =
      from.type() == Type::kLong && (to.type() == Type::kReal || step.type() == Type::kReal)
          ? Type::kReal
          : from.type();
  if (!steps_through(type, to.type(), step.type())) {
    // The function of the same name says what does not fit.
    std::vector<ExprPtr> args;
    args.push_back(make_constant(from, source.from->span));
    args.push_back(make_constant(to, source.to->span));
    args.push_back(make_constant(step, source.step->span));
    EVQ_TRY_ASSIGN(const ExprPtr list, call("range", std::move(args), span));
    return diag::invalid_constant(source.from->span, "the start of a range",
                                  "be a number, datetime or timespan, as its end");
  }
  if (!step.is_null() && (type == Type::kReal ? number(step) == 0 : step.as_integer() == 0)) {
    return diag::invalid_constant(source.step->span, "the step of a range", "not be 0");
  }
  Sequence sequence{from, step, 0};
  if (!from.is_null() && !to.is_null() && !step.is_null()) {
    if (type == Type::kReal) {
      sequence = {Value::real(number(from)), Value::real(number(step)),
                  real_steps(number(from), number(to), number(step))};
    } else {
      sequence.count = integer_steps(from.as_integer(), to.as_integer(), step.as_integer());
    }
  }
  Relation relation;
  relation.node = make_node(std::move(sequence), {}, Schema({{source.column.text, type}}));
  relation.ordered = true;
  relation.serialized = true;
  relation.aggregated = true;
  return relation;
}

namespace {

// 2024-05-01, which is 2018: numbers are times only where they are written as one.
Error no_date(Span at, std::string_view column) {
  Error error = diag::invalid_constant(at, "a value of '" + std::string(column) + "'",
                                       "be a datetime, not a difference or sum of numbers");
  error.hint = "write datetime(2024-05-01)";
  return error;
}

}  // namespace

Result<Relation> Binder::lower(const ast::Datatable& source, Span span) {
  std::vector<Field> fields;
  std::vector<VectorBuilder> builders;
  for (const ast::ColumnSpec& column : source.columns) {
    if (std::ranges::find(fields, column.name.text, &Field::name) != fields.end()) {
      return diag::duplicate_name(column.name.span, column.name.text, "datatable");
    }
    fields.push_back({column.name.text, column.type});
    builders.emplace_back(column.type);
  }
  if (builders.empty() || source.values.size() % builders.size() != 0) {
    return diag::row_shape(span, source.values.size(), builders.size());
  }
  for (std::size_t i = 0; i < source.values.size(); ++i) {
    VectorBuilder& builder = builders[i % builders.size()];
    EVQ_TRY_ASSIGN(Value value, bind_constant(*source.values[i], "a value of a datatable"));
    if (builder.type() == Type::kDatetime && is_numeric(value.type()) &&
        std::holds_alternative<ast::Binary>(source.values[i]->node)) {
      return no_date(source.values[i]->span, fields[i % fields.size()].name);
    }
    if (!implicit_cast_cost(value.type(), builder.type()).has_value()) {
      const Span at = source.values[i]->span;
      EVQ_TRY_ASSIGN(const ExprPtr converted,
                     convert(make_constant(std::move(value), at), builder.type(), at));
      value = converted->constant;
    }
    const Vector cast = implicit_cast(Vector::constant(value, 1), builder.type());
    builder.append_row(cast, 0);
  }
  Table table{Schema(fields), {}, source.values.size() / builders.size()};
  for (VectorBuilder& builder : builders) {
    table.columns.push_back(builder.finish());
  }
  return made_by_query(values_relation(Schema(std::move(fields)), std::move(table)));
}

}  // namespace evq::plan
