#include "apl/plan/step_machine.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "store/base/allocation_meter.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"

namespace evq::plan {
namespace {

// A row with the values its declared columns got: what a step remembers of it, and what is given
// out.
struct Match {
  std::size_t row = 0;
  std::vector<Value> declared;
};

// A sequence that has come as far as some step: by step, its last row there.
struct MatchedSteps {
  std::int64_t id = 0;
  std::vector<std::optional<Match>> matches;
  std::optional<Match> pending;  // of a step with output=last: not given out yet
};

class StepRun {
 public:
  StepRun(const StepProgram& program, const EvalContext& context, const Table& input)
      : program_(program), context_(context), input_(input) {
    for (std::size_t i = program.columns - program.declared.size(); i < program.columns; ++i) {
      declared_.emplace_back(program.state_types[i]);
    }
  }

  Status run() {
    for (std::size_t row = 0; row < input_.rows; ++row) {
      if (row % kRowsBetweenChecks == 0 && context_.control != nullptr) {
        EVQ_TRY(context_.control->check());
      }
      Partition& partition = partition_of(row);
      // What the expressions of a row allocate is free again after it.
      AllocationMeter of_row(nullptr, context_.control, "scan");
      EVQ_TRY(of_row.guard([&] {
        for (std::size_t step = program_.steps.size(); step-- > 0;) {
          try_step(step, row, &partition.states);
        }
      }));
      charge_kept(&partition);
    }
    for (Partition& partition : partitions_) {
      for (std::optional<MatchedSteps>& state : partition.states) {
        give_pending(&state);
      }
    }
    return Status::success();
  }

  // Once.
  Table take(const Schema& schema) {
    Table output{schema, {}, rows_.size()};
    const std::size_t plain = program_.columns - program_.declared.size();
    for (std::size_t i = 0; i < plain; ++i) {
      output.columns.push_back(input_.columns[i].gather(rows_));
    }
    for (VectorBuilder& column : declared_) {
      output.columns.push_back(column.finish());
    }
    if (program_.match_id) {
      VectorBuilder column(Type::kLong);
      for (const std::int64_t id : ids_) {
        column.append_integer(id);
      }
      output.columns.push_back(column.finish());
    }
    return output;
  }

 private:
  static constexpr std::size_t kRowsBetweenChecks = 1024;
  // Memory of what is kept of a combination besides its states, of a row given out and of each of
  // its declared values besides the text, with what lists have in reserve.
  static constexpr std::size_t kCombinationBytes = 128;
  static constexpr std::size_t kGivenRowBytes = 24;
  static constexpr std::size_t kGivenValueBytes = 40;
  static constexpr std::size_t kChargedTogether = std::size_t{64} << 10U;

  // Rows whose partition columns are equal.
  struct Partition {
    std::vector<std::optional<MatchedSteps>> states;
    std::size_t text_bytes = 0;  // of what the states remember
  };

  Partition& partition_of(std::size_t row) {
    // Whoever writes events does not know the seed, and so no values that all share one hash.
    std::uint64_t hash = context_.random_seed;
    for (const std::size_t column : program_.partition) {
      hash = hash_row(input_.columns[column], row, hash);
    }
    for (auto [at, end] = known_.equal_range(hash); at != end; ++at) {
      bool same = true;
      for (const std::size_t column : program_.partition) {
        const Vector& key = input_.columns[column];
        same = same && rows_equal(key, row, key, first_rows_[at->second]);
      }
      if (same) {
        return partitions_[at->second];
      }
    }
    AllocationMeter::charge(kCombinationBytes +
                            program_.steps.size() * sizeof(std::optional<MatchedSteps>));
    known_.emplace(hash, partitions_.size());
    first_rows_.push_back(row);
    Partition& made = partitions_.emplace_back();
    made.states.resize(program_.steps.size());
    return made;
  }

  static std::size_t text_bytes_of(const std::vector<Value>& values) {
    std::size_t bytes = 0;
    for (const Value& value : values) {
      bytes += value.as_text().size();
    }
    return bytes;
  }
  static std::size_t text_bytes_of(const std::optional<Match>& match) {
    return match.has_value() ? text_bytes_of(match->declared) : 0;
  }

  // After a row of the partition.
  void charge_kept(Partition* partition) {
    std::size_t bytes = 0;
    for (const std::optional<MatchedSteps>& state : partition->states) {
      if (state.has_value()) {
        bytes += text_bytes_of(state->pending);
        for (const std::optional<Match>& match : state->matches) {
          bytes += text_bytes_of(match);
        }
      }
    }
    kept_bytes_ += bytes;
    kept_bytes_ -= std::exchange(partition->text_bytes, bytes);
    if (kept_bytes_ > charged_bytes_ + kChargedTogether) {
      AllocationMeter::charge(kept_bytes_ - charged_bytes_);
      charged_bytes_ = kept_bytes_;
    }
  }

  void try_step(std::size_t step, std::size_t row,
                std::vector<std::optional<MatchedSteps>>* states) {
    for (std::size_t before = step; before-- > 0;) {
      if ((*states)[before].has_value()) {
        if (holds(step, row, &*(*states)[before])) {
          advance(before, step, row, states);
          return;
        }
        break;
      }
      if (!program_.steps[before].optional) {
        break;
      }
    }
    std::optional<MatchedSteps>& state = (*states)[step];
    const bool first = step == 0;
    if ((!first && !state.has_value()) ||
        !holds(step, row, state.has_value() ? &*state : nullptr)) {
      return;
    }
    if (!state.has_value()) {
      state.emplace();
      state->matches.resize(program_.steps.size());
      state->id = next_id_++;
    }
    add(step, row, &*state);
  }

  // The sequence at `before` replaces the one at `step`.
  void advance(std::size_t before, std::size_t step, std::size_t row,
               std::vector<std::optional<MatchedSteps>>* states) {
    give_pending(&(*states)[step]);
    give_pending(&(*states)[before]);
    (*states)[step] = std::exchange((*states)[before], std::nullopt);
    add(step, row, &*(*states)[step]);
  }

  void add(std::size_t step, std::size_t row, MatchedSteps* sequence) {
    Match match{row, program_.declared};
    const std::size_t plain = program_.columns - program_.declared.size();
    for (const auto& [declared, column] : program_.copied) {
      if (!input_.columns[column].is_null(row)) {
        match.declared[declared] = input_.columns[column].value(row);
      }
    }
    for (const auto& [column, value] : program_.steps[step].assignments) {
      match.declared[column - plain] = evaluate(*value, row, sequence);
    }
    sequence->matches[step] = match;
    switch (program_.steps[step].output) {
      case StepOutput::kAll:
        give(match, sequence->id);
        return;
      case StepOutput::kLast:
        sequence->pending = std::move(match);
        return;
      case StepOutput::kNone:
        return;
    }
  }

  void give(const Match& match, std::int64_t id) {
    rows_.push_back(static_cast<std::uint32_t>(match.row));
    for (std::size_t i = 0; i < declared_.size(); ++i) {
      declared_[i].append(match.declared[i]);
    }
    ids_.push_back(id);
    kept_bytes_ +=
        kGivenRowBytes + declared_.size() * kGivenValueBytes + text_bytes_of(match.declared);
  }
  void give_pending(std::optional<MatchedSteps>* state) {
    if (state->has_value() && (*state)->pending.has_value()) {
      give(*(*state)->pending, (*state)->id);
      (*state)->pending.reset();
    }
  }

  bool holds(std::size_t step, std::size_t row, const MatchedSteps* sequence) {
    const Value truth = evaluate(*program_.steps[step].condition, row, sequence);
    return !truth.is_null() && truth.as_bool();
  }

  Value evaluate(const Expr& expr, std::size_t row, const MatchedSteps* sequence) {
    if (expr.is_constant()) {
      return expr.constant;
    }
    if (expr.is_column()) {
      return column_value(expr, row, sequence);
    }
    // What is false already needs no look at the rest: most rows fail the first test.
    const bool all = expr.is_call("op_and");
    std::vector<Vector> args;
    args.reserve(expr.args.size());
    for (const ExprPtr& arg : expr.args) {
      Value value = evaluate(*arg, row, sequence);
      if (all && !value.is_null() && !value.as_bool()) {
        return value;
      }
      args.push_back(Vector::constant(value.is_null() ? Value::null(arg->type) : value, 1));
    }
    const Vector result = evaluate_call(expr.call, expr.function->flags, context_, args, 1);
    return result.is_null(0) ? Value::null(expr.type) : result.value(0);
  }

  Value column_value(const Expr& expr, std::size_t row, const MatchedSteps* sequence) const {
    if (expr.column < program_.input_columns) {
      const Vector& column = input_.columns[expr.column];
      return column.is_null(row) ? Value::null(expr.type) : column.value(row);
    }
    const std::size_t step = (expr.column - program_.input_columns) / program_.columns;
    const std::size_t column = (expr.column - program_.input_columns) % program_.columns;
    const std::size_t plain = program_.columns - program_.declared.size();
    const Match* match = sequence != nullptr && sequence->matches[step].has_value()
                             ? &*sequence->matches[step]
                             : nullptr;
    if (column >= plain) {
      return match != nullptr ? match->declared[column - plain] : program_.declared[column - plain];
    }
    if (match == nullptr || input_.columns[column].is_null(match->row)) {
      return Value::null(expr.type);
    }
    return input_.columns[column].value(match->row);
  }

  const StepProgram& program_;
  const EvalContext& context_;
  const Table& input_;
  std::unordered_multimap<std::uint64_t, std::size_t> known_;  // hash of a combination
  std::vector<std::size_t> first_rows_;                        // of each combination
  std::vector<Partition> partitions_;
  std::int64_t next_id_ = 0;
  // What is given out: rows of the input, with the values of declared columns.
  std::vector<std::uint32_t> rows_;
  std::vector<VectorBuilder> declared_;
  std::vector<std::int64_t> ids_;
  std::size_t kept_bytes_ = 0;     // of that, and of the texts that states remember
  std::size_t charged_bytes_ = 0;  // the most of it so far
};

// A program of fewer input columns: which it still has, and where its columns went.
class ProgramNarrowing {
 public:
  // `needed` of the columns that the program gives out.
  ProgramNarrowing(const StepProgram& program, const std::vector<bool>& needed)
      : program_(program), plain_(program.columns - program.declared.size()) {
    input.assign(program.input_columns, true);
    std::copy_n(needed.begin(), plain_, input.begin());
    for (const std::size_t column : program.partition) {
      input[column] = true;
    }
    for (const auto& [declared, column] : program.copied) {
      input[column] = true;
    }
    for (const Step& step : program.steps) {
      keep_columns_of(*step.condition);
      for (const auto& [column, value] : step.assignments) {
        keep_columns_of(*value);
      }
    }
    for (const bool kept : input) {
      places_.push_back(kept ? kept_++ : kNoColumn);
    }
    const auto plain_end = input.begin() + static_cast<std::ptrdiff_t>(plain_);
    kept_plain_ = static_cast<std::size_t>(std::count(input.begin(), plain_end, true));
    output.assign(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(plain_));
    for (std::size_t i = plain_; i < needed.size(); ++i) {
      output.push_back(kept_plain_ + i - plain_);
    }
  }

  StepProgram make() const {
    StepProgram made;
    made.columns = kept_plain_ + program_.declared.size();
    made.declared = program_.declared;
    for (const auto& [declared, column] : program_.copied) {
      made.copied.emplace_back(declared, places_[column]);
    }
    made.input_columns = kept_;
    std::ranges::transform(program_.partition, std::back_inserter(made.partition),
                           [this](std::size_t column) { return places_[column]; });
    made.match_id = program_.match_id;
    made.state_types.resize(made.columns);
    for (std::size_t i = 0; i < program_.columns; ++i) {
      if (output[i] != kNoColumn) {
        made.state_types[output[i]] = program_.state_types[i];
      }
    }
    const std::vector<std::size_t> mapping = expression_mapping(made);
    for (const Step& step : program_.steps) {
      Step kept{step.output, step.optional, clone(*step.condition), {}};
      remap_columns(kept.condition.get(), mapping);
      for (const auto& [column, value] : step.assignments) {
        kept.assignments.emplace_back(output[column], clone(*value));
        remap_columns(kept.assignments.back().second.get(), mapping);
      }
      made.steps.push_back(std::move(kept));
    }
    return made;
  }

  std::vector<bool> input;
  std::vector<std::size_t> output;

 private:
  void keep_columns_of(const Expr& expr) {
    for_each_column(expr, [this](std::size_t column) {
      const std::size_t own = column < program_.input_columns
                                  ? column
                                  : (column - program_.input_columns) % program_.columns;
      if (own < plain_) {
        input[own] = true;
      }
    });
  }

  // Of the row's columns, then of each step's.
  std::vector<std::size_t> expression_mapping(const StepProgram& made) const {
    std::vector<std::size_t> mapping = places_;
    for (std::size_t step = 0; step < program_.steps.size(); ++step) {
      for (std::size_t i = 0; i < program_.columns; ++i) {
        mapping.push_back(output[i] == kNoColumn
                              ? kNoColumn
                              : made.input_columns + step * made.columns + output[i]);
      }
    }
    return mapping;
  }

  const StepProgram& program_;
  const std::size_t plain_;          // columns of a row that are the input's
  std::vector<std::size_t> places_;  // of the input's columns
  std::size_t kept_ = 0;
  std::size_t kept_plain_ = 0;
};

class StepMachine final : public TableFunction {
 public:
  StepMachine(StepProgram program, Schema output)
      : program_(std::move(program)), output_(std::move(output)) {}

  Result<Table> run(const EvalContext& context, Table input) const override {
    StepRun run(program_, context, input);
    EVQ_TRY(run.run());
    return run.take(output_);
  }
  std::optional<Narrowed> narrowed(const std::vector<bool>& needed) const override {
    const ProgramNarrowing narrowing(program_, needed);
    std::vector<Field> fields;
    for (std::size_t i = 0; i < output_.size(); ++i) {
      if (narrowing.output[i] != kNoColumn) {
        fields.push_back(output_[i]);
      }
    }
    return Narrowed{make_step_machine(narrowing.make(), Schema(std::move(fields))), narrowing.input,
                    narrowing.output};
  }
  std::string_view name() const override { return "scan"; }
  std::string describe() const override {
    return "scan steps=" + std::to_string(program_.steps.size());
  }

 private:
  StepProgram program_;
  Schema output_;
};

}  // namespace

std::shared_ptr<const TableFunction> make_step_machine(StepProgram program, Schema output) {
  return std::make_shared<StepMachine>(std::move(program), std::move(output));
}

}  // namespace evq::plan
