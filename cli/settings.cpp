#include "cli/settings.h"

#include <algorithm>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "cli/terminal/pager.h"
#include "store/base/ascii.h"
#include "store/base/check.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

constexpr std::string_view kAxiomServer = "https://api.axiom.co";

// What a variable says of the user's folders; `in_home`, below the home directory, where it says
// nothing. The XDG specification has relative paths ignored: they would be other folders in each
// working directory.
std::string user_folder(const Environment& environment, const char* variable,
                        std::string_view in_home) {
  const std::string folder = environment(variable).value_or("");
  return folder.starts_with('/') ? folder
                                 : home_directory(environment) + "/" + std::string(in_home);
}

std::string default_value(std::string_view name, const Environment& environment) {
  if (name == "store") {
    return user_folder(environment, "XDG_DATA_HOME", ".local/share") + "/evq";
  }
  if (name == "pager") {
    return pager_command(environment);
  }
  return name == "color" ? "auto" : "";
}

// What a default was derived from.
std::string default_source(std::string_view name, const Environment& environment) {
  return name == "pager" && environment("PAGER").has_value() ? "PAGER" : "default";
}

std::string default_file(const Environment& environment) {
  if (const auto file = environment("EVQ_CONFIG"); file.has_value() && !file->empty()) {
    return *file;
  }
  return user_folder(environment, "XDG_CONFIG_HOME", ".config") + "/evq/config";
}

// A value stands between quotes, or alone; a comment may follow.
std::string_view unquoted(std::string_view value) {
  if (value.starts_with('"') || value.starts_with('\'')) {
    const std::size_t end = value.find(value[0], 1);
    const std::string_view rest =
        end == std::string_view::npos ? value : trimmed(value.substr(end + 1));
    return rest.empty() || rest.starts_with('#') ? value.substr(1, end - 1) : value;
  }
  return trimmed(value.substr(0, std::min(value.find(" #"), value.find("\t#"))));
}

bool is_axiom(std::string_view server) {
  const std::size_t host = server.find("://");
  std::string_view name = host == std::string_view::npos ? server : server.substr(host + 3);
  name = name.substr(0, name.find_first_of(":/"));
  return server.starts_with("https://") && (name == "axiom.co" || name.ends_with(".axiom.co"));
}

}  // namespace

std::span<const SettingInfo> all_settings() {
  static const std::vector<SettingInfo> kSettings = {
      {"store", "--store", {"EVQ_STORE", "EVQ_DB"}, "The store's directory", "DIR", false, true},
      {"server",
       "--server",
       {"EVQ_SERVER", "AXIOM_URL"},
       "Work on this server instead of a store",
       "URL"},
      {"token", "--token", {"EVQ_TOKEN", "AXIOM_TOKEN"}, "The server's token", "TOKEN", true},
      {"org", "--org", {"EVQ_ORG", "AXIOM_ORG_ID"}, "The organization, for personal tokens", "ID"},
      {"ca-file",
       "--ca-file",
       {"EVQ_CA_FILE"},
       "Certificates to trust, PEM; default: the system's",
       "FILE",
       false,
       true},
      {"geo-database",
       "--geo-database",
       {"EVQ_GEO_DATABASE"},
       "An .mmdb file for geo_info_from_ip_address()",
       "FILE",
       false,
       true},
      {"output", "-o", {"EVQ_OUTPUT", "EVQ_FORMAT"}, "Form of answers", "WORD"},
      {"color", "--color", {"EVQ_COLOR"}, "When to use colours", "WORD"},
      {"tz", "--tz", {"EVQ_TZ"}, "Time zone of tables and charts: local, Europe/Berlin", "ZONE"},
      {"pager",
       "--no-pager",
       {"EVQ_PAGER"},
       "Shows long answers on a terminal; none: no pager",
       "COMMAND"},
  };
  return kSettings;
}

std::string state_directory(const Environment& environment) {
  return user_folder(environment, "XDG_STATE_HOME", ".local/state") + "/evq";
}

std::size_t Settings::index_of(std::string_view name) const {
  const auto found =
      std::ranges::find(settings_, name, [](const Setting& setting) { return setting.info->name; });
  EVQ_CHECK(found != settings_.end());
  return static_cast<std::size_t>(found - settings_.begin());
}

const Setting& Settings::setting(std::string_view name) const {
  return settings_[index_of(name)];
}

std::string Settings::value(std::string_view name) const {
  if (settings_.empty()) {
    return {};
  }
  const Setting& found = setting(name);
  return found.unused.empty() ? found.value : std::string();
}

Status Settings::read_file(const Environment& environment) {
  file_ = default_file(environment);
  if (!file_exists(file_)) {
    const bool named = environment("EVQ_CONFIG") == std::optional(file_);
    return named
               ? make_error(ErrorCode::kUsage, "EVQ_CONFIG names " + file_ + ", which is not there",
                            "without it, the settings file is ~/.config/evq/config")
               : Status::success();
  }
  EVQ_TRY_ASSIGN(const std::string text, read_whole_file(file_, kSmallFileBytesMax));
  std::string_view lines = without_byte_order_mark(text);
  std::size_t number = 0;
  while (!lines.empty()) {
    const std::string_view line = trimmed(take_line(&lines));
    const std::string place = file_ + ":" + std::to_string(++number);
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      return make_error(ErrorCode::kUsage, place + ": not a setting", "write name = value");
    }
    const std::string_view name = trimmed(line.substr(0, equals));
    std::string_view value = trimmed(line.substr(equals + 1));
    value = unquoted(value);
    const auto info = std::ranges::find(all_settings(), name, &SettingInfo::name);
    if (info == all_settings().end()) {
      std::vector<std::string_view> names;
      for (const SettingInfo& each : all_settings()) {
        names.push_back(each.name);
      }
      return make_error(ErrorCode::kUsage, place + ": unknown setting '" + std::string(name) + "'",
                        diag::did_you_mean(name, names));
    }
    from_file_[std::string(name)] = {&*info, std::string(value), SettingWeight::kFile, place, ""};
  }
  return Status::success();
}

Status Settings::find_axiom(const Environment& environment) {
  Setting& server = find("server");
  asks_for_axiom_ = server.value == "axiom";
  if (server.value.empty()) {
    return Status::success();
  }
  auto found = find_axiom_deployment(environment);
  if (!found.ok() && asks_for_axiom_) {
    return found.error();
  }
  deployment_ = found.ok() ? std::move(found).value() : std::nullopt;
  if (asks_for_axiom_) {
    const bool known = deployment_.has_value() && !deployment_->url.empty();
    server.value = known ? deployment_->url : std::string(kAxiomServer);
    server.source += known ? ", " + deployment_->file : "";
  }
  return Status::success();
}

// A store and a server cannot both be meant: the one that was asked for more strongly is.
Status Settings::choose_target() {
  Setting& server = find("server");
  Setting& store = find("store");
  if (server.value.empty()) {
    return Status::success();
  }
  if (store.weight == SettingWeight::kOption && server.weight == SettingWeight::kOption) {
    return make_error(ErrorCode::kUsage, "--store and --server exclude each other");
  }
  if (store.weight > server.weight) {
    server.unused = store.source + " is used";
  } else {
    store.unused = server.source + " is used";
  }
  return Status::success();
}

// A secret goes only to the server it was meant for: from the file to the file's server, Axiom's
// variables to Axiom's address. EVQ_TOKEN and --token go where they are told.
void Settings::keep_secrets() {
  const Setting& server = find("server");
  const bool works_on_store = server.value.empty() || !server.unused.empty();
  for (const std::string_view name : {"token", "org", "ca-file"}) {
    Setting& setting = find(name);
    if (works_on_store && !setting.value.empty()) {
      setting.unused = "it is for a server";
    }
  }
  for (const std::string_view name : {"token", "org"}) {
    Setting& secret = find(name);
    const auto filed = from_file_.find("server");
    const bool others = (secret.weight == SettingWeight::kFile &&
                         (filed == from_file_.end() || filed->second.value != server.value)) ||
                        (secret.weight == SettingWeight::kForeignVariable &&
                         server.weight != SettingWeight::kForeignVariable && !asks_for_axiom_ &&
                         !is_axiom(server.value));
    if (others && !secret.value.empty() && !works_on_store) {
      secret.unused = "meant for another server";
    }
  }
}

// The token and organization of the deployment that the server is, where nothing else says them.
void Settings::use_deployment() {
  const Setting& server = find("server");
  if (!deployment_.has_value() || deployment_->url != server.value || !server.unused.empty()) {
    return;
  }
  const std::pair<std::string_view, const std::string&> secrets[] = {
      {"token", deployment_->token}, {"org", deployment_->organization}};
  for (const auto& [name, value] : secrets) {
    Setting& setting = find(name);
    if ((setting.value.empty() || !setting.unused.empty()) && !value.empty()) {
      setting = {setting.info, value, SettingWeight::kForeignFile, deployment_->file, ""};
    }
  }
}

Result<Settings> Settings::resolve(const Environment& environment,
                                   const std::map<std::string, std::string>& options) {
  Settings settings;
  EVQ_TRY(settings.read_file(environment));
  for (const SettingInfo& info : all_settings()) {
    const std::string name(info.name);
    Setting setting{&info, default_value(name, environment), SettingWeight::kDefault,
                    default_source(name, environment), ""};
    if (const auto filed = settings.from_file_.find(name); filed != settings.from_file_.end()) {
      setting = filed->second;
    }
    for (auto variable = info.variables.rbegin(); variable != info.variables.rend(); ++variable) {
      const auto value = environment(std::string(*variable));
      // An empty variable says nothing, but of a pager that there is none.
      if (value.has_value() && (!value->empty() || name == "pager")) {
        const bool own = variable->starts_with("EVQ_");
        setting = {&info, *value, own ? SettingWeight::kVariable : SettingWeight::kForeignVariable,
                   std::string(*variable), ""};
      }
    }
    if (const auto given = options.find(name); given != options.end()) {
      setting = {&info, given->second, SettingWeight::kOption, std::string(info.option), ""};
    }
    if (info.is_path) {  // from a file, or --store=~/logs
      setting.value = expand_home(setting.value, environment);
    }
    settings.settings_.push_back(std::move(setting));
  }
  EVQ_TRY(settings.find_axiom(environment));
  EVQ_TRY(settings.choose_target());
  settings.keep_secrets();
  settings.use_deployment();
  if (Setting& pager = settings.find("pager"); pager.value == "none" || pager.value == "cat") {
    pager.value.clear();
  }
  return settings;
}

}  // namespace evq
