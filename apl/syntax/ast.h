#pragma once
// The tree of a query as it was written, before names mean anything: a Query is statements and one
// or more pipelines, a Pipeline is a source and operators. Nodes own their children, are never
// shared, and do not change after parsing; any thread may read them. Spans are byte ranges of the
// query's text.

#include "apl/syntax/ast_expr.h"
#include "apl/syntax/ast_operator.h"

namespace evq::ast {

using OperatorNode =
    std::variant<Where, Count, Distinct, Extend, Project, ProjectAway, ProjectKeep, ProjectRename,
                 ProjectReorder, ProjectByNames, Limit, Sample, SampleDistinct, Sort, Top,
                 TopHitters, TopNested, Summarize, MakeSeries, Join, Lookup, Union, Search, Parse,
                 ParseKv, MvExpand, MvApply, Partition, Evaluate, Invoke, Serialize, Scan, Reduce,
                 Render, Consume, Fork, Facet, As, GetSchema, Redact>;

struct Operator {
  Span span;       // from the operator's name to its last token
  Span name_span;  // of the name alone
  OperatorNode node;
};

// ------------------------------------------------------------------------------------- sources

// A dataset or a let-bound table. Wild names come from union/find/search items only.
struct TableRef {
  NamePattern name;
};
struct Print {
  std::vector<NamedExpr> items;
};
struct Range {
  Name column;
  ExprPtr from;
  ExprPtr to;
  ExprPtr step;
};
struct Datatable {
  std::vector<ColumnSpec> columns;
  std::vector<ExprPtr> values;  // row by row
};
struct ExternalData {
  std::vector<ColumnSpec> columns;
  std::vector<ExprPtr> locations;  // string literals
  std::vector<Option> options;
};
// f(…) as a table: a let-bound function, materialize(…), table("…").
struct CallSource {
  ExprPtr call;  // a Call
};
// (pipeline) | …
struct NestedSource {
  PipelinePtr pipeline;
};

using SourceNode = std::variant<TableRef, Print, Range, Datatable, ExternalData, Union, Search,
                                Find, CallSource, NestedSource>;

// ---------------------------------------------------------------------------------- statements

struct Lambda;

// What a let binds. A bare name or call is an expression here even when it names a table: only the
// planner can tell. A parenthesised pipeline is an expression holding a Subquery.
using LetValue = std::variant<ExprPtr, PipelinePtr, std::unique_ptr<Lambda>>;

struct Let {
  Name name;
  LetValue value;
  Span span;
};

struct Pipeline {
  Span span;
  Span source_span;
  std::vector<Let> lets;  // of its own, where it stands in parentheses: (let a = 1; T | …)
  SourceNode source;
  OperatorList operators;
};

// name:type [= default], name:(columns), name:(*)
struct Parameter {
  Name name;
  bool is_table = false;
  bool any_columns = false;  // of a table: (*)
  Type type = Type::kDynamic;
  std::vector<ColumnSpec> columns;
  ExprPtr default_value;  // may be null
};

// (parameters) { lets; body }; the body is a scalar or a pipeline, with LetValue's ambiguity.
struct Lambda {
  bool is_view = false;
  std::vector<Parameter> parameters;
  std::vector<Let> lets;
  LetValue body;
  Span span;
};

// set name; or set name = literal;
struct Set {
  Name name;
  ExprPtr value;  // may be null
  Span span;
};

struct DeclareParameters {
  std::vector<Parameter> parameters;
  Span span;
};

using Statement = std::variant<Let, Set, DeclareParameters>;

struct Query {
  std::vector<Statement> statements;
  std::vector<PipelinePtr> pipelines;  // one, or more where several are separated by `;`
};

}  // namespace evq::ast
