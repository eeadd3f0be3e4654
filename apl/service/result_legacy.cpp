// The legacy response object: events as `matches`, each the tree it was ingested as; groups as
// `buckets`, a series of intervals and the totals.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "apl/service/answer_parts.h"
#include "apl/service/cell_json.h"
#include "apl/service/result_writer.h"
#include "apl/service/spooled_text.h"
#include "store/base/checked_math.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/column/field_path.h"

namespace evq {
namespace {

// The fields of an event as the tree they were ingested as: geo.city becomes {"geo":{"city":…}}, a
// dot escaped by a backslash stays part of its key.
struct FieldTree {
  std::map<std::string, FieldTree> children;
  std::vector<std::string> order;  // keys as they first came
  int column = -1;
};

// A name of more parts than an event is deep is one that the query has made up, and stays whole:
// the tree is walked by recursion.
void add_path(FieldTree* tree, std::string_view name, int column) {
  std::vector<std::string> parts = split_field_name(name);
  if (parts.size() > kJsonDepthMax) {
    parts = {std::string(name)};
  }
  for (const std::string& part : parts) {
    if (!tree->children.contains(part)) {
      tree->order.push_back(part);
    }
    tree = &tree->children[part];
  }
  tree->column = column;
}

std::string instant_json(std::int64_t ns) {
  std::string text = "\"";
  append_instant(text, ns);
  return text + "\"";
}

class LegacyAnswer final : public ApiAnswer {
 public:
  LegacyAnswer(std::shared_ptr<SpoolSpace> space, LegacyForm form)
      : form_(std::move(form)), text_(std::move(space), kTexts) {}

  Status begin(const ResultHeader& header) override {
    header_ = header;
    header_.charge.reset();  // no rows are kept
    for (std::size_t i = 0; i < header.schema.size(); ++i) {
      const std::string& name = header.schema[i].name;
      // What a query has put in their place stays data: clients read these members as times.
      const bool is_time = header.schema[i].type == Type::kDatetime;
      if (header.aggregated) {
        const bool grouped =
            std::ranges::find(header.group_names, name) != header.group_names.end();
        (grouped ? groups_ : aggregates_).push_back(i);
      } else if (is_time && name == "_time") {
        time_ = i;
      } else if (is_time && name == "_sysTime") {
        sys_time_ = i;
      } else {
        add_path(&tree_, name, static_cast<int>(i));
      }
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    if (!header_.aggregated) {
      return add_matches(rows, origins);
    }
    return header_.totals_without.has_value() ? add_series(rows) : add_totals(rows, 0);
  }
  Status push_totals(const Chunk& rows) override { return add_totals(rows, 1); }
  Status end(const QueryStatus& status) override {
    status_ = status;
    if (form_.groups_max.has_value()) {
      std::erase_if(series_,
                    [this](const SeriesGroup& group) { return !shown_.contains(group.id); });
    }
    std::ranges::stable_sort(series_, {}, &SeriesGroup::bin);
    return Status::success();
  }

  Result<bool> next(std::string* out) override {
    while (part_ != Part::kEnd && out->size() < kAnswerPieceBytes) {
      EVQ_TRY(append_part(out));
    }
    return part_ != Part::kEnd;
  }

 private:
  // The texts, each its elements with commas between them but for the groups of the series.
  static constexpr std::size_t kMatches = 0;
  static constexpr std::size_t kSeries = 1;
  static constexpr std::size_t kTotals = 2;
  static constexpr std::size_t kTexts = 3;

  enum class Part : std::uint8_t { kStatus, kMatches, kSeries, kTotals, kDatasets, kEnd };

  // A group of one interval of the series, and where its text is.
  struct SeriesGroup {
    std::int64_t bin = 0;
    std::uint64_t id = 0;
    std::uint64_t position = 0;
    std::size_t size = 0;
  };

  Status add_matches(const Chunk& rows, std::span<const RowOrigin> origins) {
    std::vector<CellRenderer> cells = cell_renderers(rows);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      std::string& out = text_.tail(kMatches);
      out.append(std::exchange(first_match_, false) ? "" : ",");
      const RowOrigin origin = row < origins.size() ? origins[row] : RowOrigin();
      out.append("{\"_time\":");
      append_time(&out, time_, {rows, cells, row}, origin.id.time);
      out.append(",\"_sysTime\":");
      append_time(&out, sys_time_, {rows, cells, row}, origin.sys_time);
      out.append(",\"_rowId\":");
      append_json_string(
          out, origins.empty() ? std::string() : encode_cursor(origin.id, origin.dataset));
      out.append(",\"data\":");
      EVQ_TRY(append_tree(&out, tree_, {rows, cells, row}));
      out.push_back('}');
      EVQ_TRY(settle(kMatches));
    }
    return Status::success();
  }

  // Settles a text, of whole rows or of a row as far as it is there, while it is wanted.
  Status settle(std::size_t text) {
    EVQ_TRY(header_.check());
    return text_.settle(text);
  }
  Status settle_long(std::size_t text) {
    return text_.tail(text).size() < kAnswerPieceBytes ? Status::success() : settle(text);
  }

  // A row of a chunk, with what renders its cells.
  struct Row {
    const Chunk& rows;
    std::vector<CellRenderer>& cells;
    std::size_t row;
    bool is_null(std::size_t column) const { return rows.column(column).is_null(row); }
    void append(std::string* out, std::size_t column) const { cells[column].append(out, row); }
  };

  // The answer's own column, or the event's time when the query left that out.
  static void append_time(std::string* out, std::optional<std::size_t> column, const Row& row,
                          std::int64_t otherwise) {
    if (column.has_value() && !row.is_null(*column)) {
      row.append(out, *column);
    } else {
      out->append(instant_json(otherwise));
    }
  }

  // Appends ,"a.b":… for each value below the member `name` of an object, which has one itself. Of
  // those names none is `taken`.
  void append_below(std::string* out, const std::string& name, const FieldTree& below,
                    const Row& row, std::set<std::string>* taken) const {
    for (const std::string& part : below.order) {
      const FieldTree& child = below.children.at(part);
      const std::string key = name + "." + part;
      const auto column = static_cast<std::size_t>(child.column);
      if (child.column >= 0 && !row.is_null(column)) {
        std::string free = key;
        while (!taken->insert(free).second) {
          free.push_back('1');
        }
        out->push_back(',');
        append_json_string(*out, free);
        out->push_back(':');
        row.append(out, column);
      }
      append_below(out, key, child, row, taken);
    }
  }

  // Null fields and objects without any value are left out, as they were never there: only what
  // holds a value settles, which nobody takes back. What is below a field that has a value, as
  // `a.b` is where there is `a`, stands beside it. True when there was a value.
  Result<bool> append_tree(std::string* out, const FieldTree& tree, const Row& row) {
    out->push_back('{');
    bool any = false;
    for (const std::string& key : tree.order) {
      const FieldTree& child = tree.children.at(key);
      const std::size_t before = out->size();
      out->append(any ? "," : "");
      append_json_string(*out, key);
      out->push_back(':');
      const auto column = static_cast<std::size_t>(child.column);
      if (child.column >= 0 && !row.is_null(column)) {
        row.append(out, column);
        EVQ_TRY(settle_long(kMatches));
        any = true;
        if (!child.order.empty()) {
          std::set<std::string> taken(tree.order.begin(), tree.order.end());
          append_below(out, key, child, row, &taken);
          EVQ_TRY(settle_long(kMatches));
        }
        continue;
      }
      bool has_value = false;
      if (!child.order.empty()) {
        EVQ_TRY_ASSIGN(has_value, append_tree(out, child, row));
      }
      if (!has_value) {
        out->resize(before);
      }
      any = any || has_value;
    }
    if (!any && &tree != &tree_) {
      return false;
    }
    out->push_back('}');
    return true;
  }

  Status add_series(const Chunk& rows) {
    const Vector& bins = rows.column(*header_.totals_without);
    std::vector<CellRenderer> cells = cell_renderers(rows);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (bins.is_null(row)) {
        continue;
      }
      const std::uint64_t position = text_.size(kSeries);
      EVQ_TRY_ASSIGN(const std::uint64_t id, append_group(kSeries, {rows, cells, row}, 0));
      series_.push_back({bins.at<std::int64_t>(row), id, position,
                         static_cast<std::size_t>(text_.size(kSeries) - position)});
    }
    return Status::success();
  }

  // `missing` columns, the time bin's, are not in the rows. A limit of groups is one of totals,
  // whose order the query has asked for; end() leaves the others out of the series.
  Status add_totals(const Chunk& rows, std::size_t missing) {
    std::vector<CellRenderer> cells = cell_renderers(rows);
    for (std::size_t row = 0; row < rows.rows() && totals_ != form_.groups_max; ++row) {
      std::string& out = text_.tail(kTotals);
      out.append(totals_ == 0 ? "" : ",");
      ++totals_;
      EVQ_TRY_ASSIGN(const std::uint64_t id, append_group(kTotals, {rows, cells, row}, missing));
      if (header_.totals_without.has_value() && form_.groups_max.has_value()) {
        shown_.insert(id);
      }
    }
    return Status::success();
  }

  // A group has one id wherever it appears. Without a series each total is a group, whatever its
  // columns are.
  std::uint64_t id_of(const std::string& group) {
    return header_.totals_without.has_value() ? ids_.emplace(group, ids_.size() + 1).first->second
                                              : totals_;
  }

  // Where a column of the header's stands in rows without `missing` of them.
  std::size_t place(std::size_t column, std::size_t missing) const {
    return missing > 0 && column > *header_.totals_without ? column - missing : column;
  }

  // {"id":1,"group":{…},"aggregations":[{"op":alias,"value":v}]}, settled; returns the id.
  Result<std::uint64_t> append_group(std::size_t text, const Row& row, std::size_t missing) {
    std::string* const out = &text_.tail(text);
    std::string group = "{";
    for (const std::size_t column : groups_) {
      if (header_.totals_without == column) {
        continue;
      }
      group.append(group.size() == 1 ? "" : ",");
      append_json_string(group, header_.schema[column].name);
      group.push_back(':');
      row.append(&group, place(column, missing));
    }
    group.push_back('}');
    const std::uint64_t id = id_of(group);
    out->append("{\"id\":" + std::to_string(id) + ",\"group\":" + group);
    out->append(",\"aggregations\":[");
    for (const std::size_t column : aggregates_) {
      out->append(column == aggregates_.front() ? "" : ",").append("{\"op\":");
      const std::string& name = header_.schema[column].name;
      const auto operation = form_.operations.find(name);
      append_json_string(*out, operation == form_.operations.end() ? name : operation->second);
      out->append(",\"value\":");
      row.append(out, place(column, missing));
      out->push_back('}');
      EVQ_TRY(settle_long(text));
    }
    out->append("]}");
    EVQ_TRY(settle(text));
    return id;
  }

  // What was asked for, as far as the clients read it that want it back.
  std::string request_json() const {
    const auto [start, end] = answer_range(header_, status_);
    return R"("request":{"startTime":)" + instant_json(start) + R"(,"endTime":)" +
           instant_json(end) + R"(,"resolution":"auto"},)";
  }

  // The next piece of the part that is written, and what comes between it and the next part.
  Status append_part(std::string* out) {
    switch (part_) {
      case Part::kStatus:
        out->append(R"({"format":"legacy",)").append(form_.bare ? std::string() : request_json());
        out->append("\"status\":").append(status_json(header_, status_));
        out->append(",\"matches\":[");
        part_ = Part::kMatches;
        return Status::success();
      case Part::kMatches:
        return append_text(out, kMatches, "],\"buckets\":{\"series\":[", Part::kSeries);
      case Part::kSeries:
        return append_series_group(out);
      case Part::kTotals:
        return append_text(out, kTotals, "]}", Part::kDatasets);
      case Part::kDatasets:
        out->append(form_.bare ? "" : "," + dataset_members_json(header_)).append("}");
        part_ = Part::kEnd;
        return Status::success();
      case Part::kEnd:
        break;
    }
    return Status::success();
  }

  // A piece of a text; behind its end what follows it.
  Status append_text(std::string* out, std::size_t text, std::string_view follows, Part next) {
    EVQ_TRY_ASSIGN(const bool more, text_.read_on(text, &position_, out));
    if (!more) {
      out->append(follows);
      position_ = 0;
      part_ = next;
    }
    return Status::success();
  }

  // The next group of {"startTime":…,"endTime":…,"groups":[…]}, one of these for each bin, oldest
  // first.
  Status append_series_group(std::string* out) {
    if (group_ == series_.size()) {
      out->append(series_.empty() ? "" : "]}").append("],\"totals\":[");
      part_ = Part::kTotals;
      return Status::success();
    }
    const SeriesGroup& group = series_[group_];
    if (group_ > 0 && series_[group_ - 1].bin == group.bin) {
      out->push_back(',');
    } else {
      out->append(group_ == 0 ? "" : "]},");
      out->append("{\"startTime\":").append(instant_json(group.bin));
      const auto end = checked_add(group.bin, header_.bin_ns.value_or(0));
      out->append(",\"endTime\":").append(instant_json(end.value_or(group.bin)));
      out->append(",\"groups\":[");
    }
    ++group_;
    return text_.read(kSeries, group.position, group.size, out);
  }

  const LegacyForm form_;
  SpooledText text_;
  ResultHeader header_;
  QueryStatus status_;
  // Of answers of events.
  FieldTree tree_;
  std::optional<std::size_t> time_;
  std::optional<std::size_t> sys_time_;
  bool first_match_ = true;
  // Of aggregated ones: positions in the schema.
  std::vector<std::size_t> groups_;
  std::vector<std::size_t> aggregates_;
  std::map<std::string, std::uint64_t> ids_;  // of the groups of a series
  std::unordered_set<std::uint64_t> shown_;   // the ids of totals, where groups are limited
  std::vector<SeriesGroup> series_;
  std::uint64_t totals_ = 0;
  // Where next() goes on.
  Part part_ = Part::kStatus;
  std::uint64_t position_ = 0;  // in the matches or the totals
  std::size_t group_ = 0;       // in the series
};

}  // namespace

std::unique_ptr<ApiAnswer> make_legacy_answer(std::shared_ptr<SpoolSpace> space, LegacyForm form) {
  return std::make_unique<LegacyAnswer>(std::move(space), std::move(form));
}

}  // namespace evq
