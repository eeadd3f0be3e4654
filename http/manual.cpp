// evq-http(7), from the route table.

#include "http/router.h"

namespace evq {
namespace {

// Text as roff takes it: no line may begin with a control character.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out.push_back(c);
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string permission_text(const Route& route) {
  const std::string needed = std::string(route.resource) + "|" + std::string(route.action);
  switch (route.scope) {
    case Scope::kOpen:
      return "Needs no token.";
    case Scope::kToken:
      return "Needs any valid token.";
    case Scope::kDataset:
      return "Needs " + needed + " on the dataset.";
    case Scope::kOrganization:
      return "Needs " + needed + " of the organization.";
    case Scope::kContent:
      return "Needs " + needed + " on what the request names.";
  }
  return {};
}

}  // namespace

std::string render_http_manual() {
  std::string page =
      ".TH EVQ\\-HTTP 7 \"\" \"evq " EVQ_VERSION
      "\" \"evq manual\"\n"
      ".SH NAME\nevq\\-http \\- the HTTP API of evq serve\n"
      ".SH DESCRIPTION\n"
      "Bodies and answers are JSON unless said otherwise. Every request carries\n"
      ".B Authorization: Bearer TOKEN\n"
      "unless the server runs with \\-\\-no\\-auth; a personal token (xapt\\-) also needs the\n"
      "organization's id in x\\-service\\-org\\-id or X\\-Axiom\\-Org\\-Id. A failed request "
      "answers\n"
      "{\"code\": status, \"message\": text}; failed authentication is always 403. Every answer "
      "has\n"
      "an X\\-Axiom\\-Trace\\-Id.\n"
      ".SH ENDPOINTS\n";
  for (const Route& route : routes()) {
    page += ".TP\n.B " + std::string(route.method) + " " + escaped(route.pattern) + "\n";
    page += escaped(route.summary) + "\n" + escaped(permission_text(route)) + "\n";
  }
  page +=
      ".SH STATUS CODES\n"
      "200 and 201 done; 204 done, no body; 400 malformed request or query; 403 authentication or\n"
      "permission; 404 not found; 405 wrong method; 408 too slow; 409 name taken; 413 too large;\n"
      "415 content type or encoding; 422 no body, or a query over its time or memory limit; 503\n"
      "busy, with Retry\\-After; 507 disk full.\n"
      ".SH SEE ALSO\n.BR evq (1),\n.BR evq\\-apl (7)\n";
  return page;
}

}  // namespace evq
