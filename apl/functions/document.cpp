// Texts of other formats taken apart: XML documents, command lines, and what browsers say of
// themselves (user_agent.h).

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <pugixml.hpp>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/user_agent.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/seeded_text_hash.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// ---- XML

// Builds the value of an element. Character references may spell what is no UTF-8, and elements may
// nest too deep; then ok() turns false and the value is not to be used.
class XmlReader {
 public:
  DynamicBytes read(const pugi::xml_node& root) {
    out_.begin_bag();
    add_name(root.name(), "");
    add_element(root, 1);
    out_.end_bag();
    return {out_.take()};
  }
  bool ok() const { return ok_; }

 private:
  void add_name(std::string_view name, std::string_view prefix) {
    ok_ = ok_ && is_valid_utf8(name);
    out_.key(std::string(prefix) + std::string(name));
  }
  void add_text(std::string_view text) {
    ok_ = ok_ && is_valid_utf8(text);
    out_.add_string(text);
  }

  void add_element(const pugi::xml_node& element, std::size_t depth) {
    ok_ = ok_ && depth <= kXmlDepthMax;
    std::string text;
    std::vector<std::vector<pugi::xml_node>> children;  // of one name each, in order of appearance
    std::unordered_map<std::string_view, std::size_t, SeededTextHash> places;
    for (const pugi::xml_node& child : element.children()) {
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
        text.append(child.value());
      } else if (child.type() == pugi::node_element) {
        const auto [place, added] = places.try_emplace(child.name(), children.size());
        if (added) {
          children.emplace_back();
        }
        children[place->second].push_back(child);
      }
    }
    const bool plain = children.empty() && element.first_attribute().empty();
    if (!ok_ || (plain && text.empty())) {
      out_.add_null();
    } else if (plain) {
      add_text(text);
    } else {
      add_bag(element, text, children, depth);
    }
  }

  void add_bag(const pugi::xml_node& element, std::string_view text,
               const std::vector<std::vector<pugi::xml_node>>& children, std::size_t depth) {
    out_.begin_bag();
    for (const pugi::xml_attribute& attribute : element.attributes()) {
      add_name(attribute.name(), "@");
      add_text(attribute.value());
    }
    if (!text.empty()) {
      out_.key("#text");
      add_text(text);
    }
    for (const std::vector<pugi::xml_node>& namesakes : children) {
      add_name(namesakes[0].name(), "");
      if (namesakes.size() > 1) {
        out_.begin_array();
      }
      for (const pugi::xml_node& child : namesakes) {
        add_element(child, depth + 1);
      }
      if (namesakes.size() > 1) {
        out_.end_array();
      }
    }
    out_.end_bag();
  }

  DynamicBuilder out_;
  bool ok_ = true;
};

MaybeDynamic parse_xml(std::string_view text) {
  if (text.size() > kXmlTextBytesMax) {
    return std::nullopt;
  }
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_trim_pcdata, pugi::encoding_utf8);
  const pugi::xml_node root = document.document_element();
  if (!parsed || root.empty()) {
    return std::nullopt;
  }
  XmlReader reader;
  DynamicBytes value = reader.read(root);
  return reader.ok() ? MaybeDynamic(std::move(value)) : std::nullopt;
}

// ---- command lines

// Splits as Windows programs do: blanks part arguments outside of double quotes, a doubled quote
// within quotes is one, and backslashes escape only in front of a quote.
MaybeDynamic parse_command_line(std::string_view text, std::string_view kind) {
  if (!equals_ignoring_ascii_case(kind, "windows")) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_array();
  std::string argument;
  bool quoted = false;
  bool open = false;  // an argument has begun, maybe with nothing in it yet
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = std::min(text.find_first_not_of('\\', i), text.size());
    const std::size_t backslashes = end - i;
    if (backslashes > 0) {
      const bool before_quote = end < text.size() && text[end] == '"';
      argument.append(before_quote ? backslashes / 2 : backslashes, '\\');
      open = true;
      if (before_quote && backslashes % 2 == 1) {
        argument.push_back('"');
        i = end;
      } else {
        i = end - 1;
      }
    } else if (text[i] == '"') {
      const bool doubled = quoted && i + 1 < text.size() && text[i + 1] == '"';
      if (doubled) {
        argument.push_back('"');
        ++i;
      } else {
        quoted = !quoted;
      }
      open = true;
    } else if ((text[i] == ' ' || text[i] == '\t') && !quoted) {
      if (open) {
        out.add_string(argument);
      }
      argument.clear();
      open = false;
    } else {
      argument.push_back(text[i]);
      open = true;
    }
  }
  if (open) {
    out.add_string(argument);
  }
  out.end_array();
  return DynamicBytes{out.take()};
}

// ---- user agents

MaybeDynamic parse_user_agent(std::string_view text, DynamicView wanted) {
  bool parts[3] = {};
  const auto want = [&parts](DynamicView name) {
    const std::optional<UserAgentPart> part =
        name.is_string() ? user_agent_part(name.as_string()) : std::nullopt;
    if (part.has_value()) {
      parts[static_cast<std::size_t>(*part)] = true;
    }
    return part.has_value();
  };
  bool known = true;
  if (wanted.is_array()) {
    DynamicView::Iterator each(wanted);
    while (each.next()) {
      known = want(each.value()) && known;
    }
  } else {
    known = want(wanted);
  }
  if (!known) {
    return std::nullopt;
  }
  DynamicBuilder out;
  out.begin_bag();
  for (const UserAgentPart part :
       {UserAgentPart::kBrowser, UserAgentPart::kSystem, UserAgentPart::kDevice}) {
    if (parts[static_cast<std::size_t>(part)]) {
      add_user_agent_part(text, part, &out);
    }
  }
  out.end_bag();
  return DynamicBytes{out.take()};
}

constexpr std::array<ScalarFunction, 3> kDocumentFunctions = {{
    {.name = "parse_command_line",
     .category = "string",
     .summary = "Splits a command line into its arguments.",
     .params = {{{"text", "The command line."},
                 {"kind", "'windows', whose quotes and backslashes it follows."}}},
     .returns = "An array of strings; null for another kind.",
     .examples = {{{R"(print parse_command_line('echo "hello world!" -n', 'windows'))",
                    R"(["echo","hello world!","-n"])"}}},
     .overloads = {lift<parse_command_line>()},
     .cost = CallCost::kPattern},
    {.name = "parse_user_agent",
     .category = "string",
     .summary = "What a browser or program says of itself in HTTP's User-Agent.",
     .params = {{{"text", "The header's value."},
                 {"parts", "'browser', 'os' or 'device', or an array of them."}}},
     .returns = "A bag of Browser and OperatingSystem (Family, MajorVersion, MinorVersion, Patch) "
                "and Device (Family, Brand, Model), as asked for; Family is Other when unknown. "
                "Null for another part.",
     .examples = {{{"print parse_user_agent('Mozilla/5.0 (X11; Linux x86_64; rv:120.0) "
                    "Gecko/20100101 Firefox/120.0', 'browser')['Browser']['Family']",
                    "Firefox"}}},
     .overloads = {lift<parse_user_agent>()},
     .cost = CallCost::kPattern},
    {.name = "parse_xml",
     .category = "string",
     .summary = "Reads an XML document.",
     .params = {{{"text", "The document."}}},
     .returns = "A bag: elements by name, repeated ones as an array, attributes as @name, text "
                "beside them as #text; an element of text alone is a string, an empty one null. "
                "Null when it is not XML, longer than 1 MiB or nested more than 64 deep.",
     .examples = {{{"print parse_xml('<job id=\"7\"><step>a</step><step>b</step></job>')",
                    R"({"job":{"@id":"7","step":["a","b"]}})"}}},
     .overloads = {lift<parse_xml>()},
     .cost = CallCost::kPattern},
}};

}  // namespace

std::span<const ScalarFunction> document_functions() {
  return kDocumentFunctions;
}

}  // namespace evq
