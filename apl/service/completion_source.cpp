#include "apl/service/completion_source.h"

#include "apl/service/service.h"
#include "apl/service/snapshot_tables.h"

namespace evq {
namespace {

class StoreSource final : public CompletionSource {
 public:
  StoreSource(Service& service, std::function<bool(const std::string&)> may_read)
      : service_(service), may_read_(std::move(may_read)) {}

  Result<std::vector<std::string>> dataset_names() override {
    return SnapshotTables(service_.store(), may_read_).table_names();
  }
  // The snapshot goes with the call: nothing stays pinned.
  Result<CompletionTable> table(const std::string& dataset) override {
    SnapshotTables tables(service_.store(), may_read_);
    EVQ_TRY_ASSIGN(plan::TableInfo info, tables.table(dataset));
    CompletionTable table{info.schema, std::move(info.map_fields), {}};
    for (plan::VirtualField& field : info.virtual_fields) {
      table.virtual_fields.emplace_back(std::move(field.name), std::move(field.expression));
    }
    return table;
  }
  Status query(const QueryRequest& request, ResultSink& sink) override {
    QueryRequest allowed = request;
    allowed.may_read = may_read_;
    return service_.query(allowed, sink);
  }
  std::int64_t believed_for_ns() const override { return 2'000'000'000; }

 private:
  Service& service_;
  const std::function<bool(const std::string&)> may_read_;
};

}  // namespace

std::unique_ptr<CompletionSource> store_completion_source(
    Service& service, std::function<bool(const std::string&)> may_read) {
  return std::make_unique<StoreSource>(service, std::move(may_read));
}

}  // namespace evq
