#pragma once
// Completion in the user's shell: `evq completion SHELL` prints a small fixed script, which calls
// `evq __complete WORD…` for each completion, so that what is offered is always what this evq takes
// and what the store holds. One candidate a line, a tab, its meaning; the line ":files" asks the
// shell for names of files.

#include <string>
#include <vector>

#include "cli/options.h"

namespace evq {

// The candidates at the cursor, as the tree of options knows them.
struct CompletionPlan {
  struct Candidate {
    std::string text;
    std::string meaning;
    std::string name;  // which may be typed to get the text, where that has quotes around it
  };
  std::string before;  // what is typed in front of them in the same word: "--output="
  std::vector<Candidate> candidates;
  bool datasets = false;
  bool in_query = false;  // datasets as a query writes them
  bool saved_queries = false;
  bool topics = false;  // names of the language
  bool files = false;
};

// Prints the candidates that `prefix`, the word that is typed, may become; errors offer nothing.
int run_complete(const GlobalOptions& global, const CompletionPlan& plan,
                 const std::string& prefix);

}  // namespace evq
