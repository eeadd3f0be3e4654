// logfmt: key=value pairs, a line a row; what a person greps and what agents of other systems read.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apl/service/present_cells.h"
#include "apl/service/result_forms.h"
#include "store/base/json_writer.h"
#include "store/base/number.h"

namespace evq {
namespace {

// A value that holds anything but plain text is written as a JSON string.
bool needs_quotes(std::string_view value) {
  return value.empty() || std::ranges::any_of(value, [](char c) {
           return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\' ||
                  c == '\x7f';
         });
}

}  // namespace

std::string logfmt_key(std::string_view field) {
  std::string key(field);
  // The backslash of a name such as cloud\.region stays: a\.b and a_.b are two fields.
  std::ranges::replace_if(
      key, [](char c) { return c != '\\' && needs_quotes(std::string_view(&c, 1)); }, '_');
  return key;
}

void append_logfmt_value(std::string* out, std::string_view value) {
  if (needs_quotes(value)) {
    append_json_string(*out, value);
  } else {
    out->append(value);
  }
}

namespace {

// The keys of fields: what two names would become alike is told apart by a number, and a name that
// is a key keeps it.
std::vector<std::string> logfmt_keys(const Schema& schema) {
  std::set<std::string> taken;
  for (const Field& field : schema.fields()) {
    taken.insert(logfmt_key(field.name) == field.name ? field.name : std::string());
  }
  std::vector<std::string> keys;
  for (const Field& field : schema.fields()) {
    const std::string plain = logfmt_key(field.name);
    std::string key = plain;
    for (std::size_t n = 2; key != field.name && !taken.insert(key).second; ++n) {
      key = plain + "_" + std::to_string(n);
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

// Whether a text would be read back as a number, or as true or false.
bool reads_as_other(std::string_view text) {
  return text == "true" || text == "false" || parse_real(text).has_value();
}

class LogfmtWriter final : public TextResult {
 public:
  LogfmtWriter(ByteSink out, WholeReals reals) : TextResult(std::move(out)), reals_(reals) {}

  Status begin(const ResultHeader& header) override {
    watch(header);
    keys_ = logfmt_keys(header.schema);
    for (std::string& key : keys_) {
      key += '=';
    }
    return Status::success();
  }
  Status push(const Chunk& rows, std::span<const RowOrigin> /*origins*/) override {
    std::string& out = text();
    std::string value;
    const PresentCells present(rows);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const char* blank = "";
      for (const std::uint32_t column : present.columns(row)) {
        out.append(std::exchange(blank, " ")).append(keys_[column]);
        value.clear();
        append_cell_text(&value, rows.column(column), row, reals_);
        if (rows.column(column).type() == Type::kString && reads_as_other(value)) {
          append_json_string(out, value);
        } else {
          append_logfmt_value(&out, value);
        }
        EVQ_TRY(end_cell());
      }
      out.push_back('\n');
      EVQ_TRY(end_row());
    }
    return Status::success();
  }

 private:
  const WholeReals reals_;
  std::vector<std::string> keys_;
};

}  // namespace

std::unique_ptr<ResultSink> make_logfmt_writer(ByteSink out, WholeReals reals) {
  return std::make_unique<LogfmtWriter>(std::move(out), reals);
}

}  // namespace evq
