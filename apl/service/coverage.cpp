#include "apl/service/coverage.h"

#include <algorithm>

#include "apl/functions/registry.h"
#include "apl/service/language.h"
#include "apl/syntax/operators.h"
#include "store/base/file.h"

namespace evq {
namespace {

// The query that shows an entry at work; empty when there is none.
std::string_view query_of(InventoryKind::Form form, std::string_view entry) {
  switch (form) {
    case InventoryKind::Form::kOperator: {
      const syntax::OperatorInfo* row = syntax::find_operator(entry);
      return row == nullptr ? std::string_view() : row->examples[0].query;
    }
    case InventoryKind::Form::kAggregate: {
      const AggregateFunction* row = find_aggregate(entry);
      return row == nullptr ? std::string_view() : row->examples[0].query;
    }
    case InventoryKind::Form::kFunction: {
      const ScalarFunction* row = find_function(entry);
      return row == nullptr ? std::string_view() : row->examples[0].query;
    }
    case InventoryKind::Form::kExpression:
      for (const ExpressionOperator& row : expression_operators()) {
        if (row.spelling == entry) {
          return row.example.query;
        }
      }
      return {};
    case InventoryKind::Form::kQuery:
      return entry;
  }
  return {};
}

void append_row(std::string_view title, std::size_t working, std::size_t total, std::string* out) {
  constexpr std::size_t kTitleWidth = 32;
  constexpr std::size_t kCountWidth = 5;
  const std::string count = std::to_string(working);
  out->append(title);
  out->append(kTitleWidth - std::min(kTitleWidth, title.size()), ' ');
  out->append(kCountWidth - std::min(kCountWidth, count.size()), ' ').append(count);
  out->append(" / ").append(std::to_string(total)).append("\n");
}

}  // namespace

std::size_t Coverage::total() const {
  std::size_t sum = 0;
  for (const Row& row : rows) {
    sum += row.total();
  }
  return sum;
}

std::size_t Coverage::working() const {
  std::size_t sum = 0;
  for (const Row& row : rows) {
    sum += row.working();
  }
  return sum;
}

std::string Coverage::text() const {
  std::string text;
  for (const bool documented : {true, false}) {
    text += documented ? "Axiom documents\n" : "\nKusto's users expect besides\n";
    for (const Row& row : rows) {
      if (row.kind->documented == documented) {
        append_row("  " + std::string(row.kind->title), row.working(), row.total(), &text);
      }
    }
  }
  text += "\n";
  append_row("in all", working(), total(), &text);
  for (const Row& row : rows) {
    for (const Missing& missing : row.missing) {
      text.append("missing: ").append(missing.entry).append(": ").append(missing.reason) += '\n';
    }
  }
  return text;
}

Result<Coverage> measure_coverage(Service& service, const std::string& directory) {
  constexpr std::string_view kFile = "users.csv";
  const std::string path = directory + "/" + std::string(kFile);
  EVQ_TRY(write_file_atomically(path, "1,ann\n2,bob\n"));
  Coverage coverage;
  for (const InventoryKind& kind : language_inventory()) {
    Coverage::Row row{&kind, {}};
    for (const std::string_view entry : kind.entries) {
      const std::string_view query = query_of(kind.form, entry);
      if (query.empty()) {
        row.missing.push_back({entry, "there is no such row"});
        continue;
      }
      QueryRequest request;
      request.apl = query;
      if (const std::size_t at = request.apl.find(kFile); at != std::string::npos) {
        request.apl.replace(at, kFile.size(), path);
      }
      DroppedAnswer rows;
      const Status done = service.query(request, rows);
      if (!done.ok()) {
        row.missing.push_back({entry, done.error().message});
      }
    }
    coverage.rows.push_back(std::move(row));
  }
  return coverage;
}

}  // namespace evq
