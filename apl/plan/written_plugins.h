#pragma once
// Plugins of evaluate that are written in the language itself: their calls are checked and become
// operators over the columns and constants that they name. What is wrong with those is told at the
// call, never in the text that stands for it.

#include <string>
#include <vector>

#include "apl/plan/binder.h"

namespace evq::plan {

struct WrittenCall {
  Relation input;                  // the columns that the text reads
  ast::Query text;                 // its operators
  std::vector<std::string> names;  // of the columns that they make
};

// The call must be of such a plugin; lower_evaluate.cpp lists all plugins.
Result<WrittenCall> write_plugin(Binder& binder, const ast::Evaluate& op, Relation input);
// Must be called where no name of the query is known: its functions could hide the language's.
Result<Relation> bind_written(Binder& binder, WrittenCall call, Span span);

}  // namespace evq::plan
