#pragma once
// Tabular operators of APL as they were written, one struct each, collected in the variant of
// ast::Operator (ast.h). Spellings that mean the same share a struct (order/sort, limit/take,
// where/filter). hint.* parameters are accepted by the parser and do not appear here.
// Include "apl/syntax/ast.h", which completes the types this file only declares.

#include "apl/syntax/ast_expr.h"

namespace evq::ast {

struct Operator;

// Operators applied to the rows of the enclosing operator, as in mv-apply … on (…).
using OperatorList = std::vector<Operator>;

// name=value after an operator's name or in a with (…) clause. Values that are bare words are
// string literals.
struct Option {
  Name name;
  ExprPtr value;
};

enum class NullsOrder : std::uint8_t { kDefault, kFirst, kLast };

struct SortKey {
  ExprPtr value;
  bool descending = true;
  NullsOrder nulls = NullsOrder::kDefault;
};

struct Where {
  ExprPtr predicate;
};
struct Count {
  std::optional<Name> name;  // of the column; Count if unset
};
struct Distinct {
  std::vector<NamedExpr> items;  // a single Star for `distinct *`
};
struct Extend {
  std::vector<NamedExpr> items;
  bool keep_invalid = false;  // extend-valid: keep the old value where the new one is not valid
};
struct Project {
  std::vector<NamedExpr> items;
};
struct ProjectAway {
  std::vector<NamePattern> fields;
};
struct ProjectKeep {
  std::vector<NamePattern> fields;
};
struct RenameItem {
  Name to;
  NamePattern from;  // never wild
};
struct ProjectRename {
  std::vector<RenameItem> items;
};
enum class ReorderDirection : std::uint8_t { kNone, kAsc, kDesc, kGrannyAsc, kGrannyDesc };
struct ReorderItem {
  NamePattern fields;
  ReorderDirection direction = ReorderDirection::kNone;
};
struct ProjectReorder {
  std::vector<ReorderItem> items;
};
struct ProjectByNames {
  std::vector<ExprPtr> names;
};

struct Limit {
  ExprPtr count;
};
struct Sample {
  ExprPtr amount;
};
struct SampleDistinct {
  ExprPtr count;
  ExprPtr of;
};
struct Sort {
  std::vector<SortKey> keys;
};
struct Top {
  ExprPtr count;
  std::vector<SortKey> keys;
};
struct TopHitters {
  ExprPtr count;
  ExprPtr of;
  ExprPtr weight;  // may be null
};
struct TopNestedLevel {
  ExprPtr count;  // may be null: all values
  NamedExpr of;
  ExprPtr others;  // may be null
  NamedExpr by;
  bool descending = true;
};
struct TopNested {
  std::vector<TopNestedLevel> levels;
};

struct Summarize {
  std::vector<NamedExpr> aggregates;
  std::vector<NamedExpr> groups;
  bool has_by = false;
};
struct SeriesItem {
  NamedExpr aggregate;
  ExprPtr default_value;  // may be null
};
struct MakeSeries {
  std::vector<SeriesItem> items;
  NamedExpr axis;
  ExprPtr from;  // may be null
  ExprPtr to;    // may be null
  ExprPtr step;
  bool in_range = false;   // written `in range(from, to, step)`, whose end is inclusive
  bool non_empty = false;  // kind=nonempty
  std::vector<NamedExpr> groups;
};

enum class JoinKind : std::uint8_t {
  kDefault,  // none written
  kInner,
  kInnerUnique,
  kLeftOuter,
  kRightOuter,
  kFullOuter,
  kLeftAnti,
  kRightAnti,
  kLeftSemi,
  kRightSemi,
};
std::string_view join_kind_text(JoinKind kind);  // "leftouter"; empty for kDefault

// right is one table, a call, or a parenthesised pipeline. A condition is a key name, a == b or
// $left.a == $right.b; the planner checks its shape.
struct Join {
  JoinKind kind = JoinKind::kDefault;
  PipelinePtr right;
  std::vector<ExprPtr> conditions;
};
struct Lookup {
  JoinKind kind = JoinKind::kDefault;
  PipelinePtr right;
  std::vector<ExprPtr> conditions;
};

// A table of union, find or search: a name (perhaps with wildcards), or a pipeline.
using TableItem = std::variant<NamePattern, PipelinePtr>;
enum class UnionKind : std::uint8_t { kDefault, kInner, kOuter };
struct Union {
  UnionKind kind = UnionKind::kDefault;
  std::optional<Name> with_source;
  bool is_fuzzy = false;
  std::vector<TableItem> tables;
};

enum class SearchKind : std::uint8_t { kDefault, kCaseInsensitive, kCaseSensitive };
// In the predicate a string literal (or Star) standing alone is a term, see SearchTerm and kNot.
struct Search {
  SearchKind kind = SearchKind::kDefault;
  std::vector<TableItem> tables;  // of `in (…)`; only as a source
  ExprPtr predicate;
};

struct Find {
  std::optional<Name> with_source;
  std::vector<TableItem> tables;  // empty: every table
  ExprPtr predicate;
  bool smart = false;               // project-smart
  std::vector<ColumnSpec> columns;  // of project; type kNull where none is written
  bool pack_rest = false;           // pack_all() among them
  std::vector<NamePattern> away;    // of project-away
};

enum class ParseKind : std::uint8_t { kSimple, kRegex, kRelaxed };
struct ParseStar {
  Span span;
};
struct ParseText {
  std::string text;
  Span span;
};
using ParseItem = std::variant<ParseStar, ParseText, ColumnSpec>;
struct Parse {
  bool filter = false;  // parse-where
  ParseKind kind = ParseKind::kSimple;
  std::string flags;  // of kind=regex
  ExprPtr value;
  std::vector<ParseItem> pattern;
};
struct ParseKv {
  ExprPtr value;
  std::vector<ColumnSpec> columns;
  std::vector<Option> options;  // pair_delimiter, kv_delimiter, quote, escape, greedy, regex
};

enum class ExpandKind : std::uint8_t { kDefault, kBag, kArray };
struct ExpandItem {
  NamedExpr value;
  std::optional<Type> to_type;
};
struct MvExpand {
  ExpandKind kind = ExpandKind::kDefault;
  std::optional<Name> item_index;
  std::vector<ExpandItem> items;
  ExprPtr limit;  // may be null
};
struct MvApply {
  ExpandKind kind = ExpandKind::kDefault;
  std::optional<Name> item_index;
  std::vector<ExpandItem> items;
  ExprPtr limit;  // may be null
  OperatorList body;
};

struct Partition {
  ExprPtr by;
  OperatorList body;     // ( … ): runs over the rows of one key
  PipelinePtr pipeline;  // { … }: a whole pipeline; null otherwise
};
struct Evaluate {
  ExprPtr call;                     // a Call
  std::vector<ColumnSpec> columns;  // of `: (schema)`
  bool keep_others = false;         // `: (*, …)`
};
struct Invoke {
  ExprPtr call;  // a Call; the input is its first argument
};
struct Serialize {
  std::vector<NamedExpr> items;
};

struct ScanColumn {
  ColumnSpec column;
  ExprPtr default_value;  // may be null
};
enum class ScanOutput : std::uint8_t { kAll, kLast, kNone };
struct ScanAssignment {
  Name name;
  ExprPtr value;
};
struct ScanStep {
  Name name;
  bool optional = false;
  ScanOutput output = ScanOutput::kAll;
  ExprPtr condition;
  std::vector<ScanAssignment> assignments;
};
struct Scan {
  std::optional<Name> match_id;
  std::vector<SortKey> order;
  std::vector<NamedExpr> partition;
  std::vector<ScanColumn> declared;
  std::vector<ScanStep> steps;
};

struct Reduce {
  ExprPtr by;
  bool keeps_rows = false;  // kind=source
  std::vector<Option> options;
};
struct Render {
  Name chart;
  std::vector<Option> options;
};
struct Consume {
  std::vector<Option> options;
};
struct ForkBranch {
  std::optional<Name> name;
  OperatorList body;
};
struct Fork {
  std::vector<ForkBranch> branches;
};
struct Facet {
  std::vector<Name> fields;
  OperatorList body;  // of with (…)
};
struct As {
  Name name;
};
struct GetSchema {};
struct Redact {
  std::vector<Option> options;    // replaceToken, replaceHash, redactGroups
  std::vector<ExprPtr> patterns;  // string or dynamic literals, or let-bound names
  std::vector<NamePattern> fields;
};

}  // namespace evq::ast
