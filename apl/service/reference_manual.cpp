// evq-apl(7), from the same tables as evq help.

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "apl/functions/registry.h"
#include "apl/service/language.h"
#include "apl/service/reference.h"
#include "apl/syntax/operators.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// Text as roff takes it: no line may begin with a control character.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out.push_back(c);
    }
    line_begins = c == '\n';
  }
  return out;
}

// Appends one paragraph a block between empty lines.
void append_paragraphs(std::string_view text, std::string* page) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    page->append(begin == 0 ? "" : ".PP\n").append(escaped(text.substr(begin, end - begin)));
    page->append("\n");
    begin = end + 2;
  }
}

void append_page_example(std::string_view query, std::string_view answer, std::string* page) {
  if (query.empty()) {
    return;
  }
  page->append(".IP\n.nf\n").append(escaped(query)).append("\n");
  if (!answer.empty()) {
    std::size_t begin = 0;
    while (begin <= answer.size()) {
      const std::size_t end = std::min(answer.find('\n', begin), answer.size());
      page->append("    ").append(escaped(answer.substr(begin, end - begin))).append("\n");
      begin = end + 1;
    }
  }
  page->append(".fi\n");
}

void append_entry(std::string_view head, std::string_view text, std::string* page) {
  page->append(".TP\n.B ").append(escaped(head)).append("\n").append(escaped(text)).append("\n");
}

template <class Row>
void append_function(const Row& row, std::string* page) {
  append_entry(signature(row), row.summary, page);
  for (const ParameterDoc& param : row.params) {
    if (!param.name.empty()) {
      page->append(".br\n.I ").append(escaped(param.name)).append("\n");
      page->append(escaped(param.description)).append("\n");
    }
  }
  if (!row.returns.empty()) {
    page->append(".br\nReturns: ").append(escaped(row.returns)).append("\n");
  }
  for (const std::string_view alias : row.aliases) {
    if (!alias.empty()) {
      page->append(".br\nAlso ").append(escaped(alias)).append("().\n");
    }
  }
  append_page_example(row.examples[0].query, row.examples[0].result, page);
}

void append_operators(std::string* page) {
  *page += ".SH OPERATORS\nEach takes the rows that come through the pipe.\n";
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    append_entry(row.syntax, std::string(row.summary) + ".", page);
    page->append(escaped(operator_description(row))).append("\n");
    append_page_example(row.examples[0].query, row.examples[0].answer, page);
  }
  *page +=
      ".SH OPERATORS OF EXPRESSIONS\n"
      "From the strongest: access, sign, * / %, + \\-, comparisons and tests of texts (one "
      "level), and, or.\nnot(x) is a function.\n";
  for (const ExpressionOperator& row : expression_operators()) {
    append_entry(row.spelling, row.summary, page);
    append_page_example(row.example.query, row.example.result, page);
  }
}

void append_functions(std::string* page) {
  *page += ".SH AGGREGATES\nFor summarize and its kin.\n";
  for (const AggregateFunction* row : all_aggregates()) {
    append_function(*row, page);
  }
  std::map<std::string_view, std::vector<const ScalarFunction*>> categories;
  for (const ScalarFunction* row : all_functions()) {
    categories[row->category].push_back(row);
  }
  *page += ".SH FUNCTIONS\nIn brackets stands what may be left out.\n";
  for (const auto& [category, rows] : categories) {
    page->append(".SS ").append(escaped(category)).append("\n");
    for (const ScalarFunction* row : rows) {
      append_function(*row, page);
    }
  }
}

void append_differences(std::string_view title, std::span<const LanguageDifference> rows,
                        std::string* page) {
  page->append(".SH ").append(title).append("\n");
  for (const LanguageDifference& row : rows) {
    append_entry(row.subject, row.here, page);
  }
}

}  // namespace

std::string render_language_manual() {
  std::string page =
      ".TH EVQ\\-APL 7 \"\" \"evq " EVQ_VERSION
      "\" \"evq manual\"\n"
      ".SH NAME\nevq\\-apl \\- the query language of evq\n"
      ".SH DESCRIPTION\n"
      "evq speaks APL, Axiom's Processing Language, and what Kusto's users expect besides.\n"
      ".B evq help NAME\n"
      "shows one entry of this page. An example stands above what it answers: of an operator a "
      "header\nof names and types and then the rows, else the cells alone.\n";
  for (const LanguageTopic& topic : language_topics()) {
    page.append(".SH ").append(escaped(to_upper(topic.title))).append("\n");
    append_paragraphs(topic.text, &page);
    for (const Example& example : topic.examples) {
      append_page_example(example.query, example.result, &page);
    }
  }
  append_operators(&page);
  append_functions(&page);
  append_differences("DIFFERENCES FROM AXIOM", axiom_differences(), &page);
  append_differences("DIFFERENCES FROM KUSTO", kusto_differences(), &page);
  page += ".SH SEE ALSO\n.BR evq (1),\n.BR evq\\-http (7)\n";
  return page;
}

}  // namespace evq
