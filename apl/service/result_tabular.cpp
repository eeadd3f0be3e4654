// The tabular response object: the status, then each table's description and its columns, one after
// the other. A summarize by time bin has a second table with its totals.

#include <algorithm>
#include <optional>
#include <utility>

#include "apl/service/answer_parts.h"
#include "apl/service/cell_json.h"
#include "apl/service/result_writer.h"
#include "apl/service/spooled_text.h"
#include "store/base/checked_math.h"
#include "store/base/json_writer.h"
#include "store/column/dynamic_kinds.h"

namespace evq {
namespace {

constexpr std::string_view kTotalsName = "_totals";  // reserved by the API

// The remainder of a division that rounds down.
std::int64_t remainder_of(std::int64_t time, std::int64_t bin) {
  return time % bin < 0 ? time % bin + bin : time % bin;
}

// `time` to an edge of its bin, down or up; unchanged where the edge is out of range. One of the
// bins begins at `origin`.
std::int64_t to_bin_edge(std::int64_t time, std::int64_t bin, std::int64_t origin, bool up) {
  const std::int64_t past = remainder_of(remainder_of(time, bin) - remainder_of(origin, bin), bin);
  if (past == 0) {
    return time;
  }
  const auto edge = up ? checked_add(time, bin - past) : checked_subtract(time, past);
  return edge.value_or(time);
}

class TabularAnswer final : public ApiAnswer {
 public:
  explicit TabularAnswer(std::shared_ptr<SpoolSpace> space) : space_(std::move(space)) {}

  Status begin(const ResultHeader& header) override {
    header_ = header;
    header_.charge.reset();  // no rows are kept
    Table& rows = tables_.emplace_back();
    for (std::size_t i = 0; i < header.schema.size(); ++i) {
      rows.columns.push_back(i);
    }
    rows.order = header.order;
    if (header.totals_without.has_value()) {
      Table totals = rows;
      totals.name = kTotalsName;
      std::erase(totals.columns, *header.totals_without);
      totals.order.clear();
      const auto value = std::ranges::find_if(header.schema.fields(), [&](const Field& field) {
        return std::ranges::find(header.group_names, field.name) == header.group_names.end();
      });
      if (value != header.schema.fields().end()) {
        totals.order.push_back({value->name, true});
      }
      tables_.push_back(std::move(totals));
    }
    std::size_t texts = 0;
    for (Table& table : tables_) {
      table.first_text = texts;
      table.kinds.resize(table.columns.size());
      texts += table.columns.size();
    }
    text_.emplace(space_, texts);
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    return add_rows(&tables_[0], rows);
  }
  Status push_totals(const Chunk& rows) override { return add_rows(&tables_[1], rows); }
  Status end(const QueryStatus& status) override {
    status_ = status;
    return Status::success();
  }

  Result<bool> next(std::string* out) override {
    while (out->size() < kAnswerPieceBytes) {
      if (table_ == tables_.size()) {
        out->append("],").append(dataset_members_json(header_)).append("}");
        return false;
      }
      const Table& table = tables_[table_];
      if (!opened_) {
        append_head(out, table);
        opened_ = true;
      } else if (column_ == table.columns.size()) {
        // Clients read the number of rows off the first column, and fail where there is none.
        out->append(table.columns.empty() ? "[]]}" : "]}");
        ++table_;
        column_ = 0;
        opened_ = false;
      } else {
        EVQ_TRY(append_cells(out, table));
      }
    }
    return true;
  }

 private:
  struct Table {
    std::string name = "0";
    std::vector<std::size_t> columns;  // in the header's schema
    std::vector<OrderItem> order;
    std::size_t first_text = 0;        // of the columns' texts
    std::vector<std::uint32_t> kinds;  // dynamic_kinds of each column
    bool empty = true;
  };

  // The cells of each column, with commas between them, behind those that are there. The chunk's
  // columns are the table's, in this order.
  Status add_rows(Table* table, const Chunk& rows) {
    for (std::size_t i = 0; i < table->columns.size(); ++i) {
      EVQ_TRY(header_.check());
      const Vector& column = rows.column(i);
      if (column.type() == Type::kDynamic) {
        table->kinds[i] |= dynamic_kinds(column);
      }
      const std::size_t text = table->first_text + i;
      CellRenderer cells(column);
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        std::string& tail = text_->tail(text);
        if (row > 0 || !table->empty) {
          tail.push_back(',');
        }
        cells.append(&tail, row);
        if (tail.size() >= kAnswerPieceBytes) {
          EVQ_TRY(header_.check());
          EVQ_TRY(text_->settle(text));
        }
      }
      EVQ_TRY(text_->settle(text));
    }
    table->empty = table->empty && rows.rows() == 0;
    return Status::success();
  }

  // A piece of the current column, up to its end.
  Status append_cells(std::string* out, const Table& table) {
    if (position_ == 0) {
      out->append(column_ == 0 ? "[" : ",[");
    }
    EVQ_TRY_ASSIGN(const bool more, text_->read_on(table.first_text + column_, &position_, out));
    if (!more) {
      out->push_back(']');
      ++column_;
      position_ = 0;
    }
    return Status::success();
  }

  void append_head(std::string* out, const Table& table) const {
    if (table_ == 0) {
      out->append(R"({"format":"tabular","status":)");
      out->append(status_json(header_, status_)).append(",\"tables\":[");
    } else {
      out->push_back(',');
    }
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.key("name");
    json.string(table.name);
    write_names(&json, "sources", header_.datasets);
    json.key("fields");
    json.begin_array();
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
      write_field(&json, table, at);
    }
    json.end_array();
    json.key("order");
    write_order(table.order, &json);
    std::vector<std::string> groups = header_.group_names;
    const bool totals = table_ > 0;
    if (totals) {
      std::erase(groups, header_.schema[*header_.totals_without].name);
    }
    write_names(&json, "groups", groups);
    write_range(&json);
    if (header_.bin_ns.has_value() && !totals) {
      json.key("buckets");
      json.begin_object();
      json.key("field");
      json.string("_time");
      json.key("size");
      json.integer(*header_.bin_ns);
      json.end_object();
    }
    json.key("columns");
    json.begin_array();
    out->append(text);  // the columns and the closing brackets follow
  }

  static void write_names(JsonWriter* json, std::string_view key,
                          const std::vector<std::string>& names) {
    json->key(key);
    json->begin_array();
    for (const std::string& name : names) {
      json->begin_object();
      json->key("name");
      json->string(name);
      json->end_object();
    }
    json->end_array();
  }

  // The `at`-th column of a table.
  void write_field(JsonWriter* json, const Table& table, std::size_t at) const {
    const std::size_t i = table.columns[at];
    const Type type = header_.schema[i].type;
    json->begin_object();
    json->key("name");
    json->string(header_.schema[i].name);
    json->key("type");
    json->string(type == Type::kDynamic ? dynamic_type_text(table.kinds[at])
                                        : std::string(api_type_name(type)));
    if (i < header_.origins.size() && !header_.origins[i].aggregate.empty()) {
      const ResultHeader::Origin& origin = header_.origins[i];
      json->key("agg");
      json->begin_object();
      json->key("name");
      json->string(origin.aggregate);
      json->key("fields");
      json->begin_array();
      for (const std::string& field : origin.fields) {
        json->string(field);
      }
      json->end_array();
      json->key("args");
      json->begin_array();
      for (const Value& value : origin.args) {
        std::string cell;
        append_cell_json(&cell, Vector::constant(value, 1), 0);
        json->raw(cell);
      }
      json->end_array();
      json->end_object();
    }
    json->end_object();
  }

  // Whole bins of a binned answer.
  void write_range(JsonWriter* json) const {
    if (header_.datasets.empty()) {
      return;
    }
    auto [start, end] = answer_range(header_, status_);
    if (header_.bin_ns.value_or(0) > 0) {
      start = to_bin_edge(start, *header_.bin_ns, header_.bin_origin_ns, false);
      end = to_bin_edge(end, *header_.bin_ns, header_.bin_origin_ns, true);
    }
    json->key("range");
    json->begin_object();
    json->key("field");
    json->string("_time");
    json->key("start");
    json->instant(start);
    json->key("end");
    json->instant(end);
    json->end_object();
  }

  std::shared_ptr<SpoolSpace> space_;
  ResultHeader header_;
  QueryStatus status_;
  std::vector<Table> tables_;
  std::optional<SpooledText> text_;  // from begin()
  // Where next() goes on.
  std::size_t table_ = 0;
  bool opened_ = false;
  std::size_t column_ = 0;      // of the table's own
  std::uint64_t position_ = 0;  // in the column's text
};

}  // namespace

std::unique_ptr<ApiAnswer> make_tabular_answer(std::shared_ptr<SpoolSpace> space) {
  return std::make_unique<TabularAnswer>(std::move(space));
}

}  // namespace evq
