#include "cli/axiom_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"
#include "store/base/file.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// A text at the beginning of `rest`, "basic" or 'literal', taken off it; nothing for other values.
Result<std::optional<std::string>> take_text(std::string_view* rest) {
  if (rest->empty() || (rest->front() != '"' && rest->front() != '\'')) {
    return std::optional<std::string>();
  }
  const char quote = rest->front();
  std::string text;
  for (std::size_t i = 1; i < rest->size(); ++i) {
    if ((*rest)[i] == quote) {
      rest->remove_prefix(i + 1);
      return std::optional(text);
    }
    const bool escaped = quote == '"' && (*rest)[i] == '\\' && i + 1 < rest->size();
    i += escaped ? 1 : 0;
    text.push_back((*rest)[i]);
  }
  return make_error(ErrorCode::kUsage, "a text without its closing quote");
}

// The parts of a table's name: deployments."my own".
Result<std::vector<std::string>> table_name(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    EVQ_TRY_ASSIGN(std::optional<std::string> quoted, take_text(&text));
    const std::size_t end = std::min(text.find('.'), text.size());
    parts.push_back(quoted.has_value() ? *std::move(quoted)
                                       : std::string(trimmed(text.substr(0, end))));
    text = trimmed(text.substr(std::min(end + 1, text.size())));
  }
  return parts;
}

struct Deployments {
  std::string active;
  std::vector<AxiomDeployment> all;
  bool in_deployment = false;  // the lines that are being read
  bool at_top = true;

  Status read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') {
      return Status::success();
    }
    if (line.front() == '[') {
      const std::size_t close = std::min(line.rfind(']'), line.size());
      EVQ_TRY_ASSIGN(const std::vector<std::string> parts, table_name(line.substr(1, close - 1)));
      at_top = false;
      in_deployment = parts.size() == 2 && parts[0] == "deployments";
      if (in_deployment) {
        all.emplace_back();
        all.back().name = parts[1];
      }
      return Status::success();
    }
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view key = trimmed(line.substr(0, equals));
    std::string_view rest = trimmed(line.substr(std::min(equals + 1, line.size())));
    EVQ_TRY_ASSIGN(std::optional<std::string> value, take_text(&rest));
    if (value.has_value()) {
      keep(key, *std::move(value));
    }
    return Status::success();
  }

 private:
  void keep(std::string_view key, std::string value) {
    if (!in_deployment) {
      if (at_top && key == "active_deployment") {
        active = std::move(value);
      }
      return;
    }
    if (key == "url") {
      all.back().url = std::move(value);
    } else if (key == "token") {
      all.back().token = std::move(value);
    } else if (key == "org_id") {
      all.back().organization = std::move(value);
    }
  }
};

}  // namespace

Result<std::optional<AxiomDeployment>> find_axiom_deployment(const Environment& environment) {
  const std::string file = home_directory(environment) + "/.axiom.toml";
  if (!file_exists(file)) {
    return std::optional<AxiomDeployment>();
  }
  EVQ_TRY_ASSIGN(const std::string text, read_whole_file(file, kSmallFileBytesMax));
  Deployments read;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    Status line = read.read_line(trimmed(std::string_view(text).substr(begin, end - begin)));
    if (!line.ok()) {
      return make_error(ErrorCode::kUsage,
                        file + ":" + std::to_string(number) + ": " + line.error().message);
    }
    begin = end + 1;
  }
  const std::string named = environment("AXIOM_DEPLOYMENT").value_or("");
  std::string wanted = named.empty() ? read.active : named;
  if (named.empty() && read.all.size() == 1) {
    wanted = read.all[0].name;
  }
  const auto found = std::ranges::find(read.all, wanted, &AxiomDeployment::name);
  if (found != read.all.end()) {
    found->file = file;
    return std::optional(*found);
  }
  if (wanted.empty()) {
    return std::optional<AxiomDeployment>();
  }
  std::vector<std::string_view> names;
  for (const AxiomDeployment& deployment : read.all) {
    names.push_back(deployment.name);
  }
  return make_error(ErrorCode::kUsage, file + ": no deployment '" + wanted + "'",
                    diag::did_you_mean(wanted, names));
}

}  // namespace evq
