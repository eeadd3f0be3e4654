#pragma once
// The inside of binding, shared by bind_*.cpp and lower_*.cpp and by nobody else: what a pipeline
// is while it is being bound (Relation), what names mean around it (Environment), and the Binder
// whose methods turn each kind of AST node into plan nodes. One Binder binds one query.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "apl/plan/bind.h"
#include "apl/plan/binding.h"
#include "apl/plan/environment.h"
#include "apl/plan/relation.h"
#include "apl/syntax/diagnostics.h"

namespace evq::plan {

struct UnpackOptions;

class Binder {
 public:
  Binder(TableSource& tables, const BindOptions& options);

  Result<Plan> bind(const ast::Query& query);

  // ---- shared by the lowering files
  const EvalContext& context() const { return options_.context; }
  const BindOptions& options() const { return options_; }

  // Binds an expression over the columns of `input` (null: constants only).
  Result<ExprPtr> bind_expr(const ast::Expr& expr, const Relation* input);
  // Binds a bool (a dynamic is taken by its truth): for where and …if predicates.
  Result<ExprPtr> bind_predicate(const ast::Expr& expr, const Relation* input,
                                 std::string_view where);
  // Binds what must fold to a constant; `what` names it in messages.
  Result<Value> bind_constant(const ast::Expr& expr, std::string_view what);
  Result<std::uint64_t> bind_count(const ast::Expr& expr, std::string_view what);
  // Returns the name of an unnamed output expression; empty when it is not a field, path or call
  // that gives one (ColumnN is for the caller to count).
  std::string derived_name(const ast::Expr& expr, const Relation* input) const;
  Result<ExprPtr> call(std::string_view function, std::vector<ExprPtr> args, Span span) const;
  Result<ExprPtr> text_form(ExprPtr value, Span span) const;  // empty for null
  // What a constant is taken for beside values of type `other`.
  Result<ExprPtr> adapt(ExprPtr constant, Type other) const;
  bool strict_types() const { return strict_types_; }
  // Converts `value` to `type` for the argument of `function` at `position`, from 1.
  Result<ExprPtr> fit(ExprPtr value, Type type, std::string_view function,
                      std::size_t position) const;

  Result<Relation> bind_pipeline(const ast::Pipeline& pipeline);
  Result<Relation> bind_operator(const ast::Operator& op, Relation input);
  Result<Relation> bind_operators(const ast::OperatorList& operators, Relation input);
  Result<Relation> scan_dataset(std::string_view name, Span span);
  // Reads a dataset or a let-bound table called `name`.
  Result<Relation> named_table(std::string_view name, Span span);
  Result<Relation> table_of_expr(const ast::Expr& expr);
  // Runs `node` now, for what the rest of the plan depends on; `what` names the construct that
  // needs it. Fails inside an Apply, whose rows are not there yet, and where nothing may run.
  Result<Table> run_now(const Node& node, Span span, std::string_view what) const;

  // Keeps the first `count` rows of the stream in its order.
  Relation limit(Relation input, std::uint64_t count) const;
  Result<std::size_t> find_column(const Relation& input, const ast::Name& name) const;
  // Fails unless each of the comma-separated names is a column.
  Status check_columns(const Relation& input, std::string_view names, Span span) const;
  std::string unknown_field_hint(const Relation* input, std::string_view name) const;
  // Returns the type of a field that another table has, while several tables are searched.
  std::optional<Type> type_elsewhere(std::string_view name) const;
  // Refuses a query that grows out of bounds when the names of lets are written out.
  Status note_expressions(std::size_t count, Span span);
  Error unknown_field(const Relation* input, std::string_view name, Span span) const;

 private:
  friend class SummarizeBinder;
  friend class IpLookupBinder;
  friend class JoinBinder;
  friend class TopNestedBinder;
  friend class WindowCallBinder;

  // bind_name.cpp
  Result<ExprPtr> bind_name(const ast::Name& name, Span span, const Relation* input);
  Result<ExprPtr> bind_path(const ast::Expr& expr, const Relation* input);
  Result<ExprPtr> bind_steps(std::span<const PathStep> steps, const Relation* input) const;
  Result<ExprPtr> bind_virtual(const VirtualField& field, Span span, const Relation* input);
  void hold_virtual_fields(Relation* relation);
  Result<Relation> show_virtual_fields(Relation input, std::span<const ast::NamePattern> fields);
  Result<ExprPtr> use_scalar(const Environment::Meaning& meaning, const ast::Name& name,
                             const Relation* input);
  Result<ExprPtr> use_let(const Environment::LetExpr& let, const Relation* input);
  // bind_compare.cpp
  Result<ExprPtr> bind_between(const ast::Between& between, Span span, const Relation* input);
  // bind_expr.cpp
  Result<ExprPtr> bind_node(const ast::Expr& expr, const Relation* input);
  Result<ExprPtr> bind_binary(const ast::Binary& binary, Span span, const Relation* input);
  Result<ExprPtr> bind_any_field(const ast::Binary& binary, Span span, const Relation* input);
  Result<ExprPtr> any_of(std::vector<ExprPtr> tests, bool negated, Span span);
  Result<ExprPtr> bind_logical(const ast::Logical& logical, Span span, const Relation* input);
  Result<ExprPtr> bind_unary(const ast::Unary& unary, Span span, const Relation* input);
  Result<ExprPtr> bind_membership(const ast::Membership& in, Span span, const Relation* input);
  // bind_call.cpp
  Result<ExprPtr> bind_call(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_registry_call(const ast::Call& call, Span span, const Relation* input);
  Result<std::vector<ExprPtr>> bind_arguments(const ast::Call& call, const Relation* input);
  // bind_special.cpp
  using CallBinder = Result<ExprPtr> (Binder::*)(const ast::Call& call, Span span,
                                                 const Relation* input);
  // Returns nullopt for a call of a registry function.
  static Result<std::optional<CallBinder>> special_call(const ast::Call& call, Span span);
  Result<ExprPtr> bind_bag_pack_columns(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_bin_auto(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_column_ifexists(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_column_names_of(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_cursor_current(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_ingestion_time(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_object_exists(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_pack_all(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> bind_toscalar(const ast::Call& call, Span span, const Relation* input);
  Result<ExprPtr> values_of_table(const ast::Expr& table, Span span, Type* element);
  Result<ExprPtr> first_column(Relation relation, Span span) const;
  // Returns the field that an argument of column_ifexists() names, as such or by a constant text.
  Result<std::string> name_argument(const ast::Expr& argument, const Relation* input);
  // lower_window.cpp
  Result<ExprPtr> bind_window_call(const ast::Call& call, Span span, const Relation* input);
  // bind_function.cpp
  Result<ExprPtr> bind_lambda_call(const Environment::Function& function, const ast::Call& call,
                                   Span span, const Relation* input);
  Result<Environment::Meaning> bind_parameter(const ast::Expr& argument, std::string_view function,
                                              const std::vector<ast::Parameter>& parameters,
                                              std::size_t index, const Relation* input);
  // With `piped` (invoke), `piped` is the first parameter, and the arguments are the others.
  Result<Environment> bind_parameters(const Environment::Function& function, const ast::Call& call,
                                      Span span, const Relation* input, Relation* piped);
  template <class Bind>
  auto bind_within(Environment frame, const ast::Lambda& lambda, const Bind& bind);
  Result<Relation> materialize(const ast::Call& call);
  Result<Relation> bind_table_call(const ast::Call& call, Span span, Relation* piped);

  // lower_*.cpp: one method a source or operator
  Result<Relation> lower(const ast::TableRef& source, Span span);
  Result<Relation> lower(const ast::Print& source, Span span);
  Result<Relation> lower(const ast::Range& source, Span span);
  Result<Relation> lower(const ast::Datatable& source, Span span);
  Result<Relation> lower(const ast::ExternalData& source, Span span);
  Result<Relation> lower(const ast::Union& source, Span span);
  Result<Relation> lower(const ast::Search& source, Span span);
  Result<Relation> lower(const ast::Find& source, Span span);
  Result<Relation> lower(const ast::CallSource& source, Span span);
  Result<Relation> lower(const ast::NestedSource& source, Span span);

  Result<Relation> lower(const ast::Where& op, Span span, Relation input);
  Result<Relation> lower(const ast::Count& op, Span span, Relation input) const;
  Result<Relation> lower(const ast::Distinct& op, Span span, Relation input);
  Result<Relation> lower(const ast::Extend& op, Span span, Relation input);
  Result<Relation> lower(const ast::Project& op, Span span, Relation input);
  Result<Relation> lower(const ast::ProjectAway& op, Span span, Relation input);
  Result<Relation> lower(const ast::ProjectKeep& op, Span span, Relation input);
  Result<Relation> lower(const ast::ProjectRename& op, Span span, Relation input);
  Result<Relation> lower(const ast::ProjectReorder& op, Span span, Relation input);
  Result<Relation> lower(const ast::ProjectByNames& op, Span span, Relation input);
  Result<Relation> lower(const ast::Limit& op, Span span, Relation input);
  Result<Relation> lower(const ast::Sample& op, Span span, Relation input);
  Result<Relation> lower(const ast::SampleDistinct& op, Span span, Relation input);
  Result<Relation> lower(const ast::Sort& op, Span span, Relation input);
  Result<Relation> lower(const ast::Top& op, Span span, Relation input);
  Result<Relation> lower(const ast::TopHitters& op, Span span, Relation input);
  Result<Relation> lower(const ast::TopNested& op, Span span, Relation input);
  Result<Relation> lower(const ast::Summarize& op, Span span, Relation input);
  Result<Relation> lower(const ast::MakeSeries& op, Span span, Relation input);
  Result<Relation> lower(const ast::Join& op, Span span, Relation input);
  Result<Relation> lower(const ast::Lookup& op, Span span, Relation input);
  Result<Relation> lower(const ast::Union& op, Span span, Relation input);
  Result<Relation> lower(const ast::Search& op, Span span, Relation input);
  Result<Relation> lower(const ast::Parse& op, Span span, Relation input);
  Result<Relation> lower(const ast::ParseKv& op, Span span, Relation input);
  Result<Relation> lower(const ast::MvExpand& op, Span span, Relation input);
  Result<Relation> lower(const ast::MvApply& op, Span span, Relation input);
  Result<Relation> lower(const ast::Partition& op, Span span, Relation input);
  Result<Relation> lower(const ast::Evaluate& op, Span span, Relation input);
  Result<Relation> lower(const ast::Invoke& op, Span span, Relation input);
  Result<Relation> lower(const ast::Serialize& op, Span span, Relation input);
  Result<Relation> lower(const ast::Scan& op, Span span, Relation input);
  Result<Relation> lower(const ast::Reduce& op, Span span, Relation input);
  Result<Relation> lower(const ast::Render& op, Span span, Relation input);
  Result<Relation> lower(const ast::Consume& op, Span span, Relation input) const;
  Result<Relation> lower(const ast::Fork& op, Span span, Relation input);
  Result<Relation> lower(const ast::Facet& op, Span span, Relation input);
  Result<Relation> lower(const ast::As& op, Span span, Relation input);
  Result<Relation> lower(const ast::GetSchema& op, Span span, Relation input);
  Result<Relation> lower(const ast::Redact& op, Span span, Relation input);
  // Names an item's columns: as written, after the function's parts, the expression, or Column1, …
  std::vector<std::string> item_names(const ast::NamedExpr& item, const Relation* input,
                                      int* unnamed) const;
  Result<std::vector<ExprPtr>> parts_of(ExprPtr value, std::size_t count, Relation* input);
  // Appends a column for an item of an operator, which may have thousands; returns its position.
  Result<std::size_t> add_column(Relation* input, std::string name, ExprPtr expr);
  // Makes a computed value a hidden column of `input`, so that several expressions share it.
  Result<ExprPtr> computed_once(ExprPtr value, Relation* input);
  // Binds items; may add window columns to `input` when its rows are in an order.
  Result<std::vector<NamedColumn>> bind_named(const std::vector<ast::NamedExpr>& items,
                                              Relation* input);
  // What a field gets where its new value is not valid: that, or what it had.
  enum class Invalid : std::uint8_t { kNew, kKeepsOld };
  Result<Relation> extend(const std::vector<ast::NamedExpr>& items, Invalid invalid,
                          Relation input);
  // Sorts by the request's default order; a field that is not there is kUsage, but for _time.
  Result<Relation> sort_by_default(Relation input);
  Result<Relation> sort_by(const std::vector<ast::SortKey>& keys, Relation input,
                           std::optional<std::uint64_t> count);
  // Converts `value` to `type` by its conversion function; dynamics stay as they are.
  Result<ExprPtr> convert(ExprPtr value, Type type, Span span);
  Result<Relation> bag_unpack(const ast::Evaluate& op, Relation input);
  Result<std::vector<Field>> unpack_fields(const ast::Evaluate& op, const Expr& bag,
                                           const UnpackOptions& options, Relation* input) const;
  Result<Relation> pivot(const ast::Evaluate& op, Relation input);
  Result<ExternalRequest> external_request(const ast::ExternalData& source);
  // Binds partition by key { pipeline }: once a value of the key, a scalar of its name there.
  Result<Relation> partition_pipelines(const ast::Partition& op, Span span, Relation input);
  Result<Relation> narrow(Relation input);
  Result<Relation> rows_near(const ast::Evaluate& op, Relation input);
  Result<Relation> ip_lookup(const ast::Evaluate& op, Relation input);
  // Conforms a plugin's columns to the `: (schema)` after its call.
  Result<Relation> conform(const ast::Evaluate& op, Relation made);
  Result<ExprPtr> bind_text(const ast::Expr& expr, const Relation& input);  // as a text
  Result<Relation> summarize(SummarizeParts parts, Relation input);
  Result<Relation> limit_groups(Relation input, std::uint64_t count) const;
  Result<Relation> union_of(std::vector<Relation> inputs, const ast::Union& op);
  Status note_union(const std::vector<Relation>& inputs, std::size_t width);
  Result<Project> align(const Schema& from, const Schema& to, std::int64_t offset) const;
  Result<std::vector<Relation>> union_inputs(std::span<const ast::TableItem> tables, Fuzzy fuzzy);
  std::set<std::string> views_matching(const ast::NamePattern& pattern) const;
  Result<ExprPtr> bind_search(const ast::Expr& predicate, const Relation& input);
  // Binds an operand of a join condition, where $left and $right name the side it is bound over.
  Result<ExprPtr> bind_sided(const ast::Expr& expr, const Relation& side);
  Result<Relation> search_tables(std::vector<Relation> inputs, const ast::Search& search);
  Result<std::vector<ExprPtr>> bind_searches(const ast::Expr& predicate, ast::SearchKind kind,
                                             const std::vector<Relation>& tables);
  Result<std::vector<NamedColumn>> found_columns(const ast::Find& source, const Relation& output,
                                                 std::vector<NamedColumn> all, Span span);
  // Binds a test of `field`, or any, for the text by the operator "has", "contains_cs", …
  Result<ExprPtr> search_fields(std::string_view kind, std::string_view text, const Relation& input,
                                const Expr* field, Span span);
  Result<ExprPtr> search_term(std::string_view term, const Relation& input, const Expr* field,
                              Span span);
  void define(const ast::Let& let);
  void warn(std::string warning);  // once, however often it is true
  // Warns of a text that is called as a field of `input`, where the field was likely meant.
  void note_quoted_field(const ast::Expr& expr, const Relation* input);
  Status bind_statement(const ast::Statement& statement);
  Status set_option(const ast::Set& set);
  // With `set stricttypes`, fails where a call converts an argument, of `types`, by itself.
  Status check_strict(const Expr& call, std::span<const Type> types, std::string_view name) const;
  Result<Plan> finish(Relation root);
  TableSource& tables_;
  const BindOptions& options_;
  const ast::Query* query_ = nullptr;
  std::string query_text_;                            // as printed, once it is asked for
  std::vector<std::unique_ptr<Environment>> frames_;  // owns every frame of the query
  std::vector<ast::ExprPtr> parsed_;                  // of virtual fields
  std::vector<const VirtualField*> virtual_path_;     // being bound, from the named one on
  // Results of lets of toscalar(…) and materialize(…), by place, names seen and answer_rows_.
  std::map<std::pair<const ast::Expr*, const Environment*>, ExprPtr> scalars_;
  std::map<std::tuple<const ast::Call*, const Environment*, bool>, Environment::BoundTable>
      materialized_;
  std::map<std::shared_ptr<const Node>, std::shared_ptr<const Node>> whole_plans_;  // after_cursor
  bool strict_types_ = false;
  std::optional<Value> bin_auto_size_;  // the width, when the query gives one
  std::optional<Value> bin_auto_at_;    // an end of some bin
  std::optional<std::uint64_t> default_limit_;
  std::optional<std::uint64_t> rows_max_;  // of the answer, when the query says so
  const Environment* environment_ = nullptr;
  bool own_names_first_ = false;  // before fields: in lets, and in bodies of functions
  NamedDatasets datasets_;
  bool answer_rows_ = true;  // not while a subquery or the right side of a join is bound
  std::vector<std::string> warnings_;
  std::optional<RenderSpec> render_;
  // Binds a call of an aggregate; set while a summarize binds its results.
  std::function<Result<ExprPtr>(const AggregateFunction&, const ast::Call&, Span)>
      aggregate_binder_;
  Relation* windowed_ = nullptr;        // set while an expression may call window functions over it
  const Relation* sided_ = nullptr;     // set while a join condition is bound
  std::vector<Field> searched_fields_;  // of all tables, while a search over several is bound
  bool case_sensitive_ = false;         // every operator of texts, in such a search
  int depth_ = 0;                       // depth of function calls, against endless recursion
  int pipelines_ = 0;                   // around what is being bound
  std::size_t expressions_ = 0;         // bound so far
  std::uint64_t applies_ = 0;           // bound so far
  std::uint64_t draws_ = 0;             // arguments of functions that draw, bound so far
  std::size_t nesting_ = 0;             // of the expression that is being bound
};

}  // namespace evq::plan
