#include "tests/support/test_file.h"

#include <algorithm>
#include <sstream>

#include "store/base/file.h"

namespace evq {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{16} << 20U;

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    text.append(i == begin ? "" : "\n").append(lines[i]);
  }
  return text;
}

bool takes_no_body(const std::string& directive) {
  return directive == "now" || directive == "restart" || directive == "compact";
}

}  // namespace

bool TestBlock::has_word(std::string_view word) const {
  return std::ranges::find(words, word) != words.end();
}

std::string TestBlock::option(std::string_view name) const {
  for (const std::string& word : words) {
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=') {
      return word.substr(name.size() + 1);
    }
  }
  return {};
}

Result<TestFile> read_test_file(const std::string& path) {
  EVQ_TRY_ASSIGN(const std::string text, read_whole_file(path, kFileBytesMax));
  TestFile file{path, split_lines(text), {}};
  const std::vector<std::string>& lines = file.lines;
  std::size_t at = 0;
  while (at < lines.size()) {
    if (lines[at].empty() || lines[at].starts_with('#')) {
      ++at;
      continue;
    }
    TestBlock block;
    block.line = at + 1;
    std::istringstream words(lines[at++]);
    words >> block.directive;
    for (std::string word; words >> word;) {
      block.words.push_back(word);
    }
    if (!takes_no_body(block.directive)) {
      const std::size_t body = at;
      while (
          at < lines.size() && lines[at] != "----" &&
          !(lines[at].empty() && (block.directive == "dataset" || block.directive == "ingest"))) {
        ++at;
      }
      block.body = joined(lines, body, at);
      if (at < lines.size() && lines[at] == "----") {
        ++at;
        block.fenced = at < lines.size() && lines[at] == "----";
        at += block.fenced ? 1 : 0;
        block.has_expectation = true;
        block.expectation_begin = at;
        const auto ends = [&] {
          return block.fenced
                     ? lines[at] == "----" && at + 1 < lines.size() && lines[at + 1] == "----"
                     : lines[at].empty();
        };
        while (at < lines.size() && !ends()) {
          ++at;
        }
        block.expectation_end = at;
        block.expectation = joined(lines, block.expectation_begin, at);
        at += block.fenced ? 2 : 0;
      }
    }
    file.blocks.push_back(std::move(block));
  }
  return file;
}

std::string rewrite_test_file(const TestFile& file,
                              const std::vector<std::optional<std::string>>& expectations) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < file.blocks.size(); ++i) {
    const TestBlock& block = file.blocks[i];
    if (!expectations[i].has_value() || !block.has_expectation) {
      continue;
    }
    for (; at < block.expectation_begin; ++at) {
      text.append(file.lines[at]).push_back('\n');
    }
    text.append(*expectations[i]);
    if (!expectations[i]->empty()) {
      text.push_back('\n');
    }
    at = block.expectation_end;
  }
  for (; at < file.lines.size(); ++at) {
    text.append(file.lines[at]).push_back('\n');
  }
  return text;
}

}  // namespace evq
