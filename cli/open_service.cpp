#include "cli/open_service.h"

#include <mutex>

#include <unistd.h>

#include "cli/output.h"
#include "cli/store_exposure.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/text_width.h"
#include "http/fetch.h"
#include "store/base/file_lock.h"
#include "store/base/process.h"

namespace evq {
namespace {

// Once: verbs that open a store twice open the same one.
void tell_of_exposure(const GlobalOptions& global, const std::string& directory) {
  static std::once_flag told;
  std::call_once(told, [&] {
    if (const std::string remark = store_exposure(directory); !remark.empty()) {
      print_note(global, "note: " + remark);
    }
  });
}

void note_wait(const std::string& path, const std::string& holder) {
  constexpr std::string_view kOverProgress = "\r\x1b[K";  // which is drawn again below
  write_quietly(STDERR_FILENO, std::string(kOverProgress) + "waiting for " + holder +
                                   ", which holds " + visible_text(path) + "; Ctrl-C gives up\n");
}

}  // namespace

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

void tell_of_wait(const GlobalOptions& global) {
  FileLock::tell_of_wait(shows_progress(global) ? note_wait : nullptr);
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
  if (service.ok() && !options.scratch_store) {
    tell_of_exposure(global, options.store_directory);
  }
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
