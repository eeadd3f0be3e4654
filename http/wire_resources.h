#pragma once
// Datasets, fields, tokens and stored objects in the API's JSON, both directions; see wire.h for
// the rules of reading.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/token_store.h"
#include "store/store.h"

namespace evq {

// ---- datasets
struct DatasetBody {
  std::optional<std::string> name;  // only when creating
  std::optional<std::string> description;
  std::optional<std::string> kind;
  std::optional<std::uint64_t> retention_days;
  std::optional<bool> use_retention;
  std::string extra;  // JSON object of what is only echoed: region, edgeDeployment; may be empty
};
Result<DatasetBody> read_dataset_body(std::string_view text);
// Writes a dataset; `can_write` tells whether the caller may store events in it.
std::string write_dataset(const DatasetDefinition& dataset, bool can_write);
std::string write_list(const std::vector<std::string>& items);  // of JSON texts

// {"maxDuration":"1h0m0s"}, nanoseconds.
Result<std::int64_t> read_trim_body(std::string_view text);
std::string write_field(const FieldInfo& field);
std::string write_dataset_info(const DatasetDefinition& dataset, const DatasetStats& stats,
                               const std::vector<FieldInfo>& fields);
// The attributes of a field that a body changes.
struct FieldBody {
  std::optional<std::string> unit;
  std::optional<std::string> description;
  std::optional<bool> hidden;
  void apply(FieldAttributes* attributes) const;
};
Result<FieldBody> read_field_body(std::string_view text);
// A list of names, or {"mapFields":[…]}.
Result<std::vector<std::string>> read_names_body(std::string_view text);
// {"name":…}
Result<std::string> read_name_body(std::string_view text);
// {"id":…}
Result<std::string> read_id_body(std::string_view text);
std::string write_strings(const std::vector<std::string>& texts);

// ---- tokens
Result<TokenSpec> read_token_body(std::string_view text);
// Writes a token for the API, with its `secret`, which only creation shows.
std::string write_token(const TokenRecord& token, std::string_view secret = {});
// Read and write tokens of evq's own routes, where one may be personal: {"personal":true,…}, as
// `evq token list` shows it.
Result<TokenSpec> read_any_token_body(std::string_view text);
std::string write_any_token(const TokenRecord& token);
struct RegenerateBody {
  std::optional<std::int64_t> old_expires;
  std::optional<std::int64_t> new_expires;
  std::optional<TokenSpec> replacement;  // newToken; without it the new one is as the old one
};
Result<RegenerateBody> read_regenerate_body(std::string_view text);

// ---- dashboards
struct DashboardBody {
  std::string uid;  // empty: one is made up
  std::string name;
  std::string document;  // JSON
  std::optional<std::uint64_t> version;
  bool overwrite = false;
};
Status check_dashboard_uid(std::string_view uid);
Result<DashboardBody> read_dashboard_body(std::string_view text);
// Makes the stored form of a dashboard, over `known`, the one before.
std::string stored_dashboard(const DashboardBody& body, std::string_view known,
                             std::string_view who);
// {"chart":…,"version":…,"overwrite":…}: a JSON merge patch (RFC 7396) of one chart, which keeps
// its id.
struct ChartPatchBody {
  std::string patch;  // JSON object
  std::optional<std::uint64_t> version;
  bool overwrite = false;
};
Result<ChartPatchBody> read_chart_patch_body(std::string_view text, std::string_view chart_id);
// The dashboard with that chart patched, as it would be replaced; kNotFound without such a chart.
Result<DashboardBody> patched_dashboard(const StoredObject& object, std::string_view chart_id,
                                        std::string_view patch);
std::uint64_t dashboard_version(const StoredObject& object);
// A document without an owner is everyone's: clients require the member. It has no member that is
// null.
std::string write_dashboard(const StoredObject& object);
std::string write_dashboard_change(const StoredObject& object, bool created);

// ---- objects stored as given
struct ObjectBody {
  std::string body;  // compact JSON without an id
  std::string name;
  std::string dataset;
  std::string expression;
};
// `required` members must be there as texts that are not empty.
Result<ObjectBody> read_object_body(std::string_view text,
                                    const std::vector<std::string>& required);
// A monitor: name is required; mplQuery becomes aplQuery, and only one of them may be given.
Result<ObjectBody> read_monitor_body(std::string_view text);
// `changes` over `known`: members given and not null replace those of the same name.
Result<ObjectBody> merge_object(std::string_view known, std::string_view changes);
// An annotation: type and datasets are required, `time` is now when it is absent.
Result<ObjectBody> read_annotation_body(std::string_view text, std::int64_t now_ns);
// Writes a stored object with its id, without members that are null; monitors and notifiers also
// with who made them, and when; monitors with the type, the query and the numbers that they were
// made without, as Threshold, "" and zeros: Axiom's MCP server reads no list otherwise.
std::string write_object(const StoredObject& object);
// A saved query as one of a list, with a dataset and options even if it was put without: Axiom's
// MCP server reads no list otherwise.
std::string write_listed_starred(const StoredObject& object);
// The user who made it: the server's owner when nobody had to give a token.
std::string maker_of(const StoredObject& object);
// A closed range of instants, by default all of them.
struct TimeRange {
  std::int64_t first = INT64_MIN;
  std::int64_t last = INT64_MAX;
};
// Whether an annotation is about one of these datasets (none: any) and about some of these times.
bool annotation_concerns(std::string_view body, const std::vector<std::string>& datasets,
                         const TimeRange& times);

}  // namespace evq
