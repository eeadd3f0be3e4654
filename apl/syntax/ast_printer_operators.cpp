// The text of sources and tabular operators.

#include <array>

#include "apl/syntax/ast_text.h"
#include "apl/syntax/words.h"

namespace evq::syntax {

namespace {

struct OperatorText {
  TextWriter& out;

  void sort_keys(const std::vector<ast::SortKey>& keys) const {
    out.add_list(keys, [&](const ast::SortKey& key) {
      out.add_expr(*key.value);
      out.add(key.descending ? " desc" : " asc");
      if (key.nulls != ast::NullsOrder::kDefault) {
        out.add(key.nulls == ast::NullsOrder::kFirst ? " nulls first" : " nulls last");
      }
    });
  }

  void join(std::string_view name, ast::JoinKind kind, const ast::Pipeline& right,
            const std::vector<ast::ExprPtr>& conditions) const {
    out.add(name);
    if (kind != ast::JoinKind::kDefault) {
      out.add(" kind=");
      out.add(ast::join_kind_text(kind));
    }
    out.add(" (");
    out.add_pipeline(right);
    out.add(") on ");
    out.add_list(conditions, [&](const ast::ExprPtr& condition) { out.add_expr(*condition); });
  }

  void expand_items(const std::vector<ast::ExpandItem>& items) const {
    out.add_list(items, [&](const ast::ExpandItem& item) {
      out.add_named(item.value);
      if (item.to_type) {
        out.add(" to typeof(");
        out.add(type_name(*item.to_type));
        out.add(")");
      }
    });
  }

  // What mv-expand and mv-apply have in common.
  template <typename Operator>
  void expansion(std::string_view name, const Operator& op) const {
    constexpr std::array<std::string_view, 3> kKinds = {"", " kind=bag", " kind=array"};
    out.add(name);
    out.add(kKinds[static_cast<std::size_t>(op.kind)]);
    if (op.item_index) {
      out.add(" with_itemindex=");
      out.add_name(*op.item_index);
    }
    out.add(" ");
    expand_items(op.items);
    clause(" limit ", op.limit);
  }

  void clause(std::string_view words, const ast::ExprPtr& value) const {
    if (value) {
      out.add(words);
      out.add_arithmetic(*value);
    }
  }

  void operator()(const ast::Where& op) const {
    out.add("where ");
    out.add_expr(*op.predicate);
  }
  void operator()(const ast::Count& op) const {
    out.add("count");
    if (op.name) {
      out.add(" as ");
      out.add_name(*op.name);
    }
  }
  void operator()(const ast::GetSchema&) const { out.add("getschema"); }
  void operator()(const ast::Distinct& op) const {
    out.add("distinct ");
    out.add_named_list(op.items);
  }
  void operator()(const ast::Extend& op) const {
    out.add(op.keep_invalid ? "extend-valid " : "extend ");
    out.add_named_list(op.items);
  }
  void operator()(const ast::Project& op) const {
    out.add("project ");
    out.add_named_list(op.items);
  }
  void operator()(const ast::ProjectAway& op) const {
    out.add("project-away ");
    out.add_patterns(op.fields);
  }
  void operator()(const ast::ProjectKeep& op) const {
    out.add("project-keep ");
    out.add_patterns(op.fields);
  }
  void operator()(const ast::ProjectRename& op) const {
    out.add("project-rename ");
    out.add_list(op.items, [&](const ast::RenameItem& item) {
      out.add_name(item.to);
      out.add(" = ");
      out.add_pattern(item.from);
    });
  }
  void operator()(const ast::ProjectReorder& op) const {
    constexpr std::array<std::string_view, 5> kDirections = {"", " asc", " desc", " granny-asc",
                                                             " granny-desc"};
    out.add("project-reorder ");
    out.add_list(op.items, [&](const ast::ReorderItem& item) {
      out.add_pattern(item.fields);
      out.add(kDirections[static_cast<std::size_t>(item.direction)]);
    });
  }
  void operator()(const ast::ProjectByNames& op) const {
    out.add("project-by-names ");
    out.add_list(op.names, [&](const ast::ExprPtr& name) { out.add_expr(*name); });
  }
  void operator()(const ast::Limit& op) const { clause("limit ", op.count); }
  void operator()(const ast::Sample& op) const { clause("sample ", op.amount); }
  void operator()(const ast::SampleDistinct& op) const {
    clause("sample-distinct ", op.count);
    out.add(" of ");
    out.add_expr(*op.of);
  }
  void operator()(const ast::Sort& op) const {
    out.add("sort by ");
    sort_keys(op.keys);
  }
  void operator()(const ast::Top& op) const {
    clause("top ", op.count);
    out.add(" by ");
    sort_keys(op.keys);
  }
  void operator()(const ast::TopHitters& op) const {
    clause("top-hitters ", op.count);
    out.add(" of ");
    out.add_expr(*op.of);
    if (op.weight) {
      out.add(" by ");
      out.add_expr(*op.weight);
    }
  }
  void operator()(const ast::TopNested& op) const {
    out.add_list(op.levels, [&](const ast::TopNestedLevel& level) {
      out.add("top-nested");
      clause(" ", level.count);
      out.add(" of ");
      out.add_named(level.of);
      clause(" with others=", level.others);
      out.add(" by ");
      out.add_named(level.by);
      out.add(level.descending ? " desc" : " asc");
    });
  }
  void operator()(const ast::Summarize& op) const {
    out.add(op.aggregates.empty() ? "summarize" : "summarize ");
    out.add_named_list(op.aggregates);
    if (op.has_by) {
      out.add(" by ");
      out.add_named_list(op.groups);
    }
  }
  void operator()(const ast::MakeSeries& op) const {
    out.add(op.non_empty ? "make-series kind=nonempty " : "make-series ");
    out.add_list(op.items, [&](const ast::SeriesItem& item) {
      out.add_named(item.aggregate);
      clause(" default=", item.default_value);
    });
    out.add(" on ");
    if (!op.axis.names.empty()) {
      out.add_name(op.axis.names.front());
      out.add(" = ");
    }
    out.add_arithmetic(*op.axis.value);
    if (op.in_range) {
      clause(" in range(", op.from);
      clause(", ", op.to);
      clause(", ", op.step);
      out.add(")");
    } else {
      clause(" from ", op.from);
      clause(" to ", op.to);
      clause(" step ", op.step);
    }
    if (!op.groups.empty()) {
      out.add(" by ");
      out.add_named_list(op.groups);
    }
  }
  void operator()(const ast::Join& op) const { join("join", op.kind, *op.right, op.conditions); }
  void operator()(const ast::Lookup& op) const {
    join("lookup", op.kind, *op.right, op.conditions);
  }
  void operator()(const ast::Union& op) const { out.add_union(op); }
  void operator()(const ast::Search& op) const { out.add_search(op); }
  void operator()(const ast::Parse& op) const {
    constexpr std::array<std::string_view, 3> kKinds = {"simple", "regex", "relaxed"};
    out.add(op.filter ? "parse-where kind=" : "parse kind=");
    out.add(kKinds[static_cast<std::size_t>(op.kind)]);
    if (!op.flags.empty()) {
      out.add(" flags=" + quote_text(op.flags));
    }
    out.add(" ");
    out.add_arithmetic(*op.value);
    out.add(" with");
    for (const ast::ParseItem& item : op.pattern) {
      out.add(" ");
      if (const auto* text = std::get_if<ast::ParseText>(&item)) {
        out.add(quote_text(text->text));
      } else if (const auto* column = std::get_if<ast::ColumnSpec>(&item)) {
        out.add_name(column->name);
        out.add(":");
        out.add(type_name(column->type));
      } else {
        out.add("*");
      }
    }
  }
  void operator()(const ast::ParseKv& op) const {
    out.add("parse-kv ");
    out.add_arithmetic(*op.value);
    out.add(" as (");
    out.add_columns(op.columns);
    out.add(")");
    if (!op.options.empty()) {
      out.add(" with (");
      out.add_options(op.options, ", ");
      out.add(")");
    }
  }
  void operator()(const ast::MvExpand& op) const { expansion("mv-expand", op); }
  void operator()(const ast::MvApply& op) const {
    expansion("mv-apply", op);
    out.add(" on ");
    out.add_block(op.body);
  }
  void operator()(const ast::Partition& op) const {
    out.add("partition by ");
    out.add_expr(*op.by);
    out.add(" ");
    if (op.pipeline) {
      out.add("{ ");
      out.add_pipeline(*op.pipeline);
      out.add(" }");
      return;
    }
    out.add_block(op.body);
  }
  void operator()(const ast::Evaluate& op) const {
    out.add("evaluate ");
    out.add_expr(*op.call);
    if (op.columns.empty() && !op.keep_others) {
      return;
    }
    out.add(" : (");
    out.add(op.keep_others ? (op.columns.empty() ? "*" : "*, ") : "");
    out.add_columns(op.columns);
    out.add(")");
  }
  void operator()(const ast::Invoke& op) const {
    out.add("invoke ");
    out.add_expr(*op.call);
  }
  void operator()(const ast::Serialize& op) const {
    out.add(op.items.empty() ? "serialize" : "serialize ");
    out.add_named_list(op.items);
  }
  void operator()(const ast::Scan& op) const;
  void operator()(const ast::Reduce& op) const {
    out.add(op.keeps_rows ? "reduce kind=source by " : "reduce by ");
    out.add_expr(*op.by);
    if (!op.options.empty()) {
      out.add(" with (");
      out.add_options(op.options, ", ");
      out.add(")");
    }
  }
  void operator()(const ast::Render& op) const {
    out.add("render ");
    out.add_name(op.chart);
    if (!op.options.empty()) {
      out.add(" with (");
      out.add_options(op.options, ", ");
      out.add(")");
    }
  }
  void operator()(const ast::Consume& op) const {
    out.add(op.options.empty() ? "consume" : "consume ");
    out.add_options(op.options, " ");
  }
  void operator()(const ast::Fork& op) const {
    out.add("fork");
    for (const ast::ForkBranch& branch : op.branches) {
      out.add(" ");
      if (branch.name) {
        out.add_name(*branch.name);
        out.add("=");
      }
      out.add_block(branch.body);
    }
  }
  void operator()(const ast::Facet& op) const {
    out.add("facet by ");
    out.add_list(op.fields, [&](const ast::Name& name) { out.add_name(name); });
    if (!op.body.empty()) {
      out.add(" with ");
      out.add_block(op.body);
    }
  }
  void operator()(const ast::As& op) const {
    out.add("as ");
    out.add_name(op.name);
  }
  void operator()(const ast::Redact& op) const {
    out.add("redact ");
    out.add_options(op.options, " ");
    out.add(op.options.empty() ? "" : " ");
    out.add_list(op.patterns, [&](const ast::ExprPtr& pattern) { out.add_arithmetic(*pattern); });
    if (!op.fields.empty()) {
      out.add(" on ");
      out.add_patterns(op.fields);
    }
  }
};

void OperatorText::operator()(const ast::Scan& op) const {
  constexpr std::array<std::string_view, 3> kOutputs = {"", " output=last", " output=none"};
  out.add("scan");
  if (op.match_id) {
    out.add(" with_match_id=");
    out.add_name(*op.match_id);
  }
  if (!op.order.empty()) {
    out.add(" order by ");
    sort_keys(op.order);
  }
  if (!op.partition.empty()) {
    out.add(" partition by ");
    out.add_named_list(op.partition);
  }
  if (!op.declared.empty()) {
    out.add(" declare (");
    out.add_list(op.declared, [&](const ast::ScanColumn& item) {
      out.add_name(item.column.name);
      out.add(":");
      out.add(type_name(item.column.type));
      clause(" = ", item.default_value);
    });
    out.add(")");
  }
  out.add(" with (");
  for (const ast::ScanStep& step : op.steps) {
    out.add("step ");
    out.add_name(step.name);
    out.add(step.optional ? " optional" : "");
    out.add(kOutputs[static_cast<std::size_t>(step.output)]);
    out.add(": ");
    out.add_expr(*step.condition);
    out.add(step.assignments.empty() ? "" : " => ");
    out.add_list(step.assignments, [&](const ast::ScanAssignment& assignment) {
      out.add_name(assignment.name);
      out.add(" = ");
      out.add_expr(*assignment.value);
    });
    out.add("; ");
  }
  out.add(")");
}

struct SourceText {
  TextWriter& out;

  void columns(std::string_view word, const std::vector<ast::ColumnSpec>& columns) const {
    out.add(word);
    out.add(" (");
    out.add_columns(columns);
    out.add(") [");
  }

  void operator()(const ast::TableRef& source) const { out.add_pattern(source.name); }
  void operator()(const ast::Print& source) const {
    out.add("print ");
    out.add_named_list(source.items);
  }
  void operator()(const ast::Range& source) const {
    out.add("range ");
    out.add_name(source.column);
    out.add(" from ");
    out.add_arithmetic(*source.from);
    out.add(" to ");
    out.add_arithmetic(*source.to);
    out.add(" step ");
    out.add_arithmetic(*source.step);
  }
  void operator()(const ast::Datatable& source) const {
    columns("datatable", source.columns);
    out.add_list(source.values, [&](const ast::ExprPtr& value) { out.add_expr(*value); });
    out.add("]");
  }
  void operator()(const ast::ExternalData& source) const {
    columns("externaldata", source.columns);
    out.add_list(source.locations, [&](const ast::ExprPtr& value) { out.add_expr(*value); });
    out.add("]");
    if (!source.options.empty()) {
      out.add(" with (");
      out.add_options(source.options, ", ");
      out.add(")");
    }
  }
  void operator()(const ast::Union& source) const { out.add_union(source); }
  void operator()(const ast::Search& source) const { out.add_search(source); }
  void operator()(const ast::Find& source) const {
    out.add("find ");
    if (source.with_source) {
      out.add("withsource=");
      out.add_name(*source.with_source);
      out.add(" ");
    }
    if (!source.tables.empty()) {
      out.add("in (");
      out.add_tables(source.tables);
      out.add(") ");
    }
    out.add("where ");
    out.add_expr(*source.predicate);
    out.add(source.smart ? " project-smart" : "");
    if (!source.columns.empty() || source.pack_rest) {
      out.add(" project ");
      out.add_columns(source.columns);
      out.add(source.pack_rest ? source.columns.empty() ? "pack_all()" : ", pack_all()" : "");
    }
    if (!source.away.empty()) {
      out.add(" project-away ");
      out.add_patterns(source.away);
    }
  }
  void operator()(const ast::CallSource& source) const { out.add_expr(*source.call); }
  void operator()(const ast::NestedSource& source) const {
    out.add("(");
    out.add_pipeline(*source.pipeline);
    out.add(")");
  }
};

}  // namespace

void TextWriter::add_operator(const ast::Operator& op) {
  std::visit(OperatorText{*this}, op.node);
}

void TextWriter::add_source(const ast::SourceNode& source) {
  std::visit(SourceText{*this}, source);
}

void TextWriter::add_union(const ast::Union& node) {
  add("union ");
  if (node.kind != ast::UnionKind::kDefault) {
    add(node.kind == ast::UnionKind::kInner ? "kind=inner " : "kind=outer ");
  }
  if (node.with_source) {
    add("withsource=");
    add_name(*node.with_source);
    add(" ");
  }
  add(node.is_fuzzy ? "isfuzzy=true " : "");
  add_tables(node.tables);
}

void TextWriter::add_search(const ast::Search& node) {
  add("search ");
  if (node.kind != ast::SearchKind::kDefault) {
    add(node.kind == ast::SearchKind::kCaseSensitive ? "kind=case_sensitive "
                                                     : "kind=case_insensitive ");
  }
  if (!node.tables.empty()) {
    add("in (");
    add_tables(node.tables);
    add(") ");
  }
  add_expr(*node.predicate);
}

}  // namespace evq::syntax
