#include "apl/service/result_writer.h"

#include <utility>

#include "apl/service/result_forms.h"

namespace evq {

std::optional<ResultFormat> find_result_format(std::string_view name) {
  constexpr std::pair<std::string_view, ResultFormat> kNames[] = {
      {"json", ResultFormat::kJson},       {"ndjson", ResultFormat::kNdjson},
      {"csv", ResultFormat::kCsv},         {"tsv", ResultFormat::kTsv},
      {"logfmt", ResultFormat::kLogfmt},   {"parquet", ResultFormat::kParquet},
      {"tabular", ResultFormat::kTabular}, {"legacy", ResultFormat::kLegacy}};
  for (const auto& [known, format] : kNames) {
    if (known == name) {
      return format;
    }
  }
  return std::nullopt;
}

std::unique_ptr<ResultSink> make_result_writer(ResultFormat format, ByteSink out, bool header_line,
                                               WholeReals reals) {
  switch (format) {
    case ResultFormat::kJson:
      return make_json_writer(std::move(out), reals);
    case ResultFormat::kNdjson:
      return make_ndjson_writer(std::move(out), reals);
    case ResultFormat::kCsv:
      return make_csv_writer(std::move(out), ',', header_line, reals);
    case ResultFormat::kTsv:
      return make_csv_writer(std::move(out), '\t', header_line, reals);
    case ResultFormat::kLogfmt:
      return make_logfmt_writer(std::move(out), reals);
    case ResultFormat::kParquet:
      return make_parquet_writer(std::move(out));
    case ResultFormat::kTabular:
      return make_tabular_writer(std::move(out));
    case ResultFormat::kLegacy:
      return make_legacy_writer(std::move(out));
  }
  return nullptr;
}

}  // namespace evq
