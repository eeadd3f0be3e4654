#pragma once
// The plain-text test files of tests/query: data, not a program. A file is blocks; a block is a
// directive line, a body, a line of dashes, and an expectation, ended by a blank line. A body or
// expectation that holds blank lines itself is closed by a doubled line of dashes.
//
//   dataset NAME [block_rows=N] [map-field=FIELD]
//                                  events, one JSON object a line; no expectation
//   ingest NAME                    more events
//   query [unordered] [approx=E]   a query, and its rows: header name:type, cells two blanks apart
//   error                          a query, and the one-line form of its error
//   plan                           a query, and its optimised plan
//   now INSTANT                    what now() is in this file
//   restart                        closes and opens the store
//
// Lines that start with # are comments; the first says what the file pins.

#include <optional>
#include <string>
#include <vector>

#include "store/base/result.h"

namespace evq {

struct TestBlock {
  std::string directive;           // "query"
  std::vector<std::string> words;  // the rest of its line
  std::string body;
  std::string expectation;  // without the last line end
  bool has_expectation = false;
  std::size_t line = 0;               // of the directive, from 1
  std::size_t expectation_begin = 0;  // line numbers [begin, end) of the expectation's lines
  std::size_t expectation_end = 0;
  bool fenced = false;

  bool has_word(std::string_view word) const;
  // The text after "name=" among the words; empty when absent.
  std::string option(std::string_view name) const;
};

struct TestFile {
  std::string path;
  std::vector<std::string> lines;
  std::vector<TestBlock> blocks;
};

Result<TestFile> read_test_file(const std::string& path);
// The file's text with each block's expectation replaced where `expectations` (one a block) is set.
std::string rewrite_test_file(const TestFile& file,
                              const std::vector<std::optional<std::string>>& expectations);

}  // namespace evq
