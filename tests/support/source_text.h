#pragma once
// The source text of this repository as the tests of its house rules read it: comments and literals
// told from code, words, lines, and paths by glob. Views are of a file's texts and end with them.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evq {

struct SourceFile {
  std::string path;      // from the repository's root
  std::string text;      // as written
  std::string code;      // text with comments and literals blanked out, line for line
  std::string comments;  // text with everything but comments blanked out
};

inline bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// '*' stands for any run of characters.
inline bool matches_glob(std::string_view text, std::string_view glob) {
  const std::size_t star = glob.find('*');
  if (star == std::string_view::npos) {
    return text == glob;
  }
  if (!text.starts_with(glob.substr(0, star))) {
    return false;
  }
  for (std::size_t skip = star; skip <= text.size(); ++skip) {
    if (matches_glob(text.substr(skip), glob.substr(star + 1))) {
      return true;
    }
  }
  return false;
}

using Globs = std::vector<std::string_view>;

inline bool matches_any(std::string_view path, const Globs& globs) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](std::string_view glob) { return matches_glob(path, glob); });
}

// End of the literal that begins at `start` (a quote), its closing quote included.
inline std::size_t literal_end(std::string_view text, std::size_t start) {
  const char quote = text[start];
  if (quote == '"' && start > 0 && text[start - 1] == 'R') {
    const std::size_t open = text.find('(', start);
    if (open == std::string_view::npos) {
      return text.size();
    }
    std::string close(")");
    close.append(text.substr(start + 1, open - start - 1)).append("\"");
    const std::size_t end = text.find(close, open);
    return end == std::string_view::npos ? text.size() : end + close.size();
  }
  std::size_t i = start + 1;
  while (i < text.size() && text[i] != quote && text[i] != '\n') {
    i += text[i] == '\\' ? 2U : 1U;
  }
  return std::min(i + 1, text.size());
}

inline std::size_t comment_end(std::string_view text, std::size_t start) {
  const bool block = text[start + 1] == '*';
  const std::size_t end = block ? text.find("*/", start + 2) : text.find('\n', start);
  if (end == std::string_view::npos) {
    return text.size();
  }
  return block ? end + 2 : end;
}

inline SourceFile make_source(std::string path, std::string text) {
  SourceFile file{.path = std::move(path), .text = text, .code = text, .comments = text};
  const auto blank = [](std::string& view, std::size_t from, std::size_t to) {
    std::replace_if(
        view.begin() + static_cast<std::ptrdiff_t>(from),
        view.begin() + static_cast<std::ptrdiff_t>(to), [](char c) { return c != '\n'; }, ' ');
  };
  std::size_t i = 0;
  while (i < text.size()) {
    // A quote after a digit or letter separates digits, as in 1'000, unless it ends a prefix.
    const bool separator = text[i] == '\'' && i > 0 && is_word(text[i - 1]);
    const bool literal = (text[i] == '"' || text[i] == '\'') && !separator;
    const bool comment =
        text[i] == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*');
    std::size_t end = i + 1;
    if (literal) {
      end = literal_end(text, i);
    } else if (comment) {
      end = comment_end(text, i);
    }
    if (literal || comment) {
      blank(file.code, i, end);
    }
    if (!comment) {
      blank(file.comments, i, end);
    }
    i = end;
  }
  return file;
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Whole words only; a name that goes on with "::" is another name.
inline bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const std::string_view rest = line.substr(at + word.size());
    const bool starts = at == 0 || !is_word(line[at - 1]) || !is_word(word.front());
    const bool ends = !is_word(word.back()) ||
                      (!rest.starts_with("::") && (rest.empty() || !is_word(rest.front())));
    if (starts && ends) {
      return true;
    }
  }
  return false;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<SourceFile> load_tree(const std::filesystem::path& root) {
  std::vector<SourceFile> files;
  for (const std::string_view top : {"store", "apl", "http", "cli", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      const auto extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".h") {
        files.push_back(make_source(entry.path().lexically_relative(root).generic_string(),
                                    read_file(entry.path())));
      }
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace evq
