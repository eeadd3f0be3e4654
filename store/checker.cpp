#include "store/checker.h"

#include <algorithm>
#include <map>
#include <utility>

#include "store/base/checksum.h"
#include "store/base/limits.h"
#include "store/block/block_reader.h"
#include "store/block_blobs.h"
#include "store/dataset.h"
#include "store/mini_block.h"

namespace evq {

namespace {

// The parts of a sealed block, as they are stored.
class DirectSource final : public SegmentSource {
 public:
  DirectSource(BlockBlobs& blobs, std::uint64_t block) : blobs_(blobs), block_(block) {}

  Result<SharedBytes> fetch(std::size_t column, SegmentPart part) override {
    return blobs_.part(block_, column, part);
  }

 private:
  BlockBlobs& blobs_;
  const std::uint64_t block_;
};

std::size_t count_nulls(const Vector& column) {
  if (!column.may_have_nulls()) {
    return 0;
  }
  if (column.is_constant()) {
    return column.is_null(0) ? column.size() : 0;
  }
  std::size_t nulls = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    nulls += column.is_null(row) ? 1U : 0U;
  }
  return nulls;
}

// Whether a block is still what its row said.
Result<bool> is_listed(Connection& connection, const BlockRow& block) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare("SELECT payload_sum FROM blocks WHERE id = ?1"));
  EVQ_TRY_ASSIGN(const bool found, row.bind(1, static_cast<std::int64_t>(block.id)).step());
  return found && static_cast<std::uint64_t>(row.integer(0)) == block.payload_sum;
}

// Checks what a file lists in one read transaction, and then each block in one of its own: the
// write-ahead file cannot be emptied beyond the oldest of them, and to read all blocks may take
// minutes. A block that is deleted or merged meanwhile is left out.
class Checker {
 public:
  Checker(Dataset& dataset, CheckReport* report) : dataset_(dataset), report_(report) {}

  // Errors: only those of the control.
  Status run(QueryControl& control) {
    std::vector<BlockRow> blocks;
    EVQ_TRY(check_lists(control, &blocks));
    for (const BlockRow& row : blocks) {
      EVQ_TRY(control.check());
      EVQ_TRY(check_block(row, control));
    }
    if (noted_ > kCheckProblemsMax) {
      report_->problems.push_back(
          {dataset_.file_name(), std::nullopt, more_problems(noted_ - kCheckProblemsMax)});
    }
    return {};
  }

 private:
  void note(std::optional<BlockId> block, std::string message) {
    if (++noted_ <= kCheckProblemsMax) {
      report_->problems.push_back({dataset_.file_name(), block, std::move(message)});
    }
  }

  Result<ReadLease> begin_read() {
    return dataset_.database().begin_read(Database::Loss::kAccepted);
  }

  // Gives the blocks whose rows are sound.
  Status check_lists(QueryControl& control, std::vector<BlockRow>* blocks) {
    Result<ReadLease> lease = begin_read();
    if (!lease.ok()) {
      note(std::nullopt, lease.error().message);
      return {};
    }
    Connection& connection = lease->connection();
    Result<std::vector<std::string>> structure = connection.integrity_problems(control);
    EVQ_TRY(control.check());
    if (!structure.ok()) {
      note(std::nullopt, structure.error().message);
      return {};
    }
    for (std::string& line : *structure) {
      note(std::nullopt, std::move(line));
    }
    Result<Counters> counters = read_counters(connection, dataset_.file_key());
    if (!counters.ok()) {
      note(std::nullopt, counters.error().message);
      return {};
    }
    check_counters(connection);
    return check_rows(connection, *counters, control, blocks);
  }

  // Readers look at the first row alone.
  void check_counters(Connection& connection) {
    const Result<std::int64_t> rows = connection.number("SELECT count(*) FROM counters");
    if (!rows.ok() || *rows != 1) {
      note(std::nullopt,
           rows.ok() ? "there are counters besides those of the file" : rows.error().message);
    }
  }

  Status check_rows(Connection& connection, const Counters& counters, QueryControl& control,
                    std::vector<BlockRow>* sound) {
    RowProblems problems;
    Result<std::vector<BlockRow>> blocks = read_blocks(connection, counters, &problems);
    Result<std::vector<FieldRow>> fields = read_fields(connection, counters, &problems);
    for (std::string& problem : problems) {
      note(std::nullopt, std::move(problem));
    }
    if (!blocks.ok() || !fields.ok()) {
      note(std::nullopt, blocks.ok() ? fields.error().message : blocks.error().message);
      return {};
    }
    lists_all_fields_ = fields->size() == counters.field_count;
    for (const FieldRow& field : *fields) {
      field_types_.emplace(field.name, field.types);
    }
    std::uint64_t fresh_count = 0;
    std::uint64_t fresh_rows = 0;
    for (const BlockRow& row : *blocks) {
      fresh_count += row.state == BlockState::kFresh ? 1 : 0;
      fresh_rows += row.state == BlockState::kFresh ? row.rows : 0;
    }
    if (fresh_count != counters.fresh_count || fresh_rows != counters.fresh_rows) {
      note(std::nullopt, "the counters of fresh chunks are wrong");
    }
    *sound = *std::move(blocks);
    return check_strays(connection, *sound, control);
  }

  // Blobs that no block names.
  Status check_strays(Connection& connection, const std::vector<BlockRow>& blocks,
                      const QueryControl& control) {
    for (const BlobTable table :
         {BlobTable::kHeaders, BlobTable::kSegments, BlobTable::kFilters, BlobTable::kChunks}) {
      const bool per_column = is_per_column(table);
      const Status read = each_blob_id(connection, table, [&](std::uint64_t id) -> Status {
        EVQ_TRY(control.check());
        const std::uint64_t block = per_column ? block_of_segment(id) : id;
        const auto at = std::ranges::lower_bound(blocks, block, {}, &BlockRow::id);
        if (at == blocks.end() || at->id != block) {
          note(block, "there are bytes of a block that is not listed");
        } else if (per_column && column_of_segment(id) >= at->segments) {
          note(block, "there are bytes of a column that it does not have");
        }
        return {};
      });
      EVQ_TRY(control.check());
      if (!read.ok()) {
        note(std::nullopt, read.error().message);
      }
    }
    return {};
  }

  Status check_block(const BlockRow& row, const QueryControl& control) {
    Result<ReadLease> lease = begin_read();
    const Result<bool> listed = lease.ok() ? is_listed(lease->connection(), row) : lease.error();
    if (!listed.ok()) {
      note(row.id, listed.error().message);
      return {};
    }
    if (!*listed) {
      return {};
    }
    BlockBlobs blobs(lease->connection());
    Result<std::unique_ptr<BlockReader>> reader = open(row, blobs);
    if (!reader.ok()) {
      note(row.id, reader.error().message);
      return {};
    }
    ++report_->blocks;
    report_->rows += row.state == BlockState::kQueued ? 0 : row.rows;
    const BlockHeader& header = (*reader)->header();
    if (const Status promised = check_against_row(header, snapshot_block(row)); !promised.ok()) {
      note(row.id, promised.error().message);
      return {};
    }
    for (std::size_t column = 0; column < header.columns.size(); ++column) {
      EVQ_TRY(control.check());
      check_column(row, **reader, column);
    }
    return {};
  }

  static Result<std::unique_ptr<BlockReader>> open(const BlockRow& row, BlockBlobs& blobs) {
    // A queued block may have been either.
    const bool chunk = row.state == BlockState::kFresh || !blobs.has_header(row.id);
    EVQ_TRY_ASSIGN(SharedBytes bytes, chunk ? blobs.chunk(row.id) : blobs.header(row.id));
    const std::size_t size = bytes.view.size();
    const std::size_t summed = chunk ? mini_block_summed_bytes(bytes.view, size) : size;
    if (checksum64(bytes.view.substr(0, summed), row.id) != row.payload_sum) {
      return make_error(ErrorCode::kCorrupt, "its header fails its checksum");
    }
    if (chunk) {
      return open_mini_block(std::move(bytes));
    }
    EVQ_TRY_ASSIGN(BlockHeader header, decode_header(bytes.view));
    return std::make_unique<BlockReader>(std::make_shared<const BlockHeader>(std::move(header)),
                                         std::make_unique<DirectSource>(blobs, row.id));
  }

  void check_column(const BlockRow& row, BlockReader& reader, std::size_t column) {
    const ColumnHeader& header = reader.header().columns[column];
    const std::string prefix = "column '" + header.name + "': ";
    Result<Vector> values = reader.read(column, Selection::all());
    Result<std::string_view> filter = reader.filter(column);
    ++report_->segments;
    if (!values.ok()) {
      note(row.id, prefix + values.error().message);
      return;
    }
    if (!filter.ok()) {
      note(row.id, prefix + filter.error().message);
    }
    if (values->size() != row.rows || count_nulls(*values) != header.nulls) {
      note(row.id, prefix + "it has other rows than its header says");
    }
    // That one of several by the name whose type was looked at.
    if (reader.find(kTimeField) == column) {
      check_times(row, *values);
    }
    check_type(row, header, prefix);
    reader.release(column);
  }

  void check_type(const BlockRow& row, const ColumnHeader& header, const std::string& prefix) {
    const auto field = field_types_.find(header.name);
    if (header.name == kOrdinalField) {
      return;
    }
    if (field == field_types_.end()) {
      if (lists_all_fields_) {  // else its row may be one whose damage was told
        note(row.id, prefix + "it is not in the list of fields");
      }
    } else if (common_type(header.type, type_of_set(field->second)) != type_of_set(field->second)) {
      note(row.id, prefix + "its type is none that its field is known to have");
    }
  }

  void check_times(const BlockRow& row, const Vector& times) {
    std::int64_t before = row.min_time;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto now = times.at<std::int64_t>(i);
      if (now < before || now > row.max_time) {
        note(row.id, "its events are not in the order or range of time its row says");
        return;
      }
      before = now;
    }
  }

  Dataset& dataset_;
  CheckReport* report_;
  std::uint64_t noted_ = 0;  // problems, those that are not listed too
  std::map<std::string, std::uint32_t, std::less<>> field_types_;  // sets of types
  bool lists_all_fields_ = true;
};

// Adds to `report`. Errors: only those of the control.
Status check_dataset(const std::shared_ptr<Dataset>& dataset, QueryControl& control,
                     CheckReport* report) {
  ++report->files;
  if (const Status loss = dataset->database().loss(); !loss.ok()) {
    report->problems.push_back({dataset->file_name(), std::nullopt, loss.error().message});
  }
  return Checker(*dataset, report).run(control);
}

// The message of an error may begin with the file, which the list names before it.
CheckProblem catalog_problem(std::string_view message) {
  constexpr std::string_view kFile = "catalog.db";
  const std::size_t at = message.find(": ");
  const bool named = at != std::string_view::npos && message.substr(0, at).ends_with(kFile);
  return {std::string(kFile), std::nullopt, std::string(named ? message.substr(at + 2) : message)};
}

Result<CheckReport> check_files(const CheckedStore& store, QueryControl& control) {
  CheckReport report;
  ++report.files;
  std::vector<UnlistedFile> unlisted;
  Result<std::vector<std::string>> catalog = store.definitions.check(control, &unlisted);
  EVQ_TRY(control.check());
  if (!catalog.ok()) {
    report.problems.push_back(catalog_problem(catalog.error().message));
    return report;
  }
  for (const std::string& problem : *catalog) {
    report.problems.push_back(catalog_problem(problem));
  }
  for (UnlistedFile& file : unlisted) {
    report.problems.push_back({dataset_file(file.file_id), std::nullopt, std::move(file.problem)});
  }
  Result<std::vector<DatasetDefinition>> datasets = store.definitions.sound_datasets();
  if (!datasets.ok()) {
    // Damage to its rows is in the list already; what failed only now is not.
    CheckProblem problem = catalog_problem(datasets.error().message);
    if (std::ranges::find(report.problems, problem.message, &CheckProblem::message) ==
        report.problems.end()) {
      report.problems.push_back(std::move(problem));
    }
    return report;
  }
  for (const DatasetDefinition& definition : *datasets) {
    const std::size_t before = report.problems.size();
    Result<std::shared_ptr<Dataset>> dataset = store.open.open(definition.name);
    EVQ_TRY(control.check());
    if (dataset.ok()) {
      EVQ_TRY(check_dataset(*dataset, control, &report));
    } else {
      report.problems.push_back(
          {dataset_file(definition.file_id), std::nullopt, dataset.error().message});
    }
    if (report.problems.size() != before &&
        store.open.is_dropped(definition.name, definition.file_id)) {
      report.problems.resize(before);  // of what went away meanwhile
    }
  }
  return report;
}

}  // namespace

Result<CheckReport> check_store(const CheckedStore& store, QueryControl& control) {
  EVQ_TRY_ASSIGN(CheckReport report, check_files(store, control));
  // An error begins with the whole path of its file, which may be one beside the database.
  const std::string folder = store.directory + "/";
  for (CheckProblem& problem : report.problems) {
    const std::size_t end = problem.message.find(": ");
    if (problem.message.starts_with(folder) && end != std::string::npos) {
      problem.file = problem.message.substr(folder.size(), end - folder.size());
      problem.message.erase(0, end + 2);
    }
  }
  return report;
}

}  // namespace evq
