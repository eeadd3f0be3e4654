#pragma once
// CatalogTokens: the tokens of a store (Tokens in definitions.h), kept in catalog.db. Only digests
// of secrets are there, so that a look-up is by digest and its timing tells nothing about a secret.
// Any thread.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/catalog_file.h"
#include "store/definitions.h"

namespace evq {

class CatalogTokens final : public Tokens {
 public:
  explicit CatalogTokens(CatalogFile& catalog) : catalog_(catalog) {}

  Result<std::vector<TokenRecord>> list() override;
  Result<std::optional<TokenRecord>> find(std::string_view digest) override;
  Status put(const TokenRecord& token) override;
  Result<TokenRecord> replace(std::string_view id, const TokenReplacement& make) override;
  Status note_uses(const TokenUses& uses) override;
  Result<bool> put_first(const TokenRecord& token) override;
  Result<bool> remove(std::string_view id) override;

 private:
  Status write_token(Connection& connection, const TokenRecord& token,
                     std::optional<std::int64_t> sum_before) const;
  Result<bool> remove_token(Database& database, std::string_view id);

  CatalogFile& catalog_;
};

}  // namespace evq
