#include "cli/query_target.h"

#include <utility>

#include "apl/service/starred.h"
#include "cli/answer_output.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/remote_server.h"
#include "cli/store_tables.h"
#include "http/wire_answer.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// A few hundred megabytes when events are wide.
constexpr std::uint64_t kPartEventsMax = 262'144;

class LocalTarget final : public QueryTarget {
 public:
  LocalTarget(Service& service, std::unique_ptr<Service> owned)
      : owned_(std::move(owned)),
        service_(service),
        completion_(store_completion_source(service)),
        completer_(*completion_) {}

  Status query(const QueryRequest& request, ResultSink& sink) override {
    return service_.query(request, sink);
  }
  Result<std::string> explain(const QueryRequest& request) override {
    return service_.explain(request);
  }
  Result<std::string> profile(const QueryRequest& request) override {
    return service_.profile(request);
  }
  std::uint64_t part_events_max() const override { return kPartEventsMax; }
  bool caps_answers() const override { return false; }
  Result<std::optional<std::string>> api_answer(const QueryRequest& /*request*/,
                                                const std::string& /*form*/) override {
    return std::optional<std::string>();
  }
  // The number is read first: a dataset that takes the other's place in between is noticed by
  // whoever asks again.
  Result<std::optional<ArrivalEnd>> arrival_end(const std::string& dataset) override {
    EVQ_TRY_ASSIGN(const std::optional<DatasetDefinition> found,
                   service_.store().definitions().find_dataset(dataset));
    const Result<std::uint64_t> end = service_.arrival_end(dataset);
    if (!end.ok() && end.error().code != ErrorCode::kNotFound) {
      return end.error();
    }
    return found.has_value() && end.ok() ? std::optional(ArrivalEnd{end.value(), found->file_id})
                                         : std::nullopt;
  }

  Result<std::vector<std::string>> dataset_names() override { return completion_->dataset_names(); }
  Result<std::string> datasets_table(const DisplayZone& zone) override {
    EVQ_TRY_ASSIGN(const std::vector<std::string> names, dataset_names());
    EVQ_TRY_ASSIGN(const std::vector<ListedDataset> rows, dataset_rows(service_.store(), names));
    return datasets_text(rows, ListForm::kTable, zone);
  }
  Result<std::string> fields_table(const std::string& dataset) override {
    EVQ_TRY_ASSIGN(const std::vector<ListedField> rows, field_rows(service_.store(), dataset));
    return fields_text(rows, ListForm::kTable);
  }
  Result<std::vector<StoredObject>> saved_queries() override {
    return service_.store().definitions().objects(ObjectKind::kSavedQuery, "");
  }
  Result<StoredObject> saved_query(const std::string& id) override {
    return find_starred(service_.store().definitions(), id);
  }
  CompletionAnswer complete(std::string_view text, std::size_t cursor) override {
    return completer_.complete(text, cursor);
  }
  std::optional<Error> mistake(std::string_view text) override { return completer_.mistake(text); }
  CompletionSource& completion() override { return *completion_; }

 private:
  std::unique_ptr<Service> owned_;  // null when somebody else owns it
  Service& service_;
  const std::unique_ptr<CompletionSource> completion_;
  Completer completer_;
};

Result<std::unique_ptr<QueryTarget>> open_local_target(const GlobalOptions& global,
                                                       ServiceOptions options) {
  EVQ_TRY_ASSIGN(std::unique_ptr<Service> service, open_service(global, std::move(options)));
  Service& opened = *service;
  return std::unique_ptr<QueryTarget>(std::make_unique<LocalTarget>(opened, std::move(service)));
}

}  // namespace

std::unique_ptr<QueryTarget> local_target(Service& service) {
  return std::make_unique<LocalTarget>(service, nullptr);
}

Status query_in_form(QueryTarget& target, const QueryRequest& request, const std::string& form,
                     ObservedSink& sink, const ByteSink& out) {
  std::optional<std::string> text;
  if (is_api_form(form)) {
    EVQ_TRY_ASSIGN(text, target.api_answer(request, form));
  }
  if (!text.has_value()) {
    return target.query(request, sink);
  }
  EVQ_TRY_ASSIGN(const QueryStatus status, read_answer_status(*text));
  if (request.limit.value_or(UINT64_MAX) > kResultRowsMax && !request.default_limit.has_value()) {
    EVQ_TRY(check_answer_whole(status, kResultRowsMax));
  }
  sink.observe(status);
  return out(*text + "\n");
}

Result<std::unique_ptr<QueryTarget>> open_query_target(const GlobalOptions& global) {
  if (global.remote()) {
    return open_remote_target(global);
  }
  return open_local_target(global, existing_store());
}

int report_no_target(const Error& error) {
  const int status = report_error(error);
  return error.code == ErrorCode::kNotFound ? error_code_info(ErrorCode::kCompile).exit_status
                                            : status;
}

Result<std::unique_ptr<QueryTarget>> open_store_target(const GlobalOptions& global,
                                                       const std::string& directory) {
  ServiceOptions options = existing_store();
  options.store_directory = directory;
  keep_decoded_data(&options);
  return open_local_target(global, std::move(options));
}

}  // namespace evq
