#pragma once
// Expectations: what may stand at the end of an unfinished text. The parser finds out by itself: it
// runs over the text, and whatever it asks for at the end ("a word `by`?", "an expression?") is
// noted. So completion knows exactly the grammar that parses, without a second description of it.
// Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evq::syntax {

enum class Expected : std::uint8_t {
  kStatement,   // the beginning of a query: a source, or let, set, declare
  kSource,      // a dataset, or a word such as print
  kTable,       // a dataset
  kOperator,    // after a pipe
  kExpression,  // a value: fields, functions, literals
  kField,       // the name of a field
  kType,
  kPlugin,  // of evaluate
};

// A pipeline that the end of the text lies in. A block, as in mv-apply … on ( … ), works on the
// rows of the pipeline around it.
struct PipelineScope {
  bool is_block = false;
  std::size_t begin = 0;               // of its text
  std::vector<std::size_t> operators;  // where the name of each operator begins
};

struct Expectations {
  std::vector<Expected> kinds;            // each once
  std::vector<std::string_view> words;    // of the grammar: "by", "asc"; static storage, as are
  std::vector<std::string_view> infix;    // operators behind a whole expression: "==", "has"
  std::vector<std::string_view> options;  // names that an equals sign follows: "kind"
  bool aggregates = false;                // an expression here may aggregate, as after summarize
  // The field that the value at the end is compared with; empty when there is none.
  std::string compared_field;
  // The innermost call that the end lies in and the number of the argument there; may be empty.
  std::string function;
  std::size_t argument = 0;
  std::size_t statement_begin = 0;
  std::vector<PipelineScope> scopes;  // outermost first

  bool expects(Expected kind) const;
};

// Finds what may stand at the end. An operator with a mistake is passed over when another one
// follows it; after any other mistake nothing is expected.
Expectations expectations_at_end(std::string_view text);

// Collects expectations while a text is parsed; the cursor's companion.
class ExpectationRecorder {
 public:
  // Notes what may stand at the end of the text; pipelines that are open now are those around it.
  void note(Expected kind);
  void note_word(std::string_view word);
  void note_infix(std::string_view word);
  void note_option(std::string_view name);
  void note_call(std::string_view function, std::size_t argument);
  void note_compared(std::string field);

  void begin_statement(std::size_t begin);
  void enter_pipeline(std::size_t begin);
  void enter_block(std::size_t begin);
  void begin_operator(std::size_t begin);
  void allow_aggregates(bool allowed) { aggregates_ = allowed; }
  void leave() { live_.pop_back(); }

  Expectations take() { return std::move(found_); }

 private:
  void reach_end();

  bool reached_ = false;
  bool aggregates_ = false;
  std::size_t statement_begin_ = 0;
  std::vector<PipelineScope> live_;
  Expectations found_;
};

}  // namespace evq::syntax
