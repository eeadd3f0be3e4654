// links: evq_http
// bytes: 2048
// Any bytes as requests of one connection, parsed as the server parses them: read at once and read
// a few bytes at a time, the same heads, bodies and refusals come out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/beast_support.h"
#include "http/framing.h"
#include "http/limits.h"
#include "http/message.h"
#include "store/base/ascii.h"

namespace {

using Parser = evq::http::request_parser<evq::http::buffer_body>;

constexpr std::size_t kBodyBytesMax = 4096;

// Everything there is to know about one head.
std::string head_of(const Parser& parser) {
  evq::HttpRequest request;
  const auto& message = parser.get();
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    request.headers.emplace_back(evq::ascii_lower({name.data(), name.size()}),
                                 std::string(value.data(), value.size()));
  }
  const auto refusal = evq::refuse_head(request, message.version());
  std::string text = request.method + " " + request.target + " " + request.path;
  for (const auto& [name, value] : request.parameters) {
    text += "&" + name + "=" + value;
  }
  for (const auto& [name, value] : request.headers) {
    text += "\n" + name + ":" + value;
  }
  return text + (refusal ? "\nrefused " + std::to_string(refusal->status) : "\ntaken");
}

// One request from `bytes`, at most `step` of them at a time; how many it took, or nothing when it
// needs more or is no request.
std::optional<std::size_t> parse_one(std::string_view bytes, std::size_t step, std::string* out) {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(evq::kHttpHeaderBytesMax));
  parser.body_limit(boost::none);
  std::string body(kBodyBytesMax, '\0');
  parser.get().body().data = body.data();
  parser.get().body().size = body.size();
  std::size_t taken = 0;
  std::size_t offered = std::min(step, bytes.size());
  bool head_seen = false;
  while (!parser.is_done()) {
    evq::error_code error;
    const std::size_t used =
        parser.put(evq::asio::buffer(bytes.data() + taken, offered - taken), error);
    taken += used;
    if (!head_seen && parser.is_header_done()) {
      *out += head_of(parser) + "\n";
      head_seen = true;
    }
    const bool more = error == evq::http::error::need_more;
    if (error == evq::http::error::need_buffer) {
      *out += "too long\n";
      return std::nullopt;
    }
    if (error && !more) {
      *out += "error " + std::to_string(evq::status_of(error)) + "\n";
      return std::nullopt;
    }
    if (!parser.is_done() && used == 0 && offered == bytes.size()) {
      return std::nullopt;
    }
    offered = std::min(bytes.size(), std::max(offered, taken) + (used == 0 || more ? step : 0));
  }
  *out += "body " + body.substr(0, kBodyBytesMax - parser.get().body().size) + "\n";
  return taken;
}

std::string parse_all(std::string_view bytes, std::size_t step) {
  std::string out;
  while (!bytes.empty()) {
    const auto taken = parse_one(bytes, step, &out);
    if (!taken || *taken == 0) {
      break;
    }
    bytes.remove_prefix(*taken);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = parse_all(bytes, bytes.size());
  const std::string parts = parse_all(bytes, 1 + data[0] % 32);
  // Where a request is incomplete, its head may be known in one way of reading only.
  const std::size_t common = std::min(whole.size(), parts.size());
  if (whole.compare(0, common, parts, 0, common) != 0) {
    __builtin_trap();
  }
  return 0;
}
