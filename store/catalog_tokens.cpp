#include "store/catalog_tokens.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "store/catalog/row_sum.h"
#include "store/catalog_rows.h"

namespace evq {

namespace {

constexpr std::string_view kTokenColumns =
    "id, digest, name, description, kind, capabilities, created, expires, last_used, sum";
constexpr int kSumColumn = 9;

// Of those that `which`, a clause of SQL, leaves.
std::string select_tokens(std::string_view which = "") {
  return "SELECT " + std::string(kTokenColumns) + " FROM tokens " + std::string(which);
}

std::int64_t token_sum(const TokenRecord& token) {
  RowSum sum(0, "tokens");
  sum.add_text(token.id)
      .add_text(token.digest)
      .add_text(token.name)
      .add_text(token.description)
      .add_text(token.kind)
      .add_text(token.capabilities)
      .add(token.created);
  for (const std::optional<std::int64_t>& time : {token.expires, token.last_used}) {
    if (time) {
      sum.add(*time);
    } else {
      sum.add_null();
    }
  }
  return sum.value();
}

std::optional<std::int64_t> time_of(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional<std::int64_t>(row.integer(column));
}

Result<TokenRecord> token_of(const Statement& row) {
  TokenRecord token;
  token.id = row.text(0);
  token.digest = row.blob(1);
  token.name = row.text(2);
  token.description = row.text(3);
  token.kind = row.text(4);
  token.capabilities = row.text(5);
  token.created = row.integer(6);
  token.expires = time_of(row, 7);
  token.last_used = time_of(row, 8);
  if (row.integer(kSumColumn) != token_sum(token)) {
    return corrupt_catalog(
        "the row of token '" + token.id + "' is damaged",
        "delete it with 'evq token delete " + token.id + "', or restore the store from a backup");
  }
  return token;
}

}  // namespace

CatalogList token_list() {
  const auto sum = [](const Statement& row) -> Result<std::int64_t> {
    EVQ_TRY_ASSIGN(const TokenRecord token, token_of(row));
    return row.integer(kSumColumn);
  };
  return {"token_sums", select_tokens(), sum, "tokens"};
}

namespace {

Result<std::optional<std::int64_t>> stored_sum(Connection& connection, std::string_view id) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare("SELECT sum FROM tokens WHERE id = ?1"));
  EVQ_TRY_ASSIGN(const bool found, row.bind_text(1, id).step());
  return found ? std::optional<std::int64_t>(row.integer(0)) : std::nullopt;
}

// The token that the parameters of `row` select.
Result<std::optional<TokenRecord>> read_token(Statement& row) {
  EVQ_TRY_ASSIGN(const bool found, row.step());
  if (!found) {
    return std::optional<TokenRecord>();
  }
  EVQ_TRY_ASSIGN(TokenRecord token, token_of(row));
  return std::optional<TokenRecord>(std::move(token));
}

Result<std::optional<TokenRecord>> find_token(Connection& connection, std::string_view digest) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(select_tokens("WHERE digest = ?1")));
  return read_token(row.bind_blob(1, digest));
}

void bind_time(Statement* write, int index, const std::optional<std::int64_t>& time) {
  if (time) {
    write->bind(index, *time);
  } else {
    write->bind_null(index);
  }
}

}  // namespace

Result<std::vector<TokenRecord>> CatalogTokens::list() {
  std::vector<TokenRecord> found;
  EVQ_TRY_ASSIGN(Database * catalog, catalog_.find());
  if (catalog == nullptr) {
    return found;
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  EVQ_TRY(check_list(lease.connection(), token_list()));
  EVQ_TRY_ASSIGN(Statement row, lease.connection().prepare(select_tokens()));
  const auto add = [&]() -> Status {
    EVQ_TRY_ASSIGN(TokenRecord token, token_of(row));
    found.push_back(std::move(token));
    return {};
  };
  EVQ_TRY(row.each(add));
  std::ranges::sort(found, [](const TokenRecord& a, const TokenRecord& b) {
    return std::tie(a.created, a.id) < std::tie(b.created, b.id);
  });
  return found;
}

Result<std::optional<TokenRecord>> CatalogTokens::find(std::string_view digest) {
  EVQ_TRY_ASSIGN(Database * catalog, catalog_.find());
  if (catalog == nullptr) {
    return std::optional<TokenRecord>();
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  EVQ_TRY_ASSIGN(std::optional<TokenRecord> token, find_token(lease.connection(), digest));
  if (token) {
    // One that was revoked must not come back with an old page. Requests ask for it all the time,
    // on threads that have no time: all rows are read only when another process has changed one of
    // them, since whoever changes one here reads them before it is committed.
    EVQ_TRY(catalog_.checked().check(lease.connection(), token_list()));
  }
  return token;
}

Status CatalogTokens::write_token(Connection& connection, const TokenRecord& token,
                                  std::optional<std::int64_t> sum_before) const {
  EVQ_TRY(note_change(connection, token_list(), {sum_before, token_sum(token)},
                      catalog_.options().rows_max));
  EVQ_TRY_ASSIGN(Statement write,
                 connection.prepare("INSERT OR REPLACE INTO tokens(" + std::string(kTokenColumns) +
                                    ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"));
  write.bind_text(1, token.id)
      .bind_blob(2, token.digest)
      .bind_text(3, token.name)
      .bind_text(4, token.description)
      .bind_text(5, token.kind)
      .bind_text(6, token.capabilities)
      .bind(7, token.created);
  bind_time(&write, 8, token.expires);
  bind_time(&write, 9, token.last_used);
  write.bind(10, token_sum(token));
  return write.run();
}

Status CatalogTokens::put(const TokenRecord& token) {
  EVQ_TRY_ASSIGN(Database * catalog, catalog_.obtain());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::little()));
  EVQ_TRY_ASSIGN(const std::optional<std::int64_t> before, stored_sum(lock.connection(), token.id));
  // Noting that a token was used does not bring back one that is revoked meanwhile.
  if (token.last_used && !before) {
    return {};
  }
  EVQ_TRY(write_token(lock.connection(), token, before));
  // Others' damage is told to those who look for a token; what has not been checked is then.
  static_cast<void>(catalog_.checked().check(lock.connection(), token_list()));
  return lock.commit();
}

Result<TokenRecord> CatalogTokens::replace(std::string_view id, const TokenReplacement& make) {
  EVQ_TRY_ASSIGN(Database * catalog, catalog_.obtain());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::little()));
  std::optional<TokenRecord> old;
  {
    EVQ_TRY_ASSIGN(Statement row, lock.connection().prepare(select_tokens("WHERE id = ?1")));
    EVQ_TRY_ASSIGN(old, read_token(row.bind_text(1, id)));
  }
  if (!old) {
    return make_error(ErrorCode::kNotFound, "token not found");
  }
  const std::int64_t before = token_sum(*old);
  EVQ_TRY_ASSIGN(TokenRecord token, make(&*old));
  EVQ_TRY(write_token(lock.connection(), *old, before));
  EVQ_TRY(write_token(lock.connection(), token, std::nullopt));
  EVQ_TRY(catalog_.checked().check(lock.connection(), token_list()));
  EVQ_TRY(lock.commit());
  return token;
}

Status CatalogTokens::note_uses(const TokenUses& uses) {
  EVQ_TRY_ASSIGN(Database * catalog, catalog_.obtain());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::little()));
  for (const auto& [digest, time] : uses) {
    EVQ_TRY_ASSIGN(std::optional<TokenRecord> token, find_token(lock.connection(), digest));
    if (!token) {
      continue;
    }
    const std::int64_t before = token_sum(*token);
    token->last_used = time;
    EVQ_TRY(write_token(lock.connection(), *token, before));
  }
  EVQ_TRY(catalog_.checked().check(lock.connection(), token_list()));
  return lock.commit();
}

Result<bool> CatalogTokens::put_first(const TokenRecord& token) {
  EVQ_TRY_ASSIGN(Database * catalog, catalog_.obtain());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::little()));
  EVQ_TRY(check_list(lock.connection(), token_list()));
  {
    EVQ_TRY_ASSIGN(Statement row, lock.connection().prepare("SELECT 1 FROM tokens LIMIT 1"));
    EVQ_TRY_ASSIGN(const bool any, row.step());
    if (any) {
      return false;
    }
  }
  EVQ_TRY(write_token(lock.connection(), token, std::nullopt));
  EVQ_TRY(lock.commit());
  return true;
}

Result<bool> CatalogTokens::remove(std::string_view id) {
  EVQ_TRY_ASSIGN(Database * catalog, catalog_.find());
  if (catalog == nullptr) {
    return false;
  }
  return catalog->with_reserve([&] { return remove_token(*catalog, id); });
}

Result<bool> CatalogTokens::remove_token(Database& database, std::string_view id) {
  EVQ_TRY_ASSIGN(WriteLock lock, database.begin_write(Room::none()));
  Connection& connection = lock.connection();
  ListChange change;
  bool damaged = false;
  {
    EVQ_TRY_ASSIGN(Statement row, connection.prepare(select_tokens("WHERE id = ?1")));
    EVQ_TRY_ASSIGN(const bool found, row.bind_text(1, id).step());
    if (!found) {
      return false;
    }
    change.before = row.integer(kSumColumn);
    damaged = !token_of(row).ok();
  }
  EVQ_TRY(note_change(connection, token_list(), change, catalog_.options().rows_max));
  {
    EVQ_TRY_ASSIGN(Statement remove, connection.prepare("DELETE FROM tokens WHERE id = ?1"));
    EVQ_TRY(remove.bind_text(1, id).run());
  }
  if (damaged) {
    EVQ_TRY(note_sound_rows(connection, token_list()));
  }
  static_cast<void>(catalog_.checked().check(connection, token_list()));  // it may be a damaged one
  EVQ_TRY(lock.commit());
  return true;
}

}  // namespace evq
