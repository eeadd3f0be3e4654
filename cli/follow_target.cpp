#include "cli/follow_target.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "apl/syntax/words.h"
#include "cli/interrupt.h"
#include "cli/open_service.h"
#include "cli/remote_server.h"
#include "cli/settings.h"
#include "http/ingest_client.h"
#include "store/base/checksum.h"
#include "store/base/file.h"
#include "store/base/file_lock.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/ingest/byte_source.h"

namespace evq {
namespace {

// Counts rows and drops them.
class RowCount final : public ResultSink {
 public:
  Status begin(const ResultHeader& /*header*/) override { return Status::success(); }
  Status push(const Chunk& chunk, std::span<const RowOrigin> /*origins*/) override {
    rows += chunk.rows();
    return Status::success();
  }
  Status end(const QueryStatus& /*status*/) override { return Status::success(); }
  std::uint64_t rows = 0;
};

// Held for as long as the target lives: of the name that was given, and of where it leads.
using FollowerLocks = std::vector<FileLock>;

// `lock_prefix` and the checksum of `name_prefix` and a path make the path of its lock.
Result<FollowerLocks> lock_follower(const std::string& lock_prefix, const std::string& name_prefix,
                                    const std::string& path) {
  std::vector<std::string> paths{path};
  std::error_code unknown;
  const std::string place = std::filesystem::weakly_canonical(path, unknown).string();
  if (!unknown && place != path) {
    paths.push_back(place);
  }
  FollowerLocks locks;
  for (const std::string& each : paths) {
    const std::string file = lock_prefix + std::to_string(checksum64(name_prefix + each)) + ".lock";
    EVQ_TRY_ASSIGN(std::optional<FileLock> lock, FileLock::try_acquire(file));
    if (!lock.has_value()) {
      return make_error(ErrorCode::kUnavailable, path + " is being followed already",
                        "another evq ingest --follow stores its lines");
    }
    locks.push_back(*std::move(lock));
  }
  return locks;
}

class StoreTarget final : public FollowTarget {
 public:
  StoreTarget(std::unique_ptr<Service> service, std::string dataset, std::string setting,
              FollowerLocks locks)
      : service_(std::move(service)),
        dataset_(std::move(dataset)),
        setting_(std::move(setting)),
        locks_(std::move(locks)) {}

  Result<std::optional<std::string>> progress() override {
    return service_->store().definitions().setting(setting_);
  }
  Status save(const std::string& progress) override {
    return service_->store().definitions().put_setting(setting_, progress);
  }
  Result<IngestReport> ingest(std::string_view text, const IngestRequest& request) override {
    const std::unique_ptr<ByteSource> source = memory_source(text);
    QueryControl unhurried;  // a batch that has begun is finished
    return service_->store().ingest(dataset_, *source, request, unhurried);
  }
  Result<bool> holds(std::int64_t received_ns) override {
    std::string instant;
    append_instant(instant, received_ns);
    QueryRequest query;
    query.apl = syntax::bracket_name(dataset_) + " | where _sysTime == datetime(" + instant +
                ") | take 1 | project _sysTime";
    RowCount count;
    const Status done = service_->query(query, count);
    // A dataset that is not there does not compile, and holds nothing.
    if (!done.ok() && done.error().code != ErrorCode::kCompile) {
      return done.error();
    }
    return done.ok() && count.rows > 0;
  }
  bool exactly_once() const override { return true; }

 private:
  const std::unique_ptr<Service> service_;
  const std::string dataset_;
  const std::string setting_;
  const FollowerLocks locks_;
};

// The progress of each server, dataset and file is a file of its own, which begins with their
// names.
class ServerTarget final : public FollowTarget {
 public:
  ServerTarget(std::unique_ptr<RemoteServer> server, std::string dataset, std::string names,
               std::string file, FollowerLocks locks)
      : server_(std::move(server)),
        dataset_(std::move(dataset)),
        names_(std::move(names)),
        file_(std::move(file)),
        locks_(std::move(locks)) {}

  Result<std::optional<std::string>> progress() override {
    if (!file_exists(file_)) {
      return std::optional<std::string>();
    }
    EVQ_TRY_ASSIGN(const std::string text, read_whole_file(file_, kSmallFileBytesMax));
    const bool ours = text.starts_with(names_ + "\n");
    return ours ? std::optional(text.substr(names_.size() + 1)) : std::nullopt;
  }
  Status save(const std::string& progress) override {
    return write_file_atomically(file_, names_ + "\n" + progress);
  }
  Result<IngestReport> ingest(std::string_view text, const IngestRequest& request) override {
    const std::unique_ptr<ByteSource> source = memory_source(text);
    return ingest_remotely(server_->client(), dataset_, *source, request, interrupt_control());
  }
  Result<bool> holds(std::int64_t /*received_ns*/) override { return false; }
  bool exactly_once() const override { return false; }

 private:
  const std::unique_ptr<RemoteServer> server_;
  const std::string dataset_;
  const std::string names_;
  const std::string file_;
  const FollowerLocks locks_;
};

}  // namespace

Result<std::unique_ptr<FollowTarget>> open_follow_target(const GlobalOptions& global,
                                                         const std::string& dataset,
                                                         const std::string& path) {
  if (global.remote()) {
    EVQ_TRY_ASSIGN(std::unique_ptr<RemoteServer> server, RemoteServer::open(global));
    const std::string prefix = global.settings.value("server") + " " + dataset + " ";
    std::string names = prefix + path;
    const std::string folder = state_directory(process_environment()) + "/follow";
    std::string file = folder + "/" + std::to_string(checksum64(names));
    EVQ_TRY(make_private_directory(folder));
    EVQ_TRY_ASSIGN(FollowerLocks locks, lock_follower(folder + "/", prefix, path));
    return std::unique_ptr<FollowTarget>(std::make_unique<ServerTarget>(
        std::move(server), dataset, std::move(names), std::move(file), std::move(locks)));
  }
  EVQ_TRY_ASSIGN(std::unique_ptr<Service> service, open_service(global, {}));
  const std::string prefix = "follow " + dataset + " ";
  EVQ_TRY_ASSIGN(FollowerLocks locks, lock_follower(global.store + "/follow-", prefix, path));
  return std::unique_ptr<FollowTarget>(
      std::make_unique<StoreTarget>(std::move(service), dataset, prefix + path, std::move(locks)));
}

}  // namespace evq
