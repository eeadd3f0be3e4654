#pragma once
// Tokens as people make them: create, list, replace, delete, shared by the API and `evq token`.
// A secret is returned once, by the call that makes it, and only its digest is kept.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/definitions.h"

namespace evq {

struct TokenSpec {
  std::string name;
  std::string description;
  bool personal = false;
  std::string capabilities;  // JSON, as parse_capabilities reads it; ignored for personal ones
  std::optional<std::int64_t> expires;
};

struct CreatedToken {
  TokenRecord record;
  std::string secret;
};

// One that is not stored yet. kUsage for a missing or too long name, bad capabilities, or an expiry
// in the past.
Result<CreatedToken> make_token(const TokenSpec& spec);
// The same, stored.
Result<CreatedToken> create_token(Definitions& definitions, const TokenSpec& spec);
// The same, unless the store has any token: of several that start at once, one makes it.
Result<std::optional<CreatedToken>> create_first_token(Definitions& definitions,
                                                       const TokenSpec& spec);
// kNotFound.
Result<TokenRecord> find_token(Definitions& definitions, std::string_view id);
Status delete_token(Definitions& definitions, std::string_view id);

// What permissions are about.
enum class PermissionOf : std::uint8_t { kDataset, kView, kOrganization };

// kUsage with what there is unless there is such a permission.
Status check_permission(PermissionOf of, std::string_view resource, std::string_view action);
// The same for all that a token is to be allowed, in JSON; the message names the member that is
// wrong.
Status check_capabilities(std::string_view json);

// Everything an API token can be allowed to do.
std::string full_capabilities();

}  // namespace evq
