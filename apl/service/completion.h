#pragma once
// Completer: what may be written at a place of a query, for prompts, editors and the HTTP API. The
// grammar's part comes from the parser itself (apl/syntax/expectations.h), names and documentation
// from the tables of operators and functions, fields and their types from binding the part of the
// query before the place, and values from a sample of the newest events; data is asked for through
// a CompletionSource.
//
// What the source told is kept for a short while, so that pressing a key again is quick. One thread
// at a time; the source must outlive the completer. Nothing here fails: what cannot be found out,
// or not within kCompletionMsMax and kCompletionMemoryBytesMax, is left out, and a note says so.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/completion_source.h"
#include "store/base/error.h"

namespace evq {

enum class CandidateKind : std::uint8_t {
  kDataset,
  kOperator,
  kFunction,
  kAggregate,
  kField,
  kValue,
  kKeyword,
  kType,
  kName,  // bound by let
};
// Returns "dataset", "operator", …
std::string_view candidate_kind_name(CandidateKind kind);
// Finds a kind by that name; kKeyword for other names.
CandidateKind find_candidate_kind(std::string_view name);

struct Candidate {
  CandidateKind kind = CandidateKind::kKeyword;
  std::string name;
  std::string replacement;  // the name with the quotes, bracket or blank that belong to it
  std::string signature;    // a field's type, f(a, b), an operator's syntax; may be empty
  std::string doc;          // one sentence; may be empty
};

struct CompletionAnswer {
  std::size_t begin = 0;  // the bytes of the text that a replacement takes the place of
  std::size_t end = 0;
  std::vector<Candidate> candidates;  // best first
  // Why names or fields are missing: "no dataset 'wbe'"; empty when none are.
  std::string note;
};

class Completer {
 public:
  explicit Completer(CompletionSource& source);
  ~Completer();

  // Completes the text at `cursor`, a byte offset into it; past its end it counts as the end.
  // `control`, which may be null, ends the search as well as its time does.
  CompletionAnswer complete(std::string_view text, std::size_t cursor,
                            QueryControl* control = nullptr);
  // Returns the mistake in a text that is still being typed, if any (typed_mistake.h).
  std::optional<Error> mistake(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Describes the call that the end of the text lies in, by its signature and the meaning of the
// argument there: "bin(value, size)  size: width of a bin"; empty elsewhere.
std::string call_help(std::string_view text);

}  // namespace evq
