#include "cli/open_service.h"

#include <charconv>
#include <csignal>

#include "http/fetch.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

QueryControl* interrupted_control = nullptr;  // NOLINT: a signal handler can reach nothing else

void interrupt(int /*signal*/) {
  if (interrupted_control != nullptr) {
    if (interrupted_control->cancelled()) {
      std::signal(SIGINT, SIG_DFL);  // a second Ctrl-C ends the process at once
      std::raise(SIGINT);
    }
    interrupted_control->cancel();
  }
}

// Of a prompt: cancels, and never ends the process.
void cancel_query(int /*signal*/) {
  if (interrupted_control != nullptr) {
    interrupted_control->cancel();
  }
}

}  // namespace

InterruptScope::InterruptScope(std::int64_t timeout_ms)
    : control_(timeout_ms), outer_control_(interrupted_control) {
  interrupted_control = &control_;
  outer_handler_ = std::signal(SIGINT, cancel_query);
}

InterruptScope::~InterruptScope() {
  std::signal(SIGINT, outer_handler_);
  interrupted_control = outer_control_;
}

QueryControl& interrupt_control(std::int64_t timeout_ms) {
  static QueryControl control(timeout_ms);
  interrupted_control = &control;
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  return control;
}

QueryControl& running_control() {
  return interrupted_control != nullptr ? *interrupted_control : interrupt_control();
}

ServiceOptions existing_store() {
  ServiceOptions options;
  options.external.any = true;
  options.external.fetch = fetch_address;
  options.create_store = false;
  return options;
}

Result<std::unique_ptr<Service>> open_service(const GlobalOptions& global, ServiceOptions options) {
  if (options.store_directory.empty()) {
    options.store_directory = global.store;
  }
  options.geo_database = global.geo_database;
  auto service = Service::open(options);
  if (service.ok() || service.error().code != ErrorCode::kNotFound) {
    return service;
  }
  if (options.create_store) {  // the place for it cannot be made
    return make_error(ErrorCode::kIo, service.error().message, "--store names another place");
  }
  return make_error(ErrorCode::kNotFound, "there is no store at " + options.store_directory,
                    "evq ingest DATASET FILE makes one; --store names another");
}

std::string since_time(const std::string& text) {
  const std::string ago = "now-" + text;
  return parse_relative_time(ago, 0).has_value() ? ago : text;
}

bool lacks_unit(std::string_view text) {
  constexpr std::size_t kUnixTimeDigitsMin = 9;
  return !text.empty() && text.size() < kUnixTimeDigitsMin &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::size_t> parse_size(const std::string& text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  std::string unit(at, end);
  if (error == std::errc() && (unit.empty() || unit == "B")) {
    return number;
  }
  if (unit.ends_with('B')) {
    unit.pop_back();
  }
  if (unit.ends_with('i')) {
    unit.pop_back();
  }
  const std::size_t shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (error != std::errc() || shift == 0 || number > (SIZE_MAX >> shift)) {
    return make_error(ErrorCode::kUsage, "'" + text + "' is not a size", "write 512M or 2G");
  }
  return number << shift;
}

}  // namespace evq
