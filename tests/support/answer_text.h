#pragma once
// Answers as the lines of text that expectations are written in: a header name:type, then one line
// a row, cells two blanks apart. A cell that would be hard to tell from its surroundings (empty,
// the text null, blanks at an end, control characters) is printed as a JSON string.

#include <span>
#include <string>
#include <vector>

#include "apl/service/request.h"
#include "tests/support/reference.h"

namespace evq {

class AnswerText final : public ResultSink {
 public:
  Status begin(const ResultHeader& header) override;
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override;
  Status end(const QueryStatus& status) override;

  const std::string& header() const { return header_; }
  const std::vector<std::string>& rows() const { return rows_; }
  // Header and rows; rows sorted when their order does not matter.
  std::string text(bool unordered) const;

 private:
  std::string header_;
  std::vector<std::string> rows_;
};

// The slow twin's answer in the same form.
std::string reference_text(const ReferenceResult& result, bool unordered);

// Cells of an expectation are aligned for people: runs of blanks count as one separator.
std::string normalized_answer(const std::string& text, bool unordered);
// Equal as text, or as numbers within `approx`, cell by cell.
bool answers_agree(const std::string& got, const std::string& wanted, double approx);

}  // namespace evq
