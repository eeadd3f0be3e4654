// The legacy response object: events as `matches`, each the tree it was ingested as; groups as
// `buckets`, a series of intervals and the totals.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "apl/service/answer_parts.h"
#include "apl/service/cell_json.h"
#include "apl/service/result_writer.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"

namespace evq {
namespace {

// The fields of an event as the tree they were ingested as: geo.city becomes {"geo":{"city":…}}, a
// dot escaped by a backslash stays part of its key.
struct FieldTree {
  std::map<std::string, FieldTree> children;
  std::vector<std::string> order;  // keys as they first came
  int column = -1;
};

std::vector<std::string> split_path(std::string_view name) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size() && name[i + 1] == '.') {
      parts.back().push_back('.');
      ++i;
    } else if (name[i] == '.') {
      parts.emplace_back();
    } else {
      parts.back().push_back(name[i]);
    }
  }
  return parts;
}

void add_path(FieldTree* tree, std::string_view name, int column) {
  for (const std::string& part : split_path(name)) {
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
  explicit LegacyAnswer(bool bare) : bare_(bare) {}

  Status begin(const ResultHeader& header) override {
    header_ = header;
    for (std::size_t i = 0; i < header.schema.size(); ++i) {
      const std::string& name = header.schema[i].name;
      if (header.aggregated) {
        const bool grouped =
            std::ranges::find(header.group_names, name) != header.group_names.end();
        (grouped ? groups_ : aggregates_).push_back(i);
      } else if (name == "_time") {
        time_ = i;
      } else if (name == "_sysTime") {
        sys_time_ = i;
      } else {
        add_path(&tree_, name, static_cast<int>(i));
      }
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    chunks_.push_back({rows, {origins.begin(), origins.end()}});
    return Status::success();
  }
  Status push_totals(const Chunk& rows) override {
    totals_.push_back({rows, {}});
    return Status::success();
  }
  Status end(const QueryStatus& status) override {
    status_ = status;
    return Status::success();
  }

  bool next(std::string* out) override {
    if (!opened_) {
      opened_ = true;
      out->append(bare_ ? "{" : R"({"format":"legacy",)");
      out->append("\"status\":").append(status_json(status_, header_.warnings));
      out->append(",\"matches\":[");
    }
    if (!header_.aggregated && !append_matches(out)) {
      return true;
    }
    out->append("],\"buckets\":");
    append_buckets(out);
    if (!bare_) {
      out->append(",").append(dataset_members_json(header_));
    }
    out->append("}");
    return false;
  }

 private:
  struct Part {
    Chunk rows;
    std::vector<RowOrigin> origins;
  };

  // False when the piece is full before the matches are at their end.
  bool append_matches(std::string* out) {
    for (; chunk_ < chunks_.size(); ++chunk_) {
      const Part& part = chunks_[chunk_];
      if (cells_.empty()) {
        cells_ = cell_renderers(part.rows);
      }
      for (; row_ < part.rows.rows(); ++row_) {
        if (out->size() >= kAnswerPieceBytes) {
          return false;
        }
        out->append(first_match_ ? "" : ",");
        first_match_ = false;
        append_match(out, part);
      }
      cells_.clear();
      row_ = 0;
    }
    return true;
  }

  void append_match(std::string* out, const Part& part) {
    const RowOrigin origin = row_ < part.origins.size() ? part.origins[row_] : RowOrigin();
    out->append("{\"_time\":");
    append_time(out, time_, part.rows, origin.id.time);
    out->append(",\"_sysTime\":");
    append_time(out, sys_time_, part.rows, origin.sys_time);
    out->append(",\"_rowId\":");
    append_json_string(*out, part.origins.empty() ? std::string() : encode_cursor(origin.id));
    out->append(",\"data\":");
    append_tree(out, tree_, part.rows);
    out->push_back('}');
  }

  // The answer's own column, or the event's time when the query left that out.
  void append_time(std::string* out, std::optional<std::size_t> column, const Chunk& rows,
                   std::int64_t otherwise) {
    if (column.has_value() && !rows.column(*column).is_null(row_)) {
      cells_[*column].append(out, row_);
    } else {
      out->append(instant_json(otherwise));
    }
  }

  // Null fields and objects without any value are left out, as they were never there.
  bool append_tree(std::string* out, const FieldTree& tree, const Chunk& rows) {
    out->push_back('{');
    bool any = false;
    for (const std::string& key : tree.order) {
      const FieldTree& child = tree.children.at(key);
      const std::size_t before = out->size();
      out->append(any ? "," : "");
      append_json_string(*out, key);
      out->push_back(':');
      const auto column = static_cast<std::size_t>(child.column);
      if (child.column >= 0 && !rows.column(column).is_null(row_)) {
        cells_[column].append(out, row_);
        any = true;
      } else if (!child.order.empty() && append_tree(out, child, rows)) {
        any = true;
      } else {
        out->resize(before);
      }
    }
    if (!any && &tree != &tree_) {
      return false;
    }
    out->push_back('}');
    return true;
  }

  // Groups are few beside events: their text is made at once.
  void append_buckets(std::string* out) {
    out->append("{\"series\":[");
    if (header_.aggregated && header_.totals_without.has_value()) {
      append_series(out);
    }
    out->append("],\"totals\":[");
    if (header_.aggregated) {
      append_groups(out, header_.totals_without.has_value() ? totals_ : chunks_,
                    header_.totals_without.has_value());
    }
    out->append("]}");
  }

  // {"startTime":…,"endTime":…,"groups":[…]} for each bin, oldest first.
  void append_series(std::string* out) {
    const std::size_t bin_column = *header_.totals_without;
    std::map<std::int64_t, std::string> groups_by_bin;
    for (const Part& part : chunks_) {
      std::vector<CellRenderer> cells = cell_renderers(part.rows);
      for (std::size_t row = 0; row < part.rows.rows(); ++row) {
        const Vector& bins = part.rows.column(bin_column);
        if (bins.is_null(row)) {
          continue;
        }
        std::string& text = groups_by_bin[bins.at<std::int64_t>(row)];
        text.append(text.empty() ? "" : ",");
        append_group(&text, row, &cells, 0);
      }
    }
    bool first = true;
    for (const auto& [bin, groups] : groups_by_bin) {
      out->append(first ? "" : ",").append("{\"startTime\":").append(instant_json(bin));
      first = false;
      const auto end = checked_add(bin, header_.bin_ns.value_or(0));
      out->append(",\"endTime\":").append(instant_json(end.value_or(bin)));
      out->append(",\"groups\":[").append(groups).append("]}");
    }
  }

  void append_groups(std::string* out, const std::vector<Part>& parts, bool totals) {
    bool first = true;
    for (const Part& part : parts) {
      std::vector<CellRenderer> cells = cell_renderers(part.rows);
      for (std::size_t row = 0; row < part.rows.rows(); ++row) {
        out->append(first ? "" : ",");
        first = false;
        append_group(out, row, &cells, totals ? 1 : 0);
      }
    }
  }

  // {"id":1,"group":{…},"aggregations":[{"op":alias,"value":v}]}, one id for each group wherever it
  // appears. `missing` columns, the time bin's, are not in the row.
  void append_group(std::string* out, std::size_t row, std::vector<CellRenderer>* cells,
                    std::size_t missing) {
    std::string group = "{";
    for (const std::size_t column : groups_) {
      if (header_.totals_without == column) {
        continue;
      }
      group.append(group.size() == 1 ? "" : ",");
      append_json_string(group, header_.schema[column].name);
      group.push_back(':');
      const bool behind = missing > 0 && column > *header_.totals_without;
      (*cells)[column - (behind ? 1 : 0)].append(&group, row);
    }
    group.push_back('}');
    const auto [known, added] = ids_.emplace(group, ids_.size() + 1);
    out->append("{\"id\":" + std::to_string(known->second) + ",\"group\":" + group);
    out->append(",\"aggregations\":[");
    for (const std::size_t column : aggregates_) {
      out->append(column == aggregates_.front() ? "" : ",").append("{\"op\":");
      append_json_string(*out, header_.schema[column].name);
      out->append(",\"value\":");
      (*cells)[column - missing].append(out, row);
      out->push_back('}');
    }
    out->append("]}");
  }

  const bool bare_;
  ResultHeader header_;
  QueryStatus status_;
  std::vector<Part> chunks_;
  std::vector<Part> totals_;
  // Of answers of events.
  FieldTree tree_;
  std::optional<std::size_t> time_;
  std::optional<std::size_t> sys_time_;
  // Of aggregated ones: positions in the schema.
  std::vector<std::size_t> groups_;
  std::vector<std::size_t> aggregates_;
  std::map<std::string, std::uint64_t> ids_;
  // Where next() goes on.
  bool opened_ = false;
  bool first_match_ = true;
  std::size_t chunk_ = 0;
  std::size_t row_ = 0;
  std::vector<CellRenderer> cells_;
};

}  // namespace

std::unique_ptr<ApiAnswer> make_legacy_answer(bool bare) {
  return std::make_unique<LegacyAnswer>(bare);
}

}  // namespace evq
