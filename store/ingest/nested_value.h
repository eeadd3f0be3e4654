#pragma once
// Passes over a JSON object or array to its closing bracket without reading what is in it: brackets
// are counted outside of strings, of whatever kind they are. Syntax is somebody else's concern.
// Pure functions; the text may come in pieces.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evq {

// The state of the scan behind the text seen so far.
struct NestedValue {
  std::uint64_t depth = 0;  // of open brackets; 0: behind the last one
  bool in_string = false;
  bool escaped = false;  // a backslash stands before the next byte of a string
};

// Goes on from `at` and returns where it stopped: behind the bracket that closes the value, whose
// depth is 0 then, or at the text's end. Takes 64 bytes at a time with AVX2, after the first stage
// of simdjson (Langdale, Lemire: Parsing Gigabytes of JSON per Second, 2019).
std::size_t pass_nested(std::string_view text, std::size_t at, NestedValue* value);

// Like pass_nested(), byte by byte.
std::size_t pass_nested_bytewise(std::string_view text, std::size_t at, NestedValue* value);

}  // namespace evq
