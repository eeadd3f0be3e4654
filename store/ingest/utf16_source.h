#pragma once
// UTF-16 as UTF-8, for text that says by its byte order mark that it is UTF-16, as programs on
// Windows write it. A lone surrogate or half a character at the end becomes bytes that are no valid
// UTF-8, so that whoever reads on repairs and counts it like any other (options.h).

#include <memory>
#include <string>
#include <string_view>

#include "store/ingest/byte_source.h"

namespace evq {

// Whether a text begins with the mark of UTF-16, in either byte order.
bool begins_with_utf16_mark(std::string_view text);

// A source of the UTF-8 of `first`, which begins with the mark, and of all that `rest` gives after
// it, without the mark. `rest` must outlive the source.
std::unique_ptr<ByteSource> utf16_source(std::string_view first, ByteSource& rest);

// Converts UTF-16 in memory, which may end anywhere, to UTF-8 in the same way.
std::string utf8_of_utf16(std::string_view text);

}  // namespace evq
