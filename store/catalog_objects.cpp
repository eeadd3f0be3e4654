// Objects in catalog.db: saved queries, annotations, monitors and the like, a list for each kind.
#include <algorithm>
#include <tuple>
#include <utility>

#include "store/catalog/row_sum.h"
#include "store/catalog_definitions.h"
#include "store/catalog_rows.h"

namespace evq {

namespace {

constexpr std::string_view kObjectColumns =
    "kind, id, dataset, name, who, created, updated, body, sum";

// Of those that `which`, a condition of SQL, is true of.
std::string select_objects(std::string_view which) {
  return "SELECT " + std::string(kObjectColumns) + " FROM objects WHERE " + std::string(which);
}

std::int64_t object_sum(const StoredObject& object) {
  return RowSum(0, "objects")
      .add(static_cast<std::int64_t>(object.kind))
      .add_text(object.id)
      .add_text(object.dataset)
      .add_text(object.name)
      .add_text(object.who)
      .add(object.created)
      .add(object.updated)
      .add_text(object.body)
      .value();
}

Result<StoredObject> object_of(const Statement& row) {
  StoredObject object;
  object.kind = static_cast<ObjectKind>(row.integer(0));
  object.id = row.text(1);
  object.dataset = row.text(2);
  object.name = row.text(3);
  object.who = row.text(4);
  object.created = row.integer(5);
  object.updated = row.integer(6);
  object.body = row.text(7);
  if (row.integer(8) != object_sum(object)) {
    return corrupt_catalog("the row of object '" + object.id + "' is damaged",
                           "restore the store from a backup");
  }
  return object;
}

}  // namespace

CatalogList object_list(ObjectKind kind) {
  const std::string number = std::to_string(static_cast<int>(kind));
  const auto sum = [](const Statement& row) -> Result<std::int64_t> {
    EVQ_TRY_ASSIGN(const StoredObject object, object_of(row));
    return row.integer(8);
  };
  return {"object_sums_" + number, select_objects("kind = " + number), sum, "objects of one kind"};
}

namespace {

Result<std::optional<StoredObject>> read_object(Connection& connection, ObjectKind kind,
                                                std::string_view id) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(select_objects("kind = ?1 AND id = ?2")));
  EVQ_TRY_ASSIGN(const bool found,
                 row.bind(1, static_cast<std::int64_t>(kind)).bind_text(2, id).step());
  if (!found) {
    return std::optional<StoredObject>();
  }
  EVQ_TRY_ASSIGN(StoredObject object, object_of(row));
  return std::optional<StoredObject>(std::move(object));
}

bool is_whole_list(const ObjectFilter& which) {
  return which.dataset.empty() && which.name.empty();
}

constexpr std::string_view kWhichObjects =
    "kind = ?1 AND (?2 = '' OR dataset = ?2) AND (?3 = '' OR name = ?3)";

void bind_which(Statement* statement, const ObjectFilter& which) {
  statement->bind(1, static_cast<std::int64_t>(which.kind))
      .bind_text(2, which.dataset)
      .bind_text(3, which.name);
}

Status write_object(Connection& connection, const StoredObject& object) {
  EVQ_TRY_ASSIGN(
      Statement write,
      connection.prepare("INSERT OR REPLACE INTO objects(" + std::string(kObjectColumns) +
                         ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
  write.bind(1, static_cast<std::int64_t>(object.kind))
      .bind_text(2, object.id)
      .bind_text(3, object.dataset)
      .bind_text(4, object.name)
      .bind_text(5, object.who)
      .bind(6, object.created)
      .bind(7, object.updated)
      .bind_text(8, object.body)
      .bind(9, object_sum(object));
  return write.run();
}

}  // namespace

// All objects are checked as the list that they are. For some of them the list need only be known
// to be sound.
Result<std::vector<StoredObject>> CatalogDefinitions::find_objects(const ObjectFilter& which) {
  std::vector<StoredObject> found;
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return found;
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  const bool all = is_whole_list(which);
  if (!all) {
    EVQ_TRY(checked_.check(lease.connection(), object_list(which.kind)));
  }
  EVQ_TRY_ASSIGN(Statement row, lease.connection().prepare(select_objects(kWhichObjects)));
  bind_which(&row, which);
  ListState read;
  const auto add = [&]() -> Status {
    EVQ_TRY_ASSIGN(StoredObject object, object_of(row));
    read.add(row.integer(8));
    found.push_back(std::move(object));
    return {};
  };
  EVQ_TRY(row.each(add));
  if (all) {
    EVQ_TRY(check_list(lease.connection(), object_list(which.kind), read));
  }
  std::ranges::sort(found, [](const StoredObject& a, const StoredObject& b) {
    return std::tie(a.created, a.id) < std::tie(b.created, b.id);
  });
  return found;
}

Result<std::vector<std::string>> CatalogDefinitions::find_object_ids(const ObjectFilter& which) {
  std::vector<std::string> ids;
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return ids;
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  EVQ_TRY(checked_.check(lease.connection(), object_list(which.kind)));
  EVQ_TRY_ASSIGN(Statement row,
                 lease.connection().prepare("SELECT id FROM objects WHERE " +
                                            std::string(kWhichObjects) + " ORDER BY created, id"));
  bind_which(&row, which);
  EVQ_TRY(row.each([&]() -> Status {
    ids.emplace_back(row.text(0));
    return {};
  }));
  return ids;
}

Result<std::optional<StoredObject>> CatalogDefinitions::find_object(ObjectKind kind,
                                                                    std::string_view id) {
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return std::optional<StoredObject>();
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  EVQ_TRY_ASSIGN(std::optional<StoredObject> object, read_object(lease.connection(), kind, id));
  if (!object) {
    EVQ_TRY(checked_.check(lease.connection(), object_list(kind)));
  }
  return object;
}

Status CatalogDefinitions::put_object(const StoredObject& object) {
  EVQ_TRY(change_object(object.kind, object.id, object.body.size(),
                        [&](const StoredObject*) { return object; }));
  return Status::success();
}

Result<StoredObject> CatalogDefinitions::change_object(ObjectKind kind, std::string_view id,
                                                       std::size_t body_bytes,
                                                       const ObjectChange& change) {
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::for_bytes(body_bytes)));
  EVQ_TRY_ASSIGN(const std::optional<StoredObject> before,
                 read_object(lock.connection(), kind, id));
  EVQ_TRY_ASSIGN(StoredObject object, change(before.has_value() ? &*before : nullptr));
  object.kind = kind;
  object.id = id;
  ListChange sums{std::nullopt, object_sum(object)};
  if (before) {
    sums.before = object_sum(*before);
  }
  EVQ_TRY(note_change(lock.connection(), object_list(kind), sums, options_.rows_max));
  EVQ_TRY(write_object(lock.connection(), object));
  EVQ_TRY(lock.commit());
  return object;
}

Result<bool> CatalogDefinitions::remove_object(ObjectKind kind, std::string_view id,
                                               const ObjectCheck& check) {
  EVQ_TRY_ASSIGN(const std::optional<StoredObject> known, find_object(kind, id));
  if (!known) {
    return false;
  }
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  return catalog->with_reserve([&] { return remove_object(*catalog, kind, id, check); });
}

Result<bool> CatalogDefinitions::remove_object(Database& catalog, ObjectKind kind,
                                               std::string_view id,
                                               const ObjectCheck& check) const {
  EVQ_TRY_ASSIGN(WriteLock lock, catalog.begin_write(Room::none()));
  EVQ_TRY_ASSIGN(const std::optional<StoredObject> found, read_object(lock.connection(), kind, id));
  if (!found) {
    return false;
  }
  if (check) {
    EVQ_TRY(check(*found));
  }
  EVQ_TRY(note_change(lock.connection(), object_list(kind), {object_sum(*found), std::nullopt},
                      options_.rows_max));
  {
    EVQ_TRY_ASSIGN(Statement remove,
                   lock.connection().prepare("DELETE FROM objects WHERE kind = ?1 AND id = ?2"));
    EVQ_TRY(remove.bind(1, static_cast<std::int64_t>(kind)).bind_text(2, id).run());
  }
  EVQ_TRY(lock.commit());
  return true;
}

}  // namespace evq
