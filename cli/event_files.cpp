#include "cli/event_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "apl/service/service.h"
#include "cli/ingest_options.h"
#include "cli/input_files.h"
#include "cli/input_notes.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/rewritten_source.h"
#include "cli/skipped_lines.h"
#include "cli/text_tables.h"
#include "cli/time_field.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/ingest/byte_source.h"

namespace evq {
namespace {

// What of the file's name a dataset can be called.
std::string dataset_name(const std::string& file) {
  if (file == "-") {
    return "stdin";
  }
  const std::string base = std::filesystem::path(file).filename().string();
  std::string name = base.substr(0, std::min(base.find('.', 1), kDatasetNameBytesMax));
  std::ranges::replace_if(
      name, [](char c) { return !is_letter_or_digit(c) && c != '-'; }, '_');
  name.erase(0, name.find_first_not_of("-_"));
  name.erase(name.find_last_not_of("-_") + 1);  // npos + 1 is 0
  return name.empty() ? "events" : name;
}

}  // namespace

Result<EventFiles> EventFiles::load(const std::vector<std::string>& files,
                                    const IngestOptions& reading, const Skipped& skipped,
                                    InputNotes* notes) {
  EVQ_TRY(check_inputs(files));
  EVQ_TRY_ASSIGN(ScratchFolder folder, ScratchFolder::make());
  EventFiles loaded(std::move(folder));
  ServiceOptions options;
  options.store_directory = loaded.directory();
  options.scratch_store = true;
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service, Service::open(options));
  const std::int64_t now_ns = wall_clock_now_ns();
  for (const std::string& path : files) {
    File file = File::standard_input();
    if (path != "-") {
      EVQ_TRY_ASSIGN(file, File::open_input(path, interrupt_control()));
    }
    const std::string shown = path == "-" ? "stdin" : path;
    const std::string dataset = dataset_name(path);
    if (std::ranges::find(loaded.datasets_, dataset) == loaded.datasets_.end()) {
      loaded.datasets_.push_back(dataset);
    }
    IngestRequest request;
    if (skipped) {
      request.reject = [&](std::string_view /*text*/, const IngestFailure& failure) {
        skipped(shown, failure);
      };
    }
    request.clock = [now_ns] { return now_ns; };
    bool any = false;
    request.committed = [&](const IngestCounts& counts) {
      any = any || counts.ingested > 0;
      loaded.untimed_ = loaded.untimed_ && counts.untimed == counts.ingested;
    };
    const std::unique_ptr<ByteSource> decoded = decoded_source(file_source(std::move(file)), {});
    RewrittenSource rewritten(*decoded);
    auto begun = rewritten.begin(reading, interrupt_control());
    if (!begun.ok()) {
      return input_error(std::move(begun).take_error(), path);
    }
    request.options = std::move(begun).value();
    request.options.format = format_of_one_column(path, rewritten.head(), request.options);
    InputHead source(rewritten);
    auto done = service->store().ingest(dataset, source, request, interrupt_control());
    if (!done.ok()) {
      Error error = std::move(done).take_error();
      if (any && error.code == ErrorCode::kData) {
        loaded.broken_ = loaded.broken_.value_or(input_error(std::move(error), path));
        continue;
      }
      return input_error(notes != nullptr ? notes->with_header_hint(std::move(error), path) : error,
                         path);
    }
    const IngestCounts& counts = done.value().counts;
    if (notes != nullptr) {
      notes->note_table_in_text(path, source.text(), request.options);
      notes->note_header(path, source.text(), request.options, counts);
      notes->note_odd_values(path, counts);
    }
    for (const std::string& note : evq::time_notes(source.text(), request.options, counts)) {
      loaded.time_notes_.push_back("note: " + shown + ": " + note);
    }
  }
  return loaded;
}

std::string EventFiles::all_events() const {
  return datasets_.size() == 1 ? "['" + datasets_[0] + "']" : "union *";
}

Result<EventFiles> load_event_files(const GlobalOptions& global,
                                    const std::vector<std::string>& files,
                                    const ReadingOptions& reading, const std::string& reads_pipe) {
  EVQ_TRY_ASSIGN(const IngestOptions options, make_reading_options(reading));
  SkippedLines skipped(global);
  InputNotes notes(global, reads_pipe, true);
  auto loaded = EventFiles::load(
      files, options,
      [&](const std::string& file, const IngestFailure& failure) { skipped.note(file, failure); },
      &notes);
  skipped.note_rest();
  notes.note_rest();
  return loaded;
}

}  // namespace evq
