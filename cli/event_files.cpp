#include "cli/event_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "apl/service/service.h"
#include "cli/ingest_options.h"
#include "cli/input_files.h"
#include "cli/input_notes.h"
#include "cli/interrupt.h"
#include "cli/loading_progress.h"
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

// Of files that give no name, and of many together.
constexpr std::string_view kNoName = "events";

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
  return name.empty() ? std::string(kNoName) : name;
}

// Whether the query is about the events of all files and cannot mean those of some: it begins with
// a bar, or is empty, and has neither a name of them nor a word that reads several datasets.
bool tells_none_apart(std::string_view query, const std::set<std::string>& names) {
  constexpr std::array<std::string_view, 3> kReadsSeveral = {"union", "search", "find"};
  const auto has = [&](std::string_view word) {
    return query.find(word) != std::string_view::npos;
  };
  return (trimmed(query).empty() || trimmed(query).starts_with('|')) &&
         std::ranges::none_of(names, has) && std::ranges::none_of(kReadsSeveral, has);
}

// What is true of a store that is kept does not help with one for a single query.
Error in_scratch_store(Error error) {
  if (error.code == ErrorCode::kDiskFull) {
    error.hint = "free some space, or name a folder on another disk with TMPDIR";
  }
  return error;
}

Result<std::unique_ptr<Service>> open_scratch_service(const std::string& directory) {
  ServiceOptions options;
  options.store_directory = directory;
  options.scratch_store = true;
  auto service = Service::open(options);
  return service.ok()
             ? std::move(service)
             : Result<std::unique_ptr<Service>>(in_scratch_store(std::move(service).take_error()));
}

}  // namespace

// One load of files, of which `loaded` becomes what is to be known.
class EventFileLoader {
 public:
  EventFileLoader(const GlobalOptions& global, Service& service, const IngestOptions& reading,
                  const std::string& reads_pipe, bool together, EventFiles* loaded)
      : global_(global),
        service_(service),
        reading_(reading),
        skipped_(global),
        notes_(global, reads_pipe, true),
        together_(together),
        loaded_(*loaded) {}

  Status load(const std::string& path) {
    File file = File::standard_input();
    if (path != "-") {
      EVQ_TRY_ASSIGN(file, File::open_input(path, interrupt_control()));
    }
    IngestOptions options = reading_;
    options.written_ns = path == "-" ? std::nullopt : written_ns(file);
    const std::string shown = path == "-" ? "stdin" : path;
    LoadingProgress progress(global_, shown, file);
    const std::unique_ptr<ByteSource> decoded =
        decoded_source(progress.source_of(std::move(file)), {});
    RewrittenSource rewritten(*decoded);
    auto begun = rewritten.begin(std::move(options), interrupt_control());
    if (!begun.ok()) {
      return input_error(std::move(begun).take_error(), path);
    }
    IngestRequest request;
    request.options = read_as_named(path, rewritten.head(), std::move(begun).value());
    request.clock = [this] { return now_ns_; };
    request.reject = [&](std::string_view /*text*/, const IngestFailure& failure) {
      progress.clear();
      skipped_.note(shown, failure);
    };
    bool any = false;
    request.committed = [&](const IngestCounts& counts) {
      any = any || counts.ingested > 0;
      loaded_.untimed_ = loaded_.untimed_ && counts.untimed == counts.ingested;
      progress.update(counts.ingested);
    };
    InputHead source(rewritten);
    auto done = service_.store().ingest(dataset_of(path), source, request, interrupt_control());
    progress.clear();
    if (!done.ok()) {
      return fail(std::move(done).take_error(), path, any);
    }
    note_input(path, shown, source, request.options, done.value().counts);
    return {};
  }

  void note_rest() const {
    skipped_.note_rest();
    notes_.note_rest();
  }

 private:
  std::string dataset_of(const std::string& path) {
    std::string dataset = together_ ? std::string(kNoName) : dataset_name(path);
    if (std::ranges::find(loaded_.datasets_, dataset) == loaded_.datasets_.end()) {
      loaded_.datasets_.push_back(dataset);
    }
    return dataset;
  }

  // What came before a break in the data is there; `any`: that is something.
  Status fail(Error error, const std::string& path, bool any) {
    if (any && error.code == ErrorCode::kData) {
      loaded_.broken_ = loaded_.broken_.value_or(input_error(std::move(error), path));
      return {};
    }
    return input_error(in_scratch_store(notes_.with_header_hint(std::move(error), path)), path);
  }

  void note_input(const std::string& path, const std::string& shown, const InputHead& source,
                  const IngestOptions& options, const IngestCounts& counts) {
    notes_.note_repairs(path, counts);
    if (!notes_.note_table_in_text(path, source.text(), options)) {
      notes_.note_forms_of_lines(path, source.text(), options);
    }
    notes_.note_multiline(path, source.text(), options);
    notes_.note_header(path, source.text(), options, counts);
    notes_.note_odd_values(path, counts);
    notes_.note_listed_events(path, source.text(), counts);
    for (const std::string& note : evq::time_notes(source.text(), options, counts)) {
      loaded_.time_notes_.push_back("note: " + shown + ": " + note);
    }
  }

  const GlobalOptions& global_;
  Service& service_;
  const IngestOptions& reading_;
  const std::int64_t now_ns_ = wall_clock_now_ns();
  SkippedLines skipped_;
  InputNotes notes_;
  const bool together_;  // in one dataset
  EventFiles& loaded_;
};

Result<EventFiles> EventFiles::none() {
  EVQ_TRY_ASSIGN(ScratchFolder folder, ScratchFolder::make());
  EventFiles none(std::move(folder));
  EVQ_TRY(open_scratch_service(none.directory()));
  return none;
}

Result<EventFiles> EventFiles::load(const GlobalOptions& global,
                                    const std::vector<std::string>& files,
                                    const ReadingOptions& reading, const std::string& reads_pipe,
                                    std::optional<std::string_view> query) {
  EVQ_TRY_ASSIGN(const IngestOptions options, make_reading_options(reading));
  EVQ_TRY(check_inputs(files));
  EVQ_TRY_ASSIGN(ScratchFolder folder, ScratchFolder::make());
  EventFiles loaded(std::move(folder));
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service, open_scratch_service(loaded.directory()));
  std::set<std::string> names;
  std::ranges::transform(files, std::inserter(names, names.end()), dataset_name);
  const bool together =
      names.size() > kFileDatasetsMax && query.has_value() && tells_none_apart(*query, names);
  EventFileLoader loader(global, *service, options, reads_pipe, together, &loaded);
  Status done;
  for (std::size_t i = 0; i < files.size() && done.ok(); ++i) {
    done = loader.load(files[i]);
  }
  loader.note_rest();
  EVQ_TRY(std::move(done));
  return loaded;
}

std::string EventFiles::all_events() const {
  return datasets_.size() == 1 ? "['" + datasets_[0] + "']" : "union *";
}

}  // namespace evq
