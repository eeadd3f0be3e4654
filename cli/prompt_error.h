#pragma once
// Errors of queries as the prompt tells them: hints that name a command of the shell name the
// prompt's own instead, and what belongs in the shell, or is a habit of another one, is answered.
// Pure; nothing here fails.

#include <string_view>

#include "store/base/error.h"

namespace evq {

// Rewrites an error for the prompt; `apl` is the text that was typed, or empty.
Error prompt_error(Error error, std::string_view apl);

}  // namespace evq
