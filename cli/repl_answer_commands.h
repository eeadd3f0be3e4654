#pragma once
// The dot commands that are about answers: where and how they are shown. Each takes its argument as
// it was typed; what is wrong with it is kUsage. One thread, the prompt's.

#include <string>

#include "store/base/result.h"

namespace evq {

class Repl;

Status run_last(Repl& repl, const std::string& argument);
Status run_chart(Repl& repl, const std::string& argument);
Status run_save(Repl& repl, const std::string& argument);
Status run_output(Repl& repl, const std::string& argument);
Status run_once(Repl& repl, const std::string& argument);
Status run_watch(Repl& repl, const std::string& argument);
Status run_stats(Repl& repl, const std::string& argument);

}  // namespace evq
