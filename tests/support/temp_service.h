#pragma once
// TempService: a service over a store of its own, in a directory that goes with it.
// What cannot be opened or loaded fails the test. One thread.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "apl/service/service.h"
#include "store/ingest/byte_source.h"
#include "tests/support/temp_store.h"

namespace evq {

class TempService {
 public:
  // With other options than where the store is; one worker unless told otherwise.
  explicit TempService(ServiceOptions options = {}) {
    options.store_directory = folder_.path();
    options.workers = std::max<std::size_t>(options.workers, 1);
    auto opened = Service::open(options);
    REQUIRE(opened.ok());
    service_ = std::move(opened).value();
  }

  Service* operator->() const { return service_.get(); }
  Store& store() const { return service_->store(); }
  // `events` as NDJSON.
  void ingest(std::string_view dataset, std::string_view events) const {
    QueryControl control;
    const std::unique_ptr<ByteSource> source = memory_source(events);
    REQUIRE(store().ingest(dataset, *source, {}, control).ok());
  }

 private:
  const TempDirectory folder_;
  std::unique_ptr<Service> service_;
};

}  // namespace evq
