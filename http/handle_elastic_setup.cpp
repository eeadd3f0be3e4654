// What clients set up before they send to an Elasticsearch, or ask for after: templates, data
// streams, pipelines, indexes and their refreshing. Events need none of them here, so that each is
// told to be there and nothing is kept.

#include <algorithm>
#include <array>

#include "http/router.h"
#include "store/base/check.h"
#include "store/base/json_writer.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

struct SetupKind {
  std::string_view path;  // before the name
  // The object as Elasticsearch tells of it, with its name where @ is, and all members that typed
  // clients require.
  std::string_view body;
};

constexpr std::array kSetupKinds = {
    SetupKind{"/_index_template/",
              R"({"index_templates":[{"name":@,"index_template":{"index_patterns":[@],)"
              R"("composed_of":[],"priority":0,"data_stream":{}}}]})"},
    SetupKind{"/_component_template/",
              R"({"component_templates":[{"name":@,"component_template":{"template":{}}}]})"},
    SetupKind{"/_template/",
              R"({@:{"order":0,"index_patterns":[@],"settings":{},"mappings":{},"aliases":{}}})"},
    SetupKind{"/_data_stream/",
              R"({"data_streams":[{"name":@,"timestamp_field":{"name":"@timestamp"},"indices":[],)"
              R"("generation":1,"status":"GREEN","template":@,"hidden":false,"system":false,)"
              R"("allow_custom_routing":false,"replicated":false,"rollover_on_write":false,)"
              R"("next_generation_managed_by":"Unmanaged","prefer_ilm":true,"settings":{}}]})"},
    SetupKind{"/_ilm/policy/", R"({@:{"version":1,"modified_date":"2024-01-01T00:00:00.000Z",)"
                               R"("policy":{"phases":{}}}})"},
    SetupKind{"/_ingest/pipeline/", R"({@:{"processors":[]}})"},
    SetupKind{"/{index}", R"({@:{"aliases":{},"mappings":{},"settings":{}}})"},
};

std::string setup_body(std::string_view form, std::string_view name) {
  std::string quoted;
  JsonWriter(quoted).string(repair_utf8(name));
  std::string body;
  for (std::size_t at = 0; at < form.size(); ++at) {
    const bool is_place = form[at] == '@' && !form.substr(at).starts_with("@timestamp");
    is_place ? body.append(quoted) : body.append(1, form[at]);
  }
  return body;
}

}  // namespace

Result<HttpResponse> handle_elastic_setup_show(Api& /*api*/, HttpRequest& request) {
  const auto kind = std::ranges::find_if(kSetupKinds, [&](const SetupKind& each) {
    return request.route->pattern.find(each.path) != std::string_view::npos;
  });
  EVQ_CHECK(kind != kSetupKinds.end());
  const std::string& name = request.argument("name");
  HttpResponse response =
      json_response(setup_body(kind->body, name.empty() ? request.argument("index") : name));
  add_elastic_header(&response);
  return response;
}

Result<HttpResponse> handle_elastic_setup_put(Api& /*api*/, HttpRequest& request) {
  const std::string& index = request.argument("index");
  HttpResponse response = json_response(
      index.empty()
          ? R"({"acknowledged":true})"
          : setup_body(R"({"acknowledged":true,"shards_acknowledged":true,"index":@})", index));
  add_elastic_header(&response);
  return response;
}

// Events can be queried as soon as they are stored.
Result<HttpResponse> handle_elastic_refresh(Api& /*api*/, HttpRequest& /*request*/) {
  HttpResponse response = json_response(R"({"_shards":{"total":1,"successful":1,"failed":0}})");
  add_elastic_header(&response);
  return response;
}

}  // namespace evq
