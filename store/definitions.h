#pragma once
// Definitions: everything a store keeps that is not events, held in catalog.db: the list of
// datasets, tokens, settings, and objects that the layers above give meaning to (saved queries,
// annotations, virtual fields, monitors, …) and the store keeps as the JSON text it was given.
// Validation of names and bodies is the caller's, except that a dataset's name is checked here.
// Every row carries a checksum and is verified on read (kCorrupt names the file).
// Any thread; each call is one transaction and, when it changes something, durable on return.
// Times are nanoseconds since the Unix epoch.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"

namespace evq {

// kUsage unless the name is [A-Za-z0-9_.-]{1,128}, first and last alphanumeric.
Status check_dataset_name(std::string_view name);

struct DatasetDefinition {
  std::string name;  // as check_dataset_name wants it; unique; also its API id
  std::string description;
  std::string kind;   // "axiom:events:v1"
  std::string who;    // who created it; may be empty
  std::string extra;  // JSON object text of what else the caller wants echoed; may be empty
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::int64_t retention_days = 0;
  bool use_retention = false;
  std::vector<std::string> map_fields;
  std::string later;          // what a newer version has added, coded; stays as it is
  std::uint64_t file_id = 0;  // names datasets/<file_id>.db; assigned by the store, never reused
};

// Kinds of stored objects; the numbers are on disk and never change.
enum class ObjectKind : std::uint8_t {
  kSavedQuery = 1,
  kAnnotation = 2,
  kVirtualField = 3,
  kMonitor = 4,
  kNotifier = 5,
  kDashboard = 6,
  kView = 7,
  kQueryHistory = 8,
};

struct StoredObject {
  ObjectKind kind = ObjectKind::kSavedQuery;
  std::string id;       // unique within the kind
  std::string dataset;  // what it belongs to; may be empty
  std::string name;
  std::string who;
  std::string body;  // JSON text, stored as given
  std::int64_t created = 0;
  std::int64_t updated = 0;
};

// Which objects of a kind are meant: all, but for what is set.
struct ObjectFilter {
  ObjectKind kind = ObjectKind::kSavedQuery;
  std::string_view dataset = {};  // empty: of any
  std::string_view name = {};     // empty: of any
};

// Changes the definition of a dataset. Called inside the transaction that stores it; a failure is
// passed on, and nothing is changed.
using DatasetChange = std::function<Status(DatasetDefinition* dataset)>;

// Makes the object to store from the one that is stored under the same id, which is null when there
// is none. Called inside the transaction that stores it, in which it may read definitions: nobody
// else changes any before that is over. A failure is passed on, and nothing is changed.
using ObjectChange = std::function<Result<StoredObject>(const StoredObject* known)>;

// Decides whether the stored object may be removed; a failure is passed on and keeps it.
using ObjectCheck = std::function<Status(const StoredObject& known)>;

struct TokenRecord {
  std::string id;
  std::string digest;  // SHA-256 of the secret, 32 bytes: the secret itself is never stored
  std::string name;
  std::string description;
  std::string kind;          // "api" or "personal"
  std::string capabilities;  // JSON text
  std::int64_t created = 0;
  std::optional<std::int64_t> expires;
  std::optional<std::int64_t> last_used;  // kept with a granularity of minutes by the caller
};

// Makes a new token from the stored one, to take its place, and may change the old one, which
// stays. Called inside the transaction that stores both; a failure is passed on, and nothing is
// changed.
using TokenReplacement = std::function<Result<TokenRecord>(TokenRecord* old)>;

struct FieldAttributes {
  std::string unit;
  std::string description;
  bool hidden = false;
};

// The time of each token's last use, by its digest.
using TokenUses = std::map<std::string, std::int64_t, std::less<>>;

class Tokens {
 public:
  virtual ~Tokens() = default;

  // Ordered by creation, then id.
  virtual Result<std::vector<TokenRecord>> list() = 0;
  virtual Result<std::optional<TokenRecord>> find(std::string_view digest) = 0;
  virtual Status put(const TokenRecord& token) = 0;  // by id; one that was used is only replaced
  // Stores what `make` makes of the token with this id, and returns it. kNotFound without one.
  virtual Result<TokenRecord> replace(std::string_view id, const TokenReplacement& make) = 0;
  // Stores when tokens were used, all in one transaction; skips tokens that no longer exist.
  virtual Status note_uses(const TokenUses& uses) = 0;
  // Stores the token unless the store has any token already; returns whether it did.
  virtual Result<bool> put_first(const TokenRecord& token) = 0;
  virtual Result<bool> remove(std::string_view id) = 0;
};

class Definitions {
 public:
  virtual ~Definitions() = default;

  // Ordered by name. An empty or missing store has none.
  virtual Result<std::vector<DatasetDefinition>> datasets() = 0;
  virtual Result<std::optional<DatasetDefinition>> find_dataset(std::string_view name) = 0;
  // Needs a free name (kConflict) and a valid one (kUsage); fills in file_id, created and updated.
  virtual Result<DatasetDefinition> create_dataset(const DatasetDefinition& definition) = 0;
  // Reads, changes and stores in one transaction; returns it. Name and file stay. kNotFound.
  virtual Result<DatasetDefinition> change_dataset(std::string_view name,
                                                   const DatasetChange& change) = 0;

  // Ordered by creation, then id. Bodies of objects that are not meant are not read once the list
  // was found sound.
  virtual Result<std::vector<StoredObject>> find_objects(const ObjectFilter& which) = 0;
  Result<std::vector<StoredObject>> objects(ObjectKind kind, std::string_view dataset) {
    return find_objects({kind, dataset});
  }
  // The ids of those that find_objects() finds, in that order, without their bodies.
  virtual Result<std::vector<std::string>> find_object_ids(const ObjectFilter& which) = 0;
  virtual Result<std::optional<StoredObject>> find_object(ObjectKind kind, std::string_view id) = 0;
  virtual Status put_object(const StoredObject& object) = 0;  // inserts or replaces
  // Reads, changes and stores in one transaction, and returns what was stored. `body_bytes` is the
  // approximate size of its new body.
  virtual Result<StoredObject> change_object(ObjectKind kind, std::string_view id,
                                             std::size_t body_bytes,
                                             const ObjectChange& change) = 0;
  // Returns false without such an object. Calls `check`, which may be empty, in the transaction.
  virtual Result<bool> remove_object(ObjectKind kind, std::string_view id,
                                     const ObjectCheck& check) = 0;

  virtual Tokens& tokens() = 0;

  // Settings such as "org.id"; absent ones are empty optionals.
  virtual Result<std::optional<std::string>> setting(std::string_view name) = 0;
  virtual Status put_setting(std::string_view name, std::string_view value) = 0;
  // Returns the setting, which is set to `value` first when it is absent.
  virtual Result<std::string> setting_or(std::string_view name, std::string_view value) = 0;
};

}  // namespace evq
