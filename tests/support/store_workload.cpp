#include "tests/support/store_workload.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "store/ingest/byte_source.h"

namespace evq {

namespace {

constexpr std::string_view kDatasets[] = {"a", "b"};
constexpr std::string_view kNames[] = {"x", "y", "z"};

// The blocks that hold one event.
class EventFilter final : public RowFilter {
 public:
  explicit EventFilter(std::int64_t event) : event_(event) {}
  bool may_match(const SnapshotBlock& /*block*/) const override { return true; }
  Result<BlockMatch> match(StoredBlock& block) const override {
    EVQ_TRY_ASSIGN(const Vector events, block.column("n"));
    BlockMatch match;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      match.rows += events.at<std::int64_t>(i) == event_ ? 1U : 0U;
    }
    return match;
  }

 private:
  std::int64_t event_;
};

Result<std::vector<std::int64_t>> events_of(const Snapshot& snapshot, const SnapshotBlock& info) {
  EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(info));
  EVQ_TRY_ASSIGN(const Vector numbers, block.column("n"));
  std::vector<std::int64_t> events;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    events.push_back(numbers.at<std::int64_t>(i));
  }
  return events;
}

std::string text_of_events(std::int64_t first, std::uint64_t count, std::uint64_t variety) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(first + static_cast<std::int64_t>(i));
    text += "{\"_time\":" + std::to_string(1'600'000'000 + (i * variety) % 50) + ",\"n\":" + n +
            ",\"s\":\"event " + n + "\",\"f" + std::to_string(variety % 5) + "\":" + n + ".5}\n";
  }
  return text;
}

}  // namespace

bool Workload::step(Store& store) {
  maybe_ = now_;
  const std::uint64_t choice = below(100);
  if (choice < 55) {
    return ingest(store);
  }
  if (choice < 70) {
    const std::string dataset(kDatasets[below(2)]);
    if (!now_.datasets.contains(dataset)) {
      return true;
    }
    QueryControl control;
    return finish(
        store.maintain(dataset, choice < 62 ? Maintenance::kFull : Maintenance::kDue, control));
  }
  if (choice < 80) {
    return remove(store);
  }
  if (choice < 83) {
    return drop(store);
  }
  return choice < 94 ? define(store) : undefine(store);
}

bool Workload::finish(Status status) {
  if (!status.ok()) {
    error_ = std::move(status).take_error();
    return false;
  }
  std::swap(now_, maybe_);  // does not allocate: memory may be what is short
  ++acknowledged_;
  return true;
}

bool Workload::ingest(Store& store) {
  const std::string dataset(kDatasets[below(4) == 0 ? 1 : 0]);
  // Small loads become fresh chunks, the others blocks.
  const std::uint64_t count = below(3) == 0 ? 8 + below(30) : 1 + below(4);
  const std::string text = text_of_events(next_event_, count, 1 + below(40));
  for (std::uint64_t i = 0; i < count; ++i) {
    maybe_.datasets[dataset].insert(next_event_++);
  }
  IngestRequest request;
  request.atomic = true;
  request.options.format = InputFormat::kNdjson;
  QueryControl control;
  const auto source = memory_source(text);
  auto report = store.ingest(dataset, *source, request, control);
  return finish(report.ok() ? Status() : std::move(report).take_error());
}

bool Workload::remove(Store& store) {
  const std::string dataset(kDatasets[below(2)]);
  const auto known = now_.datasets.find(dataset);
  if (known == now_.datasets.end() || known->second.empty()) {
    return true;
  }
  auto chosen = known->second.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(below(known->second.size())));
  const std::int64_t event = *chosen;
  {
    auto snapshot = store.snapshot(dataset);
    if (!snapshot.ok()) {
      return finish(std::move(snapshot).take_error());
    }
    for (const SnapshotBlock& info : snapshot->blocks()) {
      auto events = events_of(*snapshot, info);
      if (!events.ok()) {
        return finish(std::move(events).take_error());
      }
      if (std::ranges::find(*events, event) != events->end()) {
        for (const std::int64_t doomed : *events) {
          maybe_.datasets[dataset].erase(doomed);
        }
      }
    }
  }
  QueryControl control;
  auto report = store.remove(dataset, EventFilter(event), Removal::kCommit, control);
  return finish(report.ok() ? Status() : std::move(report).take_error());
}

bool Workload::drop(Store& store) {
  const std::string dataset(kDatasets[1]);
  if (!now_.datasets.contains(dataset)) {
    return true;
  }
  maybe_.datasets.erase(dataset);
  return finish(store.drop_dataset(dataset));
}

bool Workload::define(Store& store) {
  const std::string name(kNames[below(3)]);
  const std::string value = std::to_string(below(1'000'000));
  switch (below(3)) {
    case 0:
      maybe_.definitions["setting " + name] = value;
      return finish(store.definitions().put_setting(name, value));
    case 1: {
      StoredObject object;
      object.id = name;
      object.body = value;
      maybe_.definitions["object " + name] = value;
      return finish(store.definitions().put_object(object));
    }
    default: {
      TokenRecord token;
      token.id = name;
      token.digest = name + std::string(31, '.');
      token.name = value;
      maybe_.definitions["token " + name] = value;
      return finish(store.definitions().tokens().put(token));
    }
  }
}

bool Workload::undefine(Store& store) {
  const std::string name(kNames[below(3)]);
  const bool token = below(2) == 0;
  maybe_.definitions.erase((token ? "token " : "object ") + name);
  auto removed = token ? store.definitions().tokens().remove(name)
                       : store.definitions().remove_object(ObjectKind::kSavedQuery, name, {});
  return finish(removed.ok() ? Status() : std::move(removed).take_error());
}

// Doubled events show up as negative ones, which nobody wants.
Result<Workload::Contents> Workload::read(Store& store) {
  Contents contents;
  EVQ_TRY_ASSIGN(const std::vector<DatasetDefinition> datasets, store.definitions().datasets());
  for (const DatasetDefinition& definition : datasets) {
    Events& events = contents.datasets[definition.name];
    EVQ_TRY_ASSIGN(const Snapshot snapshot, store.snapshot(definition.name));
    for (const SnapshotBlock& info : snapshot.blocks()) {
      EVQ_TRY_ASSIGN(const std::vector<std::int64_t> found, events_of(snapshot, info));
      for (const std::int64_t event : found) {
        events.insert(events.contains(event) ? -event - 1 : event);
      }
    }
  }
  for (const std::string_view name : kNames) {
    EVQ_TRY_ASSIGN(const std::optional<std::string> value, store.definitions().setting(name));
    if (value) {
      contents.definitions["setting " + std::string(name)] = *value;
    }
  }
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> objects,
                 store.definitions().objects(ObjectKind::kSavedQuery, ""));
  for (const StoredObject& object : objects) {
    contents.definitions["object " + object.id] = object.body;
  }
  EVQ_TRY_ASSIGN(const std::vector<TokenRecord> tokens, store.definitions().tokens().list());
  for (const TokenRecord& token : tokens) {
    contents.definitions["token " + token.id] = token.name;
  }
  return contents;
}

void Workload::tidy(Store& store) {
  const Maintenance maintenance = read(store).ok() ? Maintenance::kFull : Maintenance::kDue;
  for (const std::string_view dataset : kDatasets) {
    QueryControl control;
    static_cast<void>(store.maintain(dataset, maintenance, control));
  }
}

std::string Workload::difference(const Contents& found, const Contents& wanted) {
  std::string text;
  for (const std::string_view dataset : kDatasets) {
    const auto a = found.datasets.find(std::string(dataset));
    const auto b = wanted.datasets.find(std::string(dataset));
    const Events none;
    const Events& have = a == found.datasets.end() ? none : a->second;
    const Events& want = b == wanted.datasets.end() ? none : b->second;
    std::vector<std::int64_t> lost;
    std::vector<std::int64_t> extra;
    std::ranges::set_difference(want, have, std::back_inserter(lost));
    std::ranges::set_difference(have, want, std::back_inserter(extra));
    text += " " + std::string(dataset) + ": " + std::to_string(lost.size()) + " lost, " +
            std::to_string(extra.size()) + " too many;";
  }
  return text + (found.definitions == wanted.definitions ? "" : " the definitions differ");
}

std::string Workload::observe(Store& store) {
  auto found = read(store);
  if (!found.ok()) {
    return "unreadable: " + found.error().message;
  }
  // An ingest creates its dataset first, by a commit of its own.
  Contents created = now_;
  for (const auto& [dataset, events] : maybe_.datasets) {
    created.datasets.try_emplace(dataset);
  }
  if (*found != now_ && *found != maybe_ && *found != created) {
    return "neither before nor after the step:" + difference(*found, now_);
  }
  now_ = std::move(found).value();
  maybe_ = now_;
  return "";
}

std::string Workload::verify(Store& store) {
  std::string wrong = observe(store);
  if (!wrong.empty()) {
    return wrong;
  }
  QueryControl control;
  const auto report = store.check(control);
  if (!report.ok()) {
    return "check: " + report.error().message;
  }
  return report->problems.empty()
             ? ""
             : "check: " + report->problems.front().file + ": " + report->problems.front().message;
}

}  // namespace evq
