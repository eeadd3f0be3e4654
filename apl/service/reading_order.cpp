#include "apl/service/reading_order.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

#include "store/block/format.h"

namespace evq {
namespace {

// Operators whose rows are no events any more; their order says nothing of that of the events.
bool makes_other_rows(const ast::OperatorNode& node) {
  return std::holds_alternative<ast::Summarize>(node) || std::holds_alternative<ast::Count>(node) ||
         std::holds_alternative<ast::Distinct>(node) ||
         std::holds_alternative<ast::MakeSeries>(node) ||
         std::holds_alternative<ast::TopNested>(node) ||
         std::holds_alternative<ast::TopHitters>(node);
}

const std::vector<ast::SortKey>* sort_keys(const ast::OperatorNode& node) {
  if (const auto* sort = std::get_if<ast::Sort>(&node)) {
    return &sort->keys;
  }
  const auto* top = std::get_if<ast::Top>(&node);
  return top != nullptr ? &top->keys : nullptr;
}

class ReadingOrder {
 public:
  ReadingOrder(const ast::Query& query, bool otherwise) : query_(query), otherwise_(otherwise) {}

  // `statements`: so many of the query's are known to the pipeline.
  bool descending(const ast::Pipeline& pipeline, std::size_t statements) const {
    for (auto op = pipeline.operators.rbegin(); op != pipeline.operators.rend(); ++op) {
      if (makes_other_rows(op->node)) {
        return otherwise_;
      }
      const std::vector<ast::SortKey>* keys = sort_keys(op->node);
      if (keys != nullptr && !keys->empty()) {
        const auto* field = std::get_if<ast::FieldRef>(&keys->front().value->node);
        const bool by_time = field != nullptr && field->name.text == kTimeField;
        return by_time ? keys->front().descending : otherwise_;
      }
    }
    if (const auto* nested = std::get_if<ast::NestedSource>(&pipeline.source)) {
      return descending(*nested->pipeline, statements);
    }
    if (const auto* table = std::get_if<ast::TableRef>(&pipeline.source)) {
      return table->name.is_wild() ? otherwise_ : descending(table->name.text(), statements);
    }
    const auto* source = std::get_if<ast::CallSource>(&pipeline.source);
    const auto* call = source != nullptr ? std::get_if<ast::Call>(&source->call->node) : nullptr;
    return call != nullptr ? descending(call->function.text, statements) : otherwise_;
  }

 private:
  // Of what a let calls `name`: a table or a function that gives one.
  bool descending(std::string_view name, std::size_t statements) const {
    while (statements > 0) {
      const auto* let = std::get_if<ast::Let>(&query_.statements[--statements]);
      if (let == nullptr || let->name.text != name) {
        continue;
      }
      const auto* lambda = std::get_if<std::unique_ptr<ast::Lambda>>(&let->value);
      const ast::LetValue& value = lambda != nullptr ? (*lambda)->body : let->value;
      if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&value)) {
        return descending(**pipeline, statements);
      }
      const auto* expr = std::get_if<ast::ExprPtr>(&value);
      return expr != nullptr ? descending(**expr, statements) : otherwise_;
    }
    return otherwise_;
  }

  bool descending(const ast::Expr& table, std::size_t statements) const {
    if (const auto* subquery = std::get_if<ast::Subquery>(&table.node)) {
      return descending(*subquery->pipeline, statements);
    }
    if (const auto* field = std::get_if<ast::FieldRef>(&table.node)) {
      return descending(field->name.text, statements);
    }
    const auto* call = std::get_if<ast::Call>(&table.node);
    if (call == nullptr) {
      return otherwise_;
    }
    const bool kept = call->function.text == "materialize" && call->arguments.size() == 1;
    return kept ? descending(*call->arguments[0].value, statements)
                : descending(call->function.text, statements);
  }

  const ast::Query& query_;
  const bool otherwise_;
};

}  // namespace

bool reads_descending(const ast::Query& query, bool otherwise) {
  return query.pipelines.empty() ? otherwise
                                 : ReadingOrder(query, otherwise)
                                       .descending(*query.pipelines[0], query.statements.size());
}

}  // namespace evq
