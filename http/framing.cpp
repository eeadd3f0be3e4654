#include "http/framing.h"

#include <algorithm>
#include <random>

#include "http/limits.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// The path and query of a target. Clients of a proxy send the whole address, whose host then counts
// in the place of the header, and in HTTP/1.0 without one; `*` is of OPTIONS alone. Nothing for
// other forms.
std::optional<std::string_view> path_of_target(HttpRequest& request, unsigned version) {
  std::string_view target = request.target;
  if (target.starts_with('/') || (target == "*" && request.method == "OPTIONS")) {
    return target;
  }
  if (!equals_ignoring_ascii_case(target.substr(0, 7), "http://") &&
      !equals_ignoring_ascii_case(target.substr(0, 8), "https://")) {
    return std::nullopt;
  }
  target.remove_prefix(target.find("//") + 2);
  const std::string_view host = target.substr(0, target.find_first_of("/?"));
  target.remove_prefix(host.size());
  for (auto& [name, value] : request.headers) {
    if (name == "host") {
      value = host;
    }
  }
  if (version == 10 && request.count_headers("host") == 0) {
    request.headers.emplace_back("host", host);
  }
  return target.starts_with('/') ? target : std::string_view("/");
}

// What can be read in two ways, by somebody else on the way, or is missing; empty: nothing.
std::string ambiguity_of(const HttpRequest& request, unsigned version) {
  for (const std::string_view shown : {"Host", "Content-Length", "Transfer-Encoding"}) {
    if (request.count_headers(ascii_lower(shown)) > 1) {
      return "the request has more than one " + std::string(shown) + " header";
    }
  }
  const bool encoded = request.count_headers("transfer-encoding") != 0;
  if (version == 11 && request.count_headers("host") == 0) {
    return "the request has no Host header, which HTTP/1.1 needs";
  }
  if (!is_digits(request.header("content-length").value_or("0"))) {
    return "Content-Length is no number";
  }
  if (encoded && request.count_headers("content-length") != 0) {
    return std::string(kTwoLengthsText);
  }
  return encoded && version == 10 ? "HTTP/1.0 has no Transfer-Encoding" : "";
}

// A header that means one thing and is given with another value besides; empty: there is none.
// Twice the same is what proxies and libraries send that each add it.
std::string_view contradicted_header(const HttpRequest& request) {
  constexpr std::string_view kNames[] = {
      "Content-Type",   "Content-Encoding", "X-Axiom-Dataset", "X-Axiom-Event-Labels",
      "X-Axiom-Org-Id", "X-Scope-OrgID",    "X-Service-Org-Id"};
  for (const std::string_view shown : kNames) {
    const std::string name = ascii_lower(shown);
    for (const auto& [each, value] : request.headers) {
      if (each == name && value != *request.header(name)) {
        return shown;
      }
    }
  }
  return {};
}

}  // namespace

bool has_folded_line(std::string_view head) {
  const std::string_view lines = head.substr(0, head.find("\r\n\r\n"));
  return lines.find("\n ") != std::string_view::npos ||
         lines.find("\n\t") != std::string_view::npos;
}

bool names_other_version(std::string_view head) {
  constexpr std::string_view kForm = " HTTP/0.0\r";
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.size() < kForm.size() || line.size() == head.size()) {
    return false;
  }
  const std::string_view end = line.substr(line.size() - kForm.size());
  return end != " HTTP/1.0\r" && end != " HTTP/1.1\r" &&
         std::ranges::equal(
             end, kForm, [](char c, char form) { return form == '0' ? is_digit(c) : c == form; });
}

std::string http_date(std::int64_t time_ns) {
  constexpr std::string_view kDays = "ThuFriSatSunMonTueWed";  // from 1970-01-01 on
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const Civil civil = civil_from_ns(time_ns);
  const std::int64_t days = days_from_civil(civil.year, civil.month, civil.day);
  const auto weekday = static_cast<std::size_t>((days % 7 + 7) % 7);
  std::string text(kDays.substr(3 * weekday, 3));
  const auto two_digits = [&](std::string_view before, int number) {
    text.append(before).push_back(static_cast<char>('0' + number / 10));
    text.push_back(static_cast<char>('0' + number % 10));
  };
  two_digits(", ", civil.day);
  text.append(" ").append(kMonths.substr(3 * static_cast<std::size_t>(civil.month - 1), 3));
  text.append(" ").append(std::to_string(civil.year));
  two_digits(" ", civil.hour);
  two_digits(":", civil.minute);
  two_digits(":", civil.second);
  return text + " GMT";
}

std::string make_trace_id() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  std::string id;
  for (int part = 0; part < 2; ++part) {
    std::uint64_t bits = random();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4U) {
      id.push_back(kHexDigits[bits & 15U]);
    }
  }
  return id;
}

std::string_view refusal_reason(int status) {
  switch (status) {
    case 408:
      return "the request took too long to arrive";
    case 413:
      return "the request body is too large";
    case 414:
      return "the request target is too long";
    case 431:
      return "the request header is too large";
    case 501:
      return "this transfer encoding is not supported";
    case 505:
      return "this HTTP version is not supported";
    default:
      return "the request is not well-formed HTTP";
  }
}

std::string size_text(std::size_t bytes) {
  return bytes >= kMebibyte ? std::to_string(bytes / kMebibyte) + " MiB"
                            : std::to_string(bytes / kKibibyte) + " KiB";
}

Refusal body_too_large(std::size_t bytes_max) {
  return {413, "the request body is larger than the limit of " + size_text(bytes_max)};
}

std::optional<HttpResponse> refuse_head(HttpRequest& request, unsigned version) {
  int status = 0;
  std::string why;
  const std::optional<std::string_view> path = path_of_target(request, version);
  const bool encoded = request.count_headers("transfer-encoding") != 0;
  if (request.headers.size() > kHttpHeadersMax) {
    status = 431;
  } else if (request.target.size() > kHttpTargetBytesMax) {
    status = 414;
  } else if (version != 10 && version != 11) {
    status = 505;
  } else if (why = ambiguity_of(request, version); !why.empty()) {
    status = 400;
  } else if (!path.has_value() || !split_target(*path, &request.path, &request.parameters)) {
    status = 400;
    why = "the request target is malformed";
  } else if (encoded &&
             !equals_ignoring_ascii_case(*request.header("transfer-encoding"), "chunked")) {
    status = 501;
  }
  if (const std::string_view name = contradicted_header(request); status == 0 && !name.empty()) {
    status = 400;
    why = std::string(name) + " is given with different values";
  }
  if (status == 0) {
    return std::nullopt;
  }
  HttpResponse refusal = error_response(status, why.empty() ? refusal_reason(status) : why);
  refusal.close = true;
  return refusal;
}

bool asks_to_close(const HttpRequest& request) {
  return std::ranges::any_of(request.headers, [](const auto& header) {
    std::string_view list = header.first == "connection" ? std::string_view(header.second) : "";
    bool closes = false;
    while (!closes && !list.empty()) {
      const std::size_t end = std::min(list.find(','), list.size());
      closes = equals_ignoring_ascii_case(trimmed(list.substr(0, end)), "close");
      list.remove_prefix(std::min(end + 1, list.size()));
    }
    return closes;
  });
}

std::string access_line(const HttpRequest& request, const AccessRecord& record) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.key("time");
  json.instant(wall_clock_now_ns());
  json.key("peer");
  json.string(record.peer);
  json.key("method");
  json.string(request.method);
  json.key("path");
  json.string(repair_utf8(request.path));
  json.key("status");
  json.integer(record.status);
  json.key("duration_us");
  json.integer(record.duration_us);
  json.key("request_bytes");
  json.unsigned_integer(request.body.size());
  json.key("response_bytes");
  json.unsigned_integer(record.response_bytes);
  json.key("token");
  json.string(request.identity.token_id);
  json.key("trace_id");
  json.string(record.trace_id);
  json.end_object();
  line.push_back('\n');
  return line;
}

}  // namespace evq
