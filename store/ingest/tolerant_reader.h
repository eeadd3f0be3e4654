#pragma once
// TolerantReader: JSON texts as dynamic values with what events may have and strict JSON may not: a
// lone surrogate or broken UTF-8 becomes U+FFFD, a number beyond every real null. It is for bodies
// that hold events in a form of their own, so that one cut text in one of them does not cost all
// the others; what cannot be helped is told with its place. One thread at a time.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"
#include "store/ingest/event_assembler.h"

namespace evq {

struct JsonFault {
  std::size_t offset = 0;  // in the text
  std::string reason;
};

class TolerantReader {
 public:
  // Adds the text's value to `builder`, or returns why not and leaves the builder as it was.
  // Nesting is limited to kDynamicDepthMax, and to kJsonDepthMax in a text that has to be helped.
  std::optional<JsonFault> read(std::string_view text, DynamicBuilder* builder);

 private:
  JsonReader strict_;
  std::unique_ptr<EventAssembler> helped_;  // once a text was not strict
};

// The text "line 2, column 5" for an offset; both count from 1, columns in bytes.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace evq
