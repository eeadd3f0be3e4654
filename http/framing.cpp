#include "http/framing.h"

#include <algorithm>
#include <random>

#include "store/base/control.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"

namespace evq {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool equals_ascii_folded(std::string_view a, std::string_view b) {
  return lower_ascii(a) == lower_ascii(b);
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

bool has_folded_line(std::string_view head) {
  const std::string_view lines = head.substr(0, head.find("\r\n\r\n"));
  return lines.find("\n ") != std::string_view::npos ||
         lines.find("\n\t") != std::string_view::npos;
}

std::string make_trace_id() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  std::string id;
  for (int part = 0; part < 2; ++part) {
    std::uint64_t bits = random();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4U) {
      id.push_back("0123456789abcdef"[bits & 15U]);
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

HttpResponse body_too_large(std::size_t bytes_max) {
  return error_response(413,
                        "the request body is larger than the limit of " + size_text(bytes_max));
}

std::optional<HttpResponse> refuse_head(HttpRequest& request, unsigned version) {
  int status = 0;
  if (request.headers.size() > kHttpHeadersMax) {
    status = 431;
  } else if (request.target.size() > kHttpTargetBytesMax) {
    return error_response(414, "the request target is too long");
  } else if (version != 10 && version != 11) {
    status = 505;
  } else if (request.count_headers("host") > 1 ||
             (version == 11 && request.count_headers("host") == 0) ||
             request.count_headers("content-length") > 1 ||
             !is_digits(request.header("content-length").value_or("0")) ||
             (request.count_headers("content-length") != 0 &&
              request.count_headers("transfer-encoding") != 0)) {
    status = 400;
  } else if (request.count_headers("transfer-encoding") > 1 ||
             !equals_ascii_folded(request.header("transfer-encoding").value_or("chunked"),
                                  "chunked")) {
    status = 501;
  } else if (!request.target.starts_with('/') ||
             !split_target(request.target, &request.path, &request.parameters)) {
    status = 400;
  }
  if (status == 0) {
    return std::nullopt;
  }
  HttpResponse refusal = error_response(status, refusal_reason(status));
  refusal.close = true;
  return refusal;
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
  json.string(request.path);
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
