#include "tests/support/answer_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apl/service/result_writer.h"
#include "store/base/json_writer.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

std::string cell_text(const Vector& column, std::size_t row) {
  if (column.is_null(row)) {
    return "null";
  }
  std::string text;
  append_cell_text(&text, column, row);
  const bool stringy = column.type() == Type::kString || column.type() == Type::kDynamic;
  const bool plain = !text.empty() && text != "null" && text.front() != ' ' && text.back() != ' ' &&
                     text.find("  ") == std::string::npos && std::ranges::none_of(text, [](char c) {
                       return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                     });
  const bool quoted = column.type() == Type::kString && text.find('"') != std::string::npos;
  if (!stringy || (plain && !quoted)) {
    return text;
  }
  std::string json;
  append_json_string(json, text);
  return json;
}

}  // namespace

Status AnswerText::begin(const ResultHeader& header) {
  for (std::size_t i = 0; i < header.schema.size(); ++i) {
    header_.append(i == 0 ? "" : "  ").append(header.schema[i].name).append(":");
    header_.append(type_name(header.schema[i].type));
  }
  return Status::success();
}

Status AnswerText::push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::string line;
    for (std::size_t column = 0; column < rows.column_count(); ++column) {
      line.append(column == 0 ? "" : "  ").append(cell_text(rows.column(column), row));
    }
    rows_.push_back(std::move(line));
  }
  return Status::success();
}

Status AnswerText::end(const QueryStatus& /*status*/) {
  return Status::success();
}

std::string AnswerText::text(bool unordered) const {
  std::vector<std::string> rows = rows_;
  if (unordered) {
    std::ranges::sort(rows);
  }
  std::string text = header_;
  for (const std::string& row : rows) {
    text.append("\n").append(row);
  }
  return text;
}

std::string reference_text(const ReferenceResult& result, bool unordered) {
  ResultHeader header;
  header.schema = result.schema;
  std::vector<Vector> columns;
  for (std::size_t i = 0; i < result.schema.size(); ++i) {
    VectorBuilder builder(result.schema[i].type);
    for (const ReferenceRow& row : result.rows) {
      builder.append(row[i]);
    }
    columns.push_back(builder.finish());
  }
  AnswerText text;
  (void)text.begin(header).ok();
  (void)text.push(Chunk(std::move(columns), result.rows.size()), {}).ok();
  return text.text(unordered);
}

std::string normalized_answer(const std::string& text, bool unordered) {
  std::vector<std::string> lines;
  std::string line;
  const auto finish = [&] {
    while (!line.empty() && line.back() == ' ') {
      line.pop_back();
    }
    lines.push_back(line);
    line.clear();
  };
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      finish();
      quoted = false;
      continue;
    }
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) {
      quoted = !quoted;
    }
    if (!quoted && c == ' ' && line.size() >= 2 && line.ends_with("  ")) {
      continue;
    }
    line.push_back(c);
  }
  finish();
  if (unordered && lines.size() > 1) {
    std::sort(lines.begin() + 1, lines.end());
  }
  std::string joined;
  for (const std::string& part : lines) {
    joined.append(joined.empty() ? "" : "\n").append(part);
  }
  return joined;
}

bool answers_agree(const std::string& got, const std::string& wanted, double approx) {
  if (got == wanted || approx == 0) {
    return got == wanted;
  }
  std::size_t a = 0;
  std::size_t b = 0;
  const auto next = [](const std::string& text, std::size_t* at) {
    const std::size_t end = std::min(text.find_first_of(" \n,[]", *at), text.size());
    std::string token = text.substr(*at, end - *at);
    *at = end + 1;
    return token;
  };
  while (a < got.size() && b < wanted.size()) {
    const std::string left = next(got, &a);
    const std::string right = next(wanted, &b);
    if (left == right) {
      continue;
    }
    const double x = std::strtod(left.c_str(), nullptr);
    const double y = std::strtod(right.c_str(), nullptr);
    if (!(std::abs(x - y) <= approx * std::max({1.0, std::abs(x), std::abs(y)}))) {
      return false;
    }
  }
  return a >= got.size() && b >= wanted.size();
}

}  // namespace evq
