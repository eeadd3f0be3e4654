#include "cli/open_service.h"

#include <atomic>
#include <csignal>

#include "http/fetch.h"
#include "store/base/process.h"

namespace evq {
namespace {

QueryControl* interrupted_control = nullptr;  // NOLINT: a signal handler can reach nothing else

volatile std::sig_atomic_t ending_signal = SIGINT;  // NOLINT: the same

// timeout(1) signals the process and then its group, a terminal that is closed sends two signals:
// what comes this soon is no second Ctrl-C.
constexpr std::int64_t kRepeatNs = 200'000'000;

std::atomic<std::int64_t> interrupted_at = 0;  // NOLINT: the same; on the monotonic clock
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

void interrupt(int signal) {
  const std::int64_t now = monotonic_now_ns();
  if (interrupted_control == nullptr) {
    return;
  }
  if (!interrupted_control->cancelled()) {
    ending_signal = signal;
    interrupted_at = now;
    interrupted_control->cancel();
  } else if (now - interrupted_at >= kRepeatNs) {
    std::signal(signal, SIG_DFL);  // a second Ctrl-C ends the process at once
    std::raise(signal);
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
  if (std::signal(SIGHUP, interrupt) == SIG_IGN) {  // nohup
    std::signal(SIGHUP, SIG_IGN);
  }
  return control;
}

int interrupted_status() {
  constexpr int kSignalStatus = 128;
  return kSignalStatus + ending_signal;
}

bool is_interrupted() {
  return interrupted_control != nullptr && interrupted_control->cancelled();
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

bool store_has_dataset(const GlobalOptions& global, const std::string& name) {
  const auto service = open_service(global, existing_store());
  if (!service.ok()) {
    return false;
  }
  const auto found = service.value()->store().definitions().find_dataset(name);
  return found.ok() && found.value().has_value();
}

void keep_decoded_data(ServiceOptions* options) {
  options->cache_bytes = kCacheBytesDefault;
  options->cache_bytes_grown = memory_bytes() / kCacheMemoryShare;
}

Result<std::unique_ptr<Service>> open_service(const GlobalOptions& global, ServiceOptions options) {
  if (options.store_directory.empty()) {
    options.store_directory = global.store;
  }
  options.geo_database = global.geo_database;
  raise_descriptor_limit();
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

}  // namespace evq
