// evq demo: a dataset to try things on.

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/demo_events.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/remote_server.h"
#include "cli/terminal/number_text.h"
#include "store/base/control.h"

namespace evq {
namespace {

constexpr std::string_view kDataset = "demo";
constexpr std::uint64_t kEventsMax = 100'000'000;

constexpr std::string_view kQueries = R"(Try:
  evq query "demo | take 5"
  evq query "demo | summarize count() by status"
  evq query "demo | where status >= 500 | summarize errors = count() by bin(_time, 1h), region"
  evq query "demo | search 'bank-gateway' | project _time, region, message | take 5"
  evq query "demo | summarize percentiles(duration_ms, 50, 95, 99) by path"
  evq tail demo "where status >= 500" -n 3
  evq export demo --output demo.parquet
  evq dataset fields demo
  evq dataset delete demo --yes     # when you have seen enough
)";

Result<bool> has_events(Store& store) {
  const auto stats = store.stats(kDataset);
  if (stats.ok()) {
    return stats.value().rows > 0;
  }
  return stats.error().code == ErrorCode::kNotFound ? Result<bool>(false) : stats.error();
}

Status make_demo(const GlobalOptions& global, const DemoCommand& command) {
  EVQ_TRY(check_local(global, "demo"));
  if (command.events == 0 || command.events > kEventsMax) {
    return make_error(ErrorCode::kUsage, "--events takes 1 to " + grouped_text(kEventsMax));
  }
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service, open_service(global, {}));
  EVQ_TRY_ASSIGN(const bool there, has_events(service->store()));
  if (there) {
    print_note(global, "the dataset demo is there already, in " + global.store);
  } else {
    const auto source = demo_events(command.events, wall_clock_now_ns());
    EVQ_TRY_ASSIGN(const IngestReport report,
                   service->store().ingest(kDataset, *source, {}, interrupt_control()));
    print_note(global, "made the dataset demo, " + grouped_text(report.counts.ingested) +
                           " requests of the last day, in " + global.store);
  }
  return stdout_sink()(kQueries);
}

}  // namespace

int run_demo(const GlobalOptions& global, const DemoCommand& command) {
  return report_end(make_demo(global, command));
}

}  // namespace evq
