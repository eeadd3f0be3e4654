#pragma once
// typed_mistake: what is wrong with a query that is still being typed, so that an editor can mark
// it. What stands at the end may become right by what follows, and is no mistake yet: an operator
// that is not finished is left out, and a mistake is one only with something behind it.

#include <cstddef>
#include <optional>
#include <string_view>

#include "apl/plan/table_source.h"
#include "store/base/control.h"
#include "store/base/error.h"

namespace evq {

// Size up to which texts are looked at: this is asked for at every key.
inline constexpr std::size_t kMistakeTextBytesMax = std::size_t{16} << 10U;

// Returns a kCompile error with a span in the text; nullopt where there is none, or none that can
// be told without running the query, or before `control` ends it.
std::optional<Error> typed_mistake(std::string_view text, plan::TableSource& tables,
                                   const QueryControl& control);

}  // namespace evq
