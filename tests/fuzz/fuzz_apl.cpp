// links: evq_syntax
// Any text through the parser. What it accepts, printed, is the same tree again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "apl/syntax/ast_printer.h"
#include "apl/syntax/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto query = evq::syntax::parse(text, 0);
  if (!query.ok()) {
    return 0;
  }
  const std::string printed = evq::syntax::print(query.value());
  const auto again = evq::syntax::parse(printed, 0);
  if (!again.ok() || evq::syntax::print(again.value(), evq::syntax::PrintStyle::kExplicit) !=
                         evq::syntax::print(query.value(), evq::syntax::PrintStyle::kExplicit)) {
    __builtin_trap();
  }
  return 0;
}
