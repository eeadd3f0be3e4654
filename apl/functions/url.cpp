// Functions that take URLs apart and put them together again.

#include <algorithm>
#include <array>
#include <utility>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "store/base/limits.h"
#include "store/base/percent_coding.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// Texts that nothing in them is coded in are added as they are.
void add_decoded(DynamicBuilder* builder, std::string_view text,
                 PlusSign plus = PlusSign::kItself) {
  const bool coded = text.find('%') != std::string_view::npos ||
                     (plus == PlusSign::kBlank && text.find('+') != std::string_view::npos);
  if (coded || !is_valid_utf8(text)) {
    builder->add_string(percent_decode(text, plus));
  } else {
    builder->add_string(text);
  }
}

void add_query(DynamicBuilder* builder, std::string_view query) {
  builder->begin_bag();
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = std::min(pair.find('='), pair.size());
    builder->key(percent_decode(pair.substr(0, equals), PlusSign::kBlank));
    add_decoded(builder, pair.substr(std::min(equals + 1, pair.size())), PlusSign::kBlank);
  }
  builder->end_bag();
}

DynamicView parse_urlquery(DynamicBuilder& builder, std::string_view query) {
  if (query.starts_with('?')) {
    query.remove_prefix(1);
  }
  add_query(&builder, query);
  return DynamicView(builder.bytes());
}

struct UrlParts {
  std::string_view scheme;
  std::string_view username;
  std::string_view password;
  std::string_view host;
  std::string_view port;
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
};

// Cuts `text` at the first of `marks`; gives what follows the mark.
std::string_view cut_after(std::string_view* text, char mark) {
  const std::size_t at = text->find(mark);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view tail = text->substr(at + 1);
  *text = text->substr(0, at);
  return tail;
}

void split_authority(std::string_view authority, UrlParts* parts) {
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parts->username = authority.substr(0, at);
    parts->password = cut_after(&parts->username, ':');
    authority.remove_prefix(at + 1);
  }
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  parts->host = authority.substr(0, colon);
  if (colon != std::string_view::npos) {
    parts->port = authority.substr(colon + 1);
  }
}

UrlParts split_url(std::string_view url) {
  UrlParts parts;
  parts.fragment = cut_after(&url, '#');
  parts.query = cut_after(&url, '?');
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) {
    parts.scheme = url.substr(0, scheme);
    url.remove_prefix(scheme + 3);
    const std::size_t slash = std::min(url.find('/'), url.size());
    split_authority(url.substr(0, slash), &parts);
    url.remove_prefix(slash);
  } else if (const std::size_t colon = url.find(':');
             colon != std::string_view::npos && url.find('/') > colon) {
    parts.scheme = url.substr(0, colon);
    url.remove_prefix(colon + 1);
  }
  parts.path = url;
  return parts;
}

// What parse_url() makes of the parts, in its order.
constexpr std::array<std::pair<std::string_view, void (*)(DynamicBuilder*, const UrlParts&)>, 8>
    kUrlEntries = {{
        {"scheme", [](DynamicBuilder* to, const UrlParts& url) { to->add_string(url.scheme); }},
        {"host", [](DynamicBuilder* to, const UrlParts& url) { to->add_string(url.host); }},
        {"port", [](DynamicBuilder* to, const UrlParts& url) { to->add_string(url.port); }},
        {"path", [](DynamicBuilder* to, const UrlParts& url) { add_decoded(to, url.path); }},
        {"username",
         [](DynamicBuilder* to, const UrlParts& url) { add_decoded(to, url.username); }},
        {"password",
         [](DynamicBuilder* to, const UrlParts& url) { add_decoded(to, url.password); }},
        {"query", [](DynamicBuilder* to, const UrlParts& url) { add_query(to, url.query); }},
        {"fragment",
         [](DynamicBuilder* to, const UrlParts& url) { add_decoded(to, url.fragment); }},
    }};

DynamicView parse_url(DynamicBuilder& builder, std::string_view url) {
  const UrlParts parts = split_url(url);
  builder.begin_bag();
  for (const auto& [key, add] : kUrlEntries) {
    builder.key(key);
    add(&builder, parts);
  }
  builder.end_bag();
  return DynamicView(builder.bytes());
}

// Of longer URLs the whole bag may be too large to be, and then has no entries.
constexpr std::size_t kEntryUrlMax = kStringValueBytesMax / 16;

// parse_url(url)[key]
std::optional<DynamicView> url_entry(DynamicBuilder& builder, std::string_view url,
                                     std::string_view key) {
  if (url.size() > kEntryUrlMax) {
    const DynamicView all = parse_url(builder, url);
    return all.bytes().size() <= kStringValueBytesMax ? all.find(key) : std::nullopt;
  }
  for (const auto& [name, add] : kUrlEntries) {
    if (name == key) {
      add(&builder, split_url(url));
      return DynamicView(builder.bytes());
    }
  }
  return std::nullopt;
}

std::string part_of(DynamicView bag, std::string_view key, std::string_view other_key = {}) {
  std::optional<DynamicView> found = bag.find(key);
  if (!found.has_value() && !other_key.empty()) {
    found = bag.find(other_key);
  }
  std::string text;
  append_text_form(found.value_or(DynamicView()), &text);
  return text;
}

std::string url_encoded(std::string_view text) {
  return percent_encode(text, kStringValueBytesMax);
}

void append_query(DynamicView query, std::string* out) {
  if (query.is_bag()) {
    char mark = '?';
    DynamicView::Iterator entries(query);
    while (entries.next()) {
      std::string value;
      append_text_form(entries.value(), &value);
      out->push_back(mark);
      out->append(url_encoded(entries.key())).append("=").append(url_encoded(value));
      mark = '&';
    }
    return;
  }
  std::string text;
  append_text_form(query, &text);
  if (!text.empty()) {
    out->append(text.starts_with('?') ? "" : "?").append(text);
  }
}

std::optional<std::string> format_url(DynamicView parts) {
  if (!parts.is_bag()) {
    return std::nullopt;
  }
  std::string out;
  const std::string scheme = part_of(parts, "scheme");
  const std::string host = part_of(parts, "host");
  if (!scheme.empty()) {
    out.append(scheme).append("://");
  }
  const std::string user = part_of(parts, "user", "username");
  const std::string password = part_of(parts, "password");
  if (!user.empty()) {
    out.append(url_encoded(user));
    out.append(password.empty() ? "" : ":" + url_encoded(password)).append("@");
  }
  out.append(host);
  const std::string port = part_of(parts, "port");
  out.append(port.empty() ? "" : ":" + port);
  const std::string path = part_of(parts, "path");
  out.append(path.empty() || path.starts_with('/') || out.empty() ? "" : "/").append(path);
  append_query(parts.find("query").value_or(DynamicView()), &out);
  const std::string fragment = part_of(parts, "fragment");
  out.append(fragment.empty() ? "" : "#" + fragment);
  return out;
}

constexpr std::array<ScalarFunction, 4> kUrlFunctions = {{
    {.name = "format_url",
     .category = "string",
     .summary = "Writes a URL from its parts.",
     .params = {{{"parts",
                  "A bag of scheme, host, port, path, user, password, query and fragment."}}},
     .returns = "string; null when the argument is not a bag.",
     .examples = {{{"print format_url(dynamic({\"scheme\": \"https\", \"host\": \"x.io\", "
                    "\"path\": \"/a\", \"query\": {\"q\": \"1\"}}))",
                    "https://x.io/a?q=1"}}},
     .overloads = {lift<format_url>()}},
    {.name = "parse_url",
     .aliases = {"parseurl"},
     .category = "string",
     .summary = "Takes a URL apart.",
     .params = {{{"url", "An absolute URL."}}},
     .returns = "dynamic bag of scheme, host, port, path, username, password, query (a bag) and "
                "fragment.",
     .examples = {{{"print parse_url('https://x.io:8443/a?q=1').port", "8443"},
                   {"print parse_url('https://x.io/a?q=1').query.q", "1"}}},
     .overloads = {lift<parse_url>()},
     .cost = CallCost::kPattern,
     .element = "url_entry"},
    {.name = "url_entry",
     .category = "string",
     .summary = "parse_url(url)[key]",
     .overloads = {lift<url_entry>()},
     .flags = FunctionFlags::kInternal},
    {.name = "parse_urlquery",
     .aliases = {"parseurlquery"},
     .category = "string",
     .summary = "Takes the query of a URL apart.",
     .params = {{{"query", "key=value pairs joined by &; a leading ? is skipped."}}},
     .returns = "dynamic bag of texts.",
     .examples = {{{"print parse_urlquery('a=1&b=x%20y')", R"({"a":"1","b":"x y"})"}}},
     .overloads = {lift<parse_urlquery>()},
     .cost = CallCost::kPattern},
}};

}  // namespace

std::span<const ScalarFunction> url_functions() {
  return kUrlFunctions;
}

}  // namespace evq
