#include "apl/service/completion.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "apl/functions/registry.h"
#include "apl/plan/bind.h"
#include "apl/plan/plugins.h"
#include "apl/service/completion_place.h"
#include "apl/service/completion_values.h"
#include "apl/service/known_tables.h"
#include "apl/service/typed_mistake.h"
#include "apl/syntax/expectations.h"
#include "apl/syntax/lexer.h"
#include "apl/syntax/operators.h"
#include "apl/syntax/parser.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/memory_budget.h"
#include "store/base/utf8.h"
#include "store/block/format.h"

namespace evq {
namespace {

using syntax::Expectations;
using syntax::Expected;

// geo.city as it is, anything less plain in brackets.
std::string quoted_path(std::string_view name) {
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    if (!syntax::is_plain_name(name.substr(begin, end - begin))) {
      return syntax::quote_name(name);
    }
    begin = end + 1;
  }
  return std::string(name);
}

// Where the text is cut for what may follow: before the dot that a key is to stand behind, for the
// grammar takes any key there.
std::size_t expected_at(const Partial& partial) {
  const bool dotted = partial.quote == '\0' && !partial.object.empty();
  return partial.begin - (dotted ? 1 : 0);
}

class Search {
 public:
  Search(std::string_view text, std::size_t cursor, KnownTables& tables, FieldValues& values,
         const QueryControl& control)
      : text_(text.substr(0, cursor)),
        next_(cursor < text.size() ? text[cursor] : '\0'),
        tables_(tables),
        values_(values),
        control_(control),
        partial_(partial_at(text_)),
        found_(syntax::expectations_at_end(text_.substr(0, expected_at(partial_)))) {}

  CompletionAnswer run() {
    const bool in_text = partial_.quote != '\0' && !partial_.bracketed;
    const bool number = !partial_.typed.empty() && is_digit(partial_.typed[0]) && !in_text;
    if (!found_.compared_field.empty() && !partial_.bracketed && partial_.object.empty()) {
      add_values();
    }
    if (!partial_.object.empty()) {
      add_members();
    }
    const bool language = !in_text && !number && !partial_.bracketed && partial_.object.empty();
    const bool aggregates = language && found_.aggregates && found_.expects(Expected::kExpression);
    // After summarize itself, fields alone mean nothing.
    const bool aggregates_first = aggregates && found_.function.empty();
    if (aggregates_first) {
      add_aggregates();
    }
    const bool source = found_.expects(Expected::kSource) || found_.expects(Expected::kTable);
    if (number && source && !found_.expects(Expected::kExpression) && partial_.object.empty()) {
      add_datasets();
    }
    if (!in_text && !number && partial_.object.empty()) {
      add_names();
    }
    if (aggregates && !aggregates_first) {
      add_aggregates();
    }
    if (language) {
      add_language();
    }
    CompletionAnswer answer;
    answer.begin = partial_.begin;
    answer.end = text_.size();
    if (!partial_.in_comment) {
      answer.note = tables_.failure().empty() ? limit_note_ : tables_.failure();
      answer.candidates = best(answer.note.empty());
    }
    return answer;
  }
  // `behind` stands behind the cursor. Where the word goes on in it, as in sta|tus, and there are
  // candidates that end as it does, those are meant, with that end.
  void take_tail(std::string_view behind, CompletionAnswer* answer) const {
    const std::string_view tail = tail_of(behind);
    const auto ends_there = [&](const Candidate& each) {
      return each.name.size() >= partial_.typed.size() + tail.size() && each.name.ends_with(tail);
    };
    if (tail.empty() || partial_.typed.empty() ||
        std::ranges::none_of(answer->candidates, ends_there)) {
      return;
    }
    std::erase_if(answer->candidates, [&](const Candidate& each) { return !ends_there(each); });
    answer->end += tail.size();
    const char next = tail.size() < behind.size() ? behind[tail.size()] : '\0';
    for (Candidate& each : answer->candidates) {
      const std::size_t size = each.replacement.find_last_not_of(next == '(' ? "()" : " ") + 1;
      each.replacement.resize(next == '(' || next == ' ' ? size : each.replacement.size());
    }
  }
  // The closing quote and bracket that the editor may already show behind the cursor.
  bool quoted() const { return partial_.quote != '\0'; }

 private:
  std::string_view tail_of(std::string_view behind) const {
    std::size_t end = 0;
    if (partial_.quote != '\0') {
      end = behind.find_first_of(std::string{partial_.quote, '\n'});
      return end != std::string_view::npos && behind[end] != '\n' ? behind.substr(0, end)
                                                                  : std::string_view();
    }
    while (end < behind.size() &&
           (is_name_byte(behind[end]) ||
            (behind[end] == '.' && end + 1 < behind.size() && is_name_byte(behind[end + 1])))) {
      ++end;
    }
    return behind.substr(0, end);
  }

  void add(CandidateKind kind, std::string name, std::string replacement, std::string signature,
           std::string_view doc) {
    candidates_.push_back(
        {kind, std::move(name), std::move(replacement), std::move(signature), std::string(doc)});
  }

  void add_names() {
    const bool source = found_.expects(Expected::kSource) || found_.expects(Expected::kTable) ||
                        found_.expects(Expected::kStatement);
    const bool value = found_.expects(Expected::kExpression) || found_.expects(Expected::kField);
    if (value) {
      for (const Field& field : fields()) {
        add(CandidateKind::kField, field.name, quoted_path(field.name),
            std::string(type_name(field.type)), "");
      }
    }
    if (source) {
      add_datasets();
    }
    if (source || value) {
      add_let_names();
    }
  }

  void add_datasets() {
    const auto names = tables_.table_names();
    if (!names.ok()) {
      return;  // the tables have noted why
    }
    for (const std::string& name : *names) {
      add(CandidateKind::kDataset, name, syntax::quote_name(name), "dataset", "");
    }
  }

  // The keys of an object that fields are known of.
  void add_members() {
    const std::string prefix = partial_.object + ".";
    std::string before;
    for (const Field& field : fields()) {
      if (field.name.starts_with(prefix)) {
        const std::size_t end = std::min(field.name.find('.', prefix.size()), field.name.size());
        const std::string key = field.name.substr(prefix.size(), end - prefix.size());
        if (key != before) {
          const bool whole = end == field.name.size();
          const bool quoted = partial_.quote != '\0';
          if (quoted || syntax::is_plain_name(key)) {  // a dot takes no others
            add(CandidateKind::kField, key, quoted ? syntax::quote_text(key) + "]" : key,
                whole ? std::string(type_name(field.type)) : "", "");
          }
        }
        before = key;
      }
    }
  }

  void add_let_names() {
    const auto query =
        syntax::parse(std::string(text_.substr(0, found_.statement_begin)) + " print 0", 0);
    if (!query.ok()) {
      return;
    }
    std::set<std::string_view> seen;
    for (const ast::Statement& statement : query->statements) {
      const auto* let = std::get_if<ast::Let>(&statement);
      if (let != nullptr && seen.insert(let->name.text).second) {
        add(CandidateKind::kName, let->name.text, syntax::quote_name(let->name.text), "let", "");
      }
    }
  }

  void add_language() {
    if (found_.expects(Expected::kOperator)) {
      add_operators(true);
    }
    if (found_.expects(Expected::kSource) || found_.expects(Expected::kStatement)) {
      add_operators(false);
    }
    for (const std::string_view option : found_.options) {
      add(CandidateKind::kKeyword, std::string(option) + "=", std::string(option) + "=", "option",
          "");
    }
    for (const std::string_view word : found_.words) {
      add(CandidateKind::kKeyword, std::string(word), std::string(word) + blank(), "keyword", "");
    }
    const bool negated = partial_.typed.starts_with('!');
    for (const std::string_view op : found_.infix) {
      const bool bare = !negated || op[0] == '!' || !is_name_byte(op[0]);
      const std::string name = (bare ? "" : "!") + std::string(op);
      add(CandidateKind::kKeyword, name, name + blank(), "operator", "");
    }
    if (found_.expects(Expected::kPlugin)) {
      for (const std::string_view plugin : plan::plugin_names()) {
        add(CandidateKind::kFunction, std::string(plugin), call(plugin, 1), "plugin", "");
      }
    }
    if (found_.expects(Expected::kType)) {
      for (const Type type : {Type::kBool, Type::kDatetime, Type::kDynamic, Type::kLong,
                              Type::kReal, Type::kString, Type::kTimespan}) {
        add(CandidateKind::kType, std::string(type_name(type)), std::string(type_name(type)),
            "type", "");
      }
    }
    if (found_.expects(Expected::kExpression)) {
      add_functions();
    }
  }

  // `piped`: those that may follow a pipe; else the words that begin a query.
  void add_operators(bool piped) {
    for (const syntax::OperatorInfo& row : syntax::all_operators()) {
      if (piped ? row.parse == nullptr : row.syntax.starts_with("T |")) {
        continue;
      }
      const bool bare = row.syntax.ends_with("| " + std::string(row.name));
      const auto name_and_blank = [&](std::string_view name) {
        return std::string(name) + (bare ? std::string() : blank());
      };
      add(CandidateKind::kOperator, std::string(row.name), name_and_blank(row.name),
          std::string(row.syntax), row.summary);
      for (const std::string_view alias : row.aliases) {
        if (!alias.empty() && !partial_.typed.empty()) {
          add(CandidateKind::kOperator, std::string(alias), name_and_blank(alias),
              std::string(row.syntax), row.summary);
        }
      }
    }
  }

  void add_aggregates() {
    for (const AggregateFunction* row : all_aggregates()) {
      add(CandidateKind::kAggregate, std::string(row->name), call(row->name, row->arguments_max),
          signature(*row), row->summary);
    }
  }

  void add_functions() {
    std::vector<const ScalarFunction*> functions = all_functions();
    std::ranges::sort(functions, {}, &ScalarFunction::name);
    for (const ScalarFunction* row : functions) {
      add(CandidateKind::kFunction, std::string(row->name),
          call(row->name, argument_count(*row).max), signature(*row), row->summary);
    }
  }

  void add_values() {
    const PipelinesBeforeEnd pipelines(text_, found_);
    if (pipelines.size() == 0) {
      return;
    }
    const auto query = syntax::parse(pipelines.text(pipelines.size() - 1), 0);  // the source alone
    if (!query.ok()) {
      return;
    }
    const auto plan = bind(*query);
    if (!plan.ok() || plan->datasets.size() != 1) {
      return;
    }
    const auto field = plan->root->schema.find(found_.compared_field);
    if (!field.has_value()) {
      return;
    }
    const Type type = plan->root->schema[*field].type;
    for (const FieldValue& value : values_.find(plan->datasets[0], found_.compared_field, type)) {
      if (type == Type::kString) {
        const bool keeps_quote =
            partial_.quote == '"' && value.text.find_first_of("\"\\\n\r\t") == std::string::npos;
        add(CandidateKind::kValue, value.text,
            keeps_quote ? "\"" + value.text + "\"" : syntax::quote_text(value.text), value.share,
            "");
      } else if (partial_.quote == '\0') {
        add(CandidateKind::kValue, value.text, value.text, value.share, "");
      }
    }
  }

  // The fields at the end of the text; operators that do not bind are passed over.
  std::vector<Field> fields() {
    const PipelinesBeforeEnd pipelines(text_, found_);
    for (std::size_t i = 0; i < std::min(pipelines.size(), kPipelinesTriedMax) && !is_late(); ++i) {
      const auto query = syntax::parse(pipelines.text(i), 0);
      if (!query.ok()) {
        continue;
      }
      const auto plan = bind(*query);
      if (!plan.ok()) {
        continue;
      }
      std::vector<Field> fields;
      for (const Field& field : plan->root->schema.fields()) {
        if (!plan::is_hidden(field.name)) {
          fields.push_back(field);
        }
      }
      // Few ask for it, and it would be the first.
      std::stable_partition(fields.begin(), fields.end(),
                            [](const Field& field) { return field.name != kSysTimeField; });
      return fields;
    }
    return {};
  }

  Result<plan::Plan> bind(const ast::Query& query) {
    MemoryLease held(&budget_, "completion");
    plan::BindOptions options;
    options.context.control = &control_;
    options.held = &held;
    Result<plan::Plan> plan = plan::bind_query(query, tables_, options);
    if (!plan.ok() && !is_late() && plan.error().code == ErrorCode::kLimit) {
      limit_note_ = plan.error().message;
    }
    return plan;
  }
  // Whether the time is over, which is noted: something may be missing then.
  bool is_late() {
    const bool late = control_.should_stop();
    if (late) {
      limit_note_ = "the fields take too long to find out";
    }
    return late;
  }

  std::string blank() const { return next_ == ' ' ? "" : " "; }
  std::string call(std::string_view name, std::size_t arguments_max) const {
    const std::string_view rest = next_ == '(' ? "" : arguments_max == 0 ? "()" : "(";
    return std::string(name) + std::string(rest);
  }

  // Names that begin with what is typed; when there are none, names that contain it. Those are a
  // guess, and a wrong one where the name that is meant could not be found out. `all`: none are
  // missing.
  std::vector<Candidate> best(bool all) {
    const std::string typed = fold_case(partial_.typed);
    std::vector<Candidate> starting;
    std::vector<Candidate> containing;
    for (Candidate& candidate : candidates_) {
      const std::size_t at = fold_case(candidate.name).find(typed);
      if (at == 0) {
        starting.push_back(std::move(candidate));
      } else if (at != std::string::npos) {
        containing.push_back(std::move(candidate));
      }
    }
    return starting.empty() && all ? containing : starting;
  }

  const std::string_view text_;
  const char next_;
  KnownTables& tables_;
  FieldValues& values_;
  const QueryControl& control_;
  const Partial partial_;
  const Expectations found_;
  MemoryBudget budget_{kCompletionMemoryBytesMax};
  std::string limit_note_;  // why fields are missing; may be empty
  std::vector<Candidate> candidates_;
};

template <class Row>
std::string help_of(const Row& row, std::size_t argument) {
  std::string text = signature(row);
  std::size_t last = 0;
  while (last + 1 < row.params.size() && !row.params[last + 1].name.empty()) {
    ++last;
  }
  const ParameterDoc& param = row.params[std::min(argument, last)];
  if (!param.name.empty()) {
    text.append("  ").append(param.name).append(": ").append(param.description);
  }
  return text;
}

}  // namespace

std::string_view candidate_kind_name(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::kDataset:
      return "dataset";
    case CandidateKind::kOperator:
      return "operator";
    case CandidateKind::kFunction:
      return "function";
    case CandidateKind::kAggregate:
      return "aggregate";
    case CandidateKind::kField:
      return "field";
    case CandidateKind::kValue:
      return "value";
    case CandidateKind::kKeyword:
      return "keyword";
    case CandidateKind::kType:
      return "type";
    case CandidateKind::kName:
      return "name";
  }
  return "";
}

CandidateKind find_candidate_kind(std::string_view name) {
  for (int kind = 0; kind <= static_cast<int>(CandidateKind::kName); ++kind) {
    if (candidate_kind_name(static_cast<CandidateKind>(kind)) == name) {
      return static_cast<CandidateKind>(kind);
    }
  }
  return CandidateKind::kKeyword;
}

struct Completer::State {
  explicit State(CompletionSource& source) : tables(source), values(source) {}
  KnownTables tables;
  FieldValues values;
};

Completer::Completer(CompletionSource& source) : state_(std::make_unique<State>(source)) {}
Completer::~Completer() = default;

CompletionAnswer Completer::complete(std::string_view text, std::size_t cursor,
                                     QueryControl* control) {
  state_->tables.expire();
  cursor = std::min(cursor, text.size());
  QueryControl own;
  QueryControl& used = control != nullptr ? *control : own;
  used.shorten(kCompletionMsMax);
  Search search(text, cursor, state_->tables, state_->values, used);
  CompletionAnswer answer = search.run();
  search.take_tail(text.substr(cursor), &answer);
  if (search.quoted()) {
    for (const char close : {'\'', '"', ']'}) {
      answer.end += answer.end < text.size() && text[answer.end] == close ? 1U : 0U;
    }
  }
  return answer;
}

std::optional<Error> Completer::mistake(std::string_view text) {
  state_->tables.expire();
  QueryControl control(kCompletionMsMax);
  return typed_mistake(text, state_->tables, control);
}

std::string call_help(std::string_view text) {
  const Partial partial = partial_at(text);
  const Expectations found = syntax::expectations_at_end(text.substr(0, partial.begin));
  if (found.function.empty()) {
    return {};
  }
  const AggregateFunction* aggregate = find_aggregate(found.function);
  const ScalarFunction* function = find_function(found.function);
  if (aggregate != nullptr && (found.aggregates || function == nullptr)) {
    return help_of(*aggregate, found.argument);
  }
  return function != nullptr ? help_of(*function, found.argument) : std::string();
}

}  // namespace evq
