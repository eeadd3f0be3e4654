#pragma once
// The deployments file of Axiom's own command line, ~/.axiom.toml: which server it talks to, and
// with which token. Of TOML it needs tables and texts; anything else in the file is passed over.

#include <optional>
#include <string>

#include "cli/terminal/terminal.h"
#include "store/base/result.h"

namespace evq {

struct AxiomDeployment {
  std::string name;
  std::string url;
  std::string token;
  std::string organization;
  std::string file;  // where it was read
};

// Finds the deployment that AXIOM_DEPLOYMENT names, else the file's active one, else its only one;
// nullopt without a file or an active deployment. kUsage for a deployment that is named and not
// there, and for a text without its closing quote.
Result<std::optional<AxiomDeployment>> find_axiom_deployment(const Environment& environment);

}  // namespace evq
