// evq demo: a dataset to try things on.

#include <functional>
#include <memory>
#include <utility>

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/demo_events.h"
#include "cli/interrupt.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/remote_catalog.h"
#include "cli/remote_server.h"
#include "cli/shell_word.h"
#include "cli/terminal/number_text.h"
#include "http/ingest_client.h"
#include "store/base/control.h"
#include "store/base/told_number.h"

namespace evq {
namespace {

constexpr std::string_view kDataset = "demo";
constexpr std::uint64_t kEventsMax = 100'000'000;

// What follows evq in commands to try.
constexpr std::string_view kCommands[] = {
    R"(query "demo | take 5")",
    R"(query "demo | summarize count() by status")",
    R"(query "demo | where status >= 500 | summarize count() by bin(_time, 1h) | render timechart")",
    R"(query "demo | search 'bank-gateway' | project _time, region, message | take 5")",
    R"(query "demo | summarize percentiles(duration_ms, 50, 95, 99) by path")",
    R"(tail demo "where status >= 500" -n 3)",
    "export demo --output demo.parquet",
    "dataset fields demo",
    "dataset delete demo --yes     # when you have seen enough",
};

std::string things_to_try(const std::string& evq) {
  std::string text = "Try:\n";
  for (const std::string_view command : kCommands) {
    text.append("  ").append(evq).append(" ").append(command).append("\n");
  }
  return text + "Or " + evq + " alone, for a prompt with completion.\n";
}

struct Demo {
  std::uint64_t events_there = 0;
  std::function<Result<IngestReport>(ByteSource& events)> ingest;
  std::string place;
};

Result<Demo> open_store_demo(const GlobalOptions& global) {
  EVQ_TRY_ASSIGN(std::unique_ptr<Service> opened, open_service(global, {}));
  const std::shared_ptr<Service> service = std::move(opened);
  const auto stats = service->store().stats(kDataset);
  if (!stats.ok() && stats.error().code != ErrorCode::kNotFound) {
    return stats.error();
  }
  return Demo{stats.ok() ? stats.value().rows : 0,
              [service](ByteSource& events) {
                return service->store().ingest(kDataset, events, {}, interrupt_control());
              },
              global.store};
}

Result<Demo> open_server_demo(const GlobalOptions& global) {
  EVQ_TRY_ASSIGN(std::unique_ptr<RemoteServer> opened, RemoteServer::open(global));
  const std::shared_ptr<RemoteServer> server = std::move(opened);
  const auto dataset = remote_dataset(*server, std::string(kDataset));
  if (!dataset.ok() && dataset.error().code != ErrorCode::kNotFound) {
    return dataset.error();
  }
  Demo demo;
  if (dataset.ok()) {
    demo.events_there = dataset.value().stats.has_value() ? dataset.value().stats->rows : 1;
  }
  demo.ingest = [server](ByteSource& events) {
    return ingest_remotely(server->client(), kDataset, events, {}, interrupt_control());
  };
  demo.place = global.settings.value("server");
  return demo;
}

Status make_demo(const GlobalOptions& global, const DemoCommand& command) {
  if (command.events == 0 || command.events > kEventsMax) {
    return make_error(ErrorCode::kUsage, "--events takes 1 to " + grouped_text(kEventsMax));
  }
  EVQ_TRY_ASSIGN(const Demo demo,
                 global.remote() ? open_server_demo(global) : open_store_demo(global));
  if (demo.events_there > 0) {
    print_note(global, "the dataset demo is there already, in " + demo.place);
  } else {
    const auto source = demo_events(command.events, wall_clock_now_ns());
    EVQ_TRY_ASSIGN(const IngestReport report, demo.ingest(*source));
    print_note(global, "made the dataset demo, " + grouped_text(report.counts.ingested) +
                           " requests of the last day, in " + demo.place);
  }
  return plain_sink()(things_to_try(evq_command(global)));
}

}  // namespace

int run_demo(const GlobalOptions& global, const DemoCommand& command) {
  return report_end(make_demo(global, command));
}

}  // namespace evq
