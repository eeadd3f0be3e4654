#pragma once
// Settings: what a user decides once and for all, each with one name, given as an option, in the
// environment, or in a file, in this order of weight; the first that says something wins, and where
// it was said is remembered. `evq config show` prints all of that.
//
// The file is $EVQ_CONFIG, else $XDG_CONFIG_HOME/evq/config, else ~/.config/evq/config: lines of
// "name = value", the value as it is or between quotes, comments after a #. Unknown names are
// errors, and so is an EVQ_CONFIG that is not there.
//
// The server "axiom" is the deployment that Axiom's own command line uses (axiom_file.h), else
// Axiom's address. Its file says nothing unless that server is asked for: what is configured for
// another program never sends events away.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/axiom_file.h"
#include "cli/terminal/terminal.h"
#include "store/base/result.h"

namespace evq {

struct SettingInfo {
  std::string_view name;                    // in the file
  std::string_view option;                  // on the command line
  std::vector<std::string_view> variables;  // in the environment, first ones first
  std::string_view meaning;
  std::string_view value;  // what help calls it: DIR, URL
  bool secret = false;
  bool is_path = false;  // ~ in front is the home directory
};
std::span<const SettingInfo> all_settings();
// Returns the folder of a user's state: $XDG_STATE_HOME/evq, else ~/.local/state/evq.
std::string state_directory(const Environment& environment);

// The weight with which a value was asked for; higher wins.
enum class SettingWeight : std::uint8_t {
  kDefault,
  kForeignFile,
  kFile,
  kForeignVariable,
  kVariable,
  kOption
};

struct Setting {
  const SettingInfo* info = nullptr;
  std::string value;
  SettingWeight weight = SettingWeight::kDefault;
  std::string source;  // "--store", "EVQ_STORE", "/home/…/config:3", "default"
  std::string unused;  // why the value is not used; may be empty
};

class Settings {
 public:
  // `options` has the options that were given, by setting name. kUsage for a bad file.
  static Result<Settings> resolve(const Environment& environment,
                                  const std::map<std::string, std::string>& options);

  const Setting& setting(std::string_view name) const;
  // Returns a setting's value; empty when it is not used.
  std::string value(std::string_view name) const;
  const std::vector<Setting>& all() const { return settings_; }
  const std::string& file() const { return file_; }

 private:
  std::size_t index_of(std::string_view name) const;
  Setting& find(std::string_view name) { return settings_[index_of(name)]; }
  Status read_file(const Environment& environment);
  Status find_axiom(const Environment& environment);
  Status choose_target();
  void keep_secrets();
  void use_deployment();

  std::string file_;
  std::vector<Setting> settings_;  // in the order of all_settings()
  std::map<std::string, Setting, std::less<>> from_file_;
  bool asks_for_axiom_ = false;                // the server is "axiom"
  std::optional<AxiomDeployment> deployment_;  // of Axiom's file, when the server may be it
};

}  // namespace evq
