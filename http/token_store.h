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

// Makes a token without storing it. kUsage for a missing or too long name, bad or too long
// capabilities, or an expiry in the past. `replaced`: the one whose place it takes, which may have
// longer capabilities, from before they had a limit, and it no longer ones.
Result<CreatedToken> make_token(const TokenSpec& spec, const TokenRecord* replaced = nullptr);
// Makes a token as make_token() does, and stores it.
Result<CreatedToken> create_token(Definitions& definitions, const TokenSpec& spec);
// Makes and stores a token unless the store has any; of several processes that start at once, one
// makes it.
Result<std::optional<CreatedToken>> create_first_token(Definitions& definitions,
                                                       const TokenSpec& spec);
// kNotFound when there is none of this id.
Result<TokenRecord> find_token(Definitions& definitions, std::string_view id);
Status delete_token(Definitions& definitions, std::string_view id);

// The kind of resource that a permission is about.
enum class PermissionOf : std::uint8_t { kDataset, kView, kOrganization };

// Checks that there is such a permission; kUsage, with those there are, for any other.
Status check_permission(PermissionOf of, std::string_view resource, std::string_view action);
// Checks all permissions that a token is to have, in JSON; the error names the member that is
// wrong.
Status check_capabilities(std::string_view json);

// Returns, as JSON, everything that an API token can be allowed to do.
std::string full_capabilities();

}  // namespace evq
