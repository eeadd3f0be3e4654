// evq_query_tests [--rewrite] [--matrix] FILE…: runs the .test files. Every query block runs in
// several configurations that must all give the one expectation: block sizes, workers, optimiser
// on and off, dictionaries flattened; with --matrix also each pass of the optimiser off. --rewrite
// fills the expectations from the first one, and refuses when configurations disagree.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/plan/optimizer.h"
#include "apl/service/service.h"
#include "apl/syntax/source.h"
#include "store/base/file.h"
#include "store/base/time_parse.h"
#include "store/ingest/byte_source.h"
#include "tests/support/answer_text.h"
#include "tests/support/reference.h"
#include "tests/support/test_file.h"

namespace evq {
namespace {

struct Configuration {
  std::string name;
  std::uint32_t block_rows;
  std::size_t workers;
  bool optimize;
  bool force_flat;
  bool force_parts = false;
  std::optional<std::size_t> join_left_rows{};
  // Of each query; 0: enough. With so little that groups, joins and sorts are made some at a time,
  // rows come in another order where none is asked for, and what needs more is no answer.
  std::size_t memory_bytes = 0;
  std::optional<std::size_t> rows_at_once{};
  std::vector<std::string_view> passes_off{};
};

const std::vector<Configuration>& configurations(bool matrix) {
  static const std::vector<Configuration> kUsual = {
      {"default", 65536, 2, true, false},
      {"blocks of 1 row, groups in parts, left sides first", 1, 2, true, false, true, 65536},
      {"blocks of 7 rows, 1 worker, left sides first up to 3 rows", 7, 1, true, true, false, 3},
      {"no optimiser", 65536, 1, false, false},
      {"hardly any memory", 65536, 2, true, false, false, {}, 1000},
      {"little memory", 7, 2, true, false, false, {}, 10000},
      {"blocks of 7 rows, read 3 at a time", 7, 2, true, false, true, {}, 0, 3},
  };
  static const std::vector<Configuration> kAll = [] {
    std::vector<Configuration> made;
    for (const std::uint32_t rows : {1U, 7U, 65536U}) {
      for (const std::size_t workers : {std::size_t{1}, std::size_t{4}}) {
        for (const bool optimize : {true, false}) {
          for (const bool flat : {false, true}) {
            made.push_back({"block_rows=" + std::to_string(rows) +
                                " workers=" + std::to_string(workers) +
                                (optimize ? "" : " no optimiser") + (flat ? " flat" : ""),
                            rows, workers, optimize, flat, workers > 1 && !flat,
                            rows == 65536 ? std::nullopt : std::optional(rows * 3), 0,
                            rows == 7 && !flat ? std::optional<std::size_t>(3) : std::nullopt});
          }
        }
      }
    }
    for (const plan::OptimizerPass& pass : plan::optimizer_passes()) {
      Configuration without{"without " + std::string(pass.name), 7, 2, true, false};
      without.passes_off.push_back(pass.name);
      made.push_back(std::move(without));
    }
    return made;
  }();
  return matrix ? kAll : kUsual;
}

constexpr std::int64_t kTwinNow = 1'700'000'000'000'000'000;
const Configuration kTwin = {"slow twin", 0, 0, false, false};

// The store of one configuration while a file runs.
class TestStore {
 public:
  TestStore(const Configuration& configuration, std::string directory)
      : configuration_(configuration), directory_(std::move(directory)) {
    open();
  }
  ~TestStore() {
    service_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  TestStore(const TestStore&) = delete;
  TestStore& operator=(const TestStore&) = delete;

  void open() {
    service_.reset();
    ServiceOptions options;
    options.store_directory = directory_;
    options.block_rows = configuration_.block_rows;
    options.workers = configuration_.workers;
    options.memory_limit_bytes = configuration_.memory_bytes;
    auto opened = Service::open(options);
    if (!opened.ok()) {
      std::fprintf(stderr, "cannot open a store: %s\n", opened.error().message.c_str());
      std::exit(1);
    }
    service_ = std::move(opened).value();
  }

  // "" or what went wrong.
  std::string ingest(const TestBlock& block) {
    IngestRequest request;
    request.options.batch_rows_max = configuration_.block_rows;
    const std::string time = block.option("timestamp-field");
    request.options.timestamp_field = time;
    if (const std::string spans = block.option("timespan-field"); !spans.empty()) {
      request.options.timespan_fields.push_back(spans);
    }
    if (const std::string map = block.option("map-field"); !map.empty()) {
      DatasetDefinition definition;
      definition.name = block.words.at(0);
      definition.map_fields.push_back(map);
      auto made = service_->store().definitions().create_dataset(definition);
      if (!made.ok()) {
        return made.error().message;
      }
    }
    // Receipt times must not differ between configurations.
    request.clock = [] { return std::int64_t{1'700'000'000'000'000'000}; };
    QueryControl control;
    const auto source = memory_source(block.body);
    auto report = service_->store().ingest(block.words.at(0), *source, request, control);
    return report.ok() ? "" : report.error().message;
  }

  // The slow twin's answer; nothing where it does not know a node of the plan.
  std::optional<std::string> twin_answer(const TestBlock& block, std::int64_t now, bool unordered) {
    auto answer = reference_answer(service_->store(), block.body, now);
    if (!answer.ok()) {
      return answer.error().code == ErrorCode::kUnsupported
                 ? std::nullopt
                 : std::optional(render(block.body, answer.error()));
    }
    return reference_text(answer.value(), unordered);
  }

  std::string answer(const TestBlock& block, std::optional<std::int64_t> now, bool unordered) {
    QueryRequest request;
    request.apl = block.body;
    request.optimize = configuration_.optimize;
    request.passes_off = configuration_.passes_off;
    request.force_flat = configuration_.force_flat;
    request.force_parts = configuration_.force_parts;
    request.join_left_rows = configuration_.join_left_rows;
    request.rows_at_once = configuration_.rows_at_once;
    request.now_ns = now;
    if (block.directive == "plan") {
      request.optimize = true;
      const auto plan = service_->explain(request);
      std::string text = plan.ok() ? plan.value() : render(block.body, plan.error());
      while (text.ends_with('\n')) {
        text.pop_back();
      }
      return text;
    }
    AnswerText sink;
    const Status done = service_->query(request, sink);
    return done.ok() ? sink.text(unordered) : render(block.body, done.error());
  }

 private:
  static std::string render(const std::string& query, const Error& error) {
    return error.span.has_value() ? SourceText(query).render_line(error) : "error " + error.message;
  }

  const Configuration& configuration_;
  std::string directory_;
  std::unique_ptr<Service> service_;
};

class FileRun {
 public:
  FileRun(TestFile file, bool matrix, bool rewrite)
      : file_(std::move(file)), matrix_(matrix), answers_(file_.blocks.size()), rewrite_(rewrite) {}

  void run() {
    for (const Configuration& configuration : configurations(matrix_)) {
      run_configuration(configuration);
    }
    if (rewrite_ && failed_ == 0) {
      const std::string text = rewrite_test_file(file_, answers_);
      std::FILE* out = std::fopen(file_.path.c_str(), "w");
      std::fwrite(text.data(), 1, text.size(), out);
      std::fclose(out);
    }
  }
  int passed() const { return passed_; }
  int failed() const { return failed_; }

 private:
  void run_configuration(const Configuration& configuration) {
    std::string pattern = (std::filesystem::temp_directory_path() / "evq-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      std::fprintf(stderr, "cannot make a temporary directory\n");
      std::exit(1);
    }
    TestStore store(configuration, pattern);
    std::optional<std::int64_t> now;
    for (std::size_t i = 0; i < file_.blocks.size(); ++i) {
      const TestBlock& block = file_.blocks[i];
      if (block.directive == "dataset" || block.directive == "ingest") {
        const std::string problem = store.ingest(block);
        check(block, configuration, problem.empty(), problem, "");
      } else if (block.directive == "now") {
        now = parse_now(block);
      } else if (block.directive == "restart") {
        store.open();
      } else if (block.directive == "query" || block.directive == "error" ||
                 block.directive == "plan") {
        run_query(store, configuration, i, now);
      } else {
        check(block, configuration, false, "unknown directive '" + block.directive + "'", "");
      }
    }
  }

  static std::optional<std::int64_t> parse_now(const TestBlock& block);

  void run_query(TestStore& store, const Configuration& configuration, std::size_t index,
                 std::optional<std::int64_t> now) {
    const TestBlock& block = file_.blocks[index];
    const bool plan = block.directive == "plan";
    if (plan && &configuration != &configurations(matrix_)[0]) {
      return;
    }
    const bool short_of_memory = configuration.memory_bytes != 0;
    const bool unordered = short_of_memory || block.has_word("unordered");
    const double approx = std::strtod(block.option("approx").c_str(), nullptr);
    const std::string got = store.answer(block, now, unordered);
    if (short_of_memory && (rewrite_ || got.find("memory limit of ") != std::string::npos)) {
      return;
    }
    if (rewrite_) {
      if (!answers_[index].has_value()) {
        answers_[index] = got;
        ++passed_;
      } else {
        check(block, configuration, answers_agree(got, *answers_[index], approx), got,
              *answers_[index]);
      }
      return;
    }
    if (!plan && &configuration == &configurations(matrix_)[0]) {
      const std::optional<std::string> twin =
          store.twin_answer(block, now.value_or(kTwinNow), unordered);
      if (twin.has_value()) {
        check(block, kTwin,
              answers_agree(normalized_answer(*twin, unordered),
                            normalized_answer(block.expectation, unordered), approx),
              *twin, block.expectation);
      }
    }
    const std::string wanted =
        plan ? block.expectation : normalized_answer(block.expectation, unordered);
    check(block, configuration,
          answers_agree(plan ? got : normalized_answer(got, unordered), wanted, approx), got,
          block.expectation);
  }

  void check(const TestBlock& block, const Configuration& configuration, bool good,
             const std::string& got, const std::string& wanted) {
    if (good) {
      ++passed_;
      return;
    }
    ++failed_;
    std::printf("%s:%zu: %s [%s]\n--- wanted\n%s\n--- got\n%s\n\n", file_.path.c_str(), block.line,
                block.directive.c_str(), configuration.name.c_str(), wanted.c_str(), got.c_str());
  }

  TestFile file_;
  bool matrix_;
  std::vector<std::optional<std::string>> answers_;
  bool rewrite_;
  int passed_ = 0;
  int failed_ = 0;
};

std::optional<std::int64_t> FileRun::parse_now(const TestBlock& block) {
  return block.words.empty() ? std::nullopt : parse_instant(block.words[0]);
}

std::vector<std::string> test_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (!std::filesystem::is_directory(argument)) {
      files.push_back(argument);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argument)) {
      if (entry.path().extension() == ".test") {
        files.push_back(entry.path().string());
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

int run_all(const std::vector<std::string>& arguments, bool matrix, bool rewrite) {
  int passed = 0;
  int failed = 0;
  for (const std::string& path : test_files(arguments)) {
    auto file = read_test_file(path);
    if (!file.ok()) {
      std::printf("%s: %s\n", path.c_str(), file.error().message.c_str());
      ++failed;
      continue;
    }
    FileRun run(std::move(file).value(), matrix, rewrite);
    run.run();
    passed += run.passed();
    failed += run.failed();
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace evq

int main(int argc, char** argv) {
  bool matrix = false;
  bool rewrite = false;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--matrix") {
      matrix = true;
    } else if (word == "--rewrite") {
      rewrite = true;
    } else {
      files.push_back(word);
    }
  }
  return evq::run_all(files, matrix, rewrite);
}
