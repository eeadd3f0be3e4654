// links: evq_syntax
// bytes: 1024
// Any text through the parser, and through what an editor asks while somebody types. What the
// parser accepts, printed, is the same tree again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "apl/syntax/ast_printer.h"
#include "apl/syntax/expectations.h"
#include "apl/syntax/lexer.h"
#include "apl/syntax/parser.h"
#include "apl/syntax/unfinished.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t end = 0;
  for (const evq::syntax::HighlightToken& token : evq::syntax::tokenize(text)) {
    if (token.span.begin < end || token.span.end > size) {
      __builtin_trap();
    }
    end = token.span.end;
  }
  static_cast<void>(evq::syntax::expectations_at_end(text));
  static_cast<void>(evq::syntax::is_unfinished(text));
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
