#pragma once
// Who sends a request and what they may do. Tokens are random texts given once; the store keeps
// their SHA-256 digests and looks them up by digest, so that how long a look-up takes says nothing.
// API tokens (xaat-…) hold capabilities; personal tokens (xapt-…) may do everything but must name
// the organization. Every failure is kForbidden with the same few texts.
// Any thread may use an Authenticator.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/definitions.h"

namespace evq {

struct HttpRequest;

// What a token may do, as its JSON says: {"datasetCapabilities":{"logs":{"ingest":["create"]}},
// "orgCapabilities":{"datasets":["read"]}}; "*" stands for every dataset.
struct Capabilities {
  using Actions = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;
  using Named = std::map<std::string, Actions, std::less<>>;
  Named datasets;
  Actions organization;
  Named views;  // no route needs any

  bool may(std::string_view dataset, std::string_view resource, std::string_view action) const;
  bool may_organization(std::string_view resource, std::string_view action) const;
  bool may_view(std::string_view view, std::string_view resource, std::string_view action) const;
};

// What becomes of "viewCapabilities" of another shape, which tokens have that were made before evq
// read them.
enum class OddViews : std::uint8_t { kCountAsNone, kRefused };
// Reads the capabilities of a token; kUsage for another shape.
Result<Capabilities> parse_capabilities(std::string_view json,
                                        OddViews odd_views = OddViews::kCountAsNone);

struct Identity {
  bool full = false;      // may do everything
  bool personal = false;  // a personal token
  std::string token_id;   // empty without authentication
  std::string digest;     // of the token, by which it is found
  std::string name;
  std::optional<std::int64_t> expires;  // when the token does
  std::shared_ptr<const Capabilities> capabilities;

  bool may(std::string_view dataset, std::string_view resource, std::string_view action) const;
  bool may_organization(std::string_view resource, std::string_view action) const;
  // A view shows datasets: what is allowed on all of these is allowed on it.
  bool may_view(std::string_view view, std::string_view resource, std::string_view action) const;
  // Whether the action is allowed on any dataset at all.
  bool may_somewhere(std::string_view resource, std::string_view action) const;
  // Returns the dataset that a request may leave out: the only one that its token names for this,
  // where * is no name. Nothing when it names none or several.
  std::optional<std::string> only_dataset(std::string_view resource, std::string_view action) const;
};

// How a route treats credentials.
struct AuthRules {
  bool open = false;                   // nothing is asked
  bool organization_optional = false;  // personal tokens need not name it
  bool refuse_personal = false;        // API tokens only
  bool other_schemes = false;          // also Basic, ApiKey and Splunk, which shippers send
};

// Makes a secret: prefix and 256 random bits as two UUID-like groups. Aborts without a random
// source.
std::string make_token_secret(bool personal);
// Returns the SHA-256 of a secret, 32 bytes.
std::string token_digest(std::string_view secret);
// Makes a UUID of 128 random bits, for ids.
std::string make_uuid();

// Returns the organization's id, which is made up and kept on first use; on a file system that is
// only read it is "evq" until then.
Result<std::string> organization_id(Definitions& definitions);
// Sets the organization's id; kUsage unless it is of visible ASCII characters, since it is sent in
// a header. Requests with personal tokens must name the new one from then on.
Status set_organization_id(Definitions& definitions, std::string_view id);

class Authenticator {
 public:
  // With `enabled` false every request counts as the owner's.
  Authenticator(Definitions& definitions, bool enabled)
      : definitions_(definitions), enabled_(enabled) {}

  bool enabled() const { return enabled_; }
  Result<Identity> authenticate(const HttpRequest& request, const AuthRules& rules);
  // Whether the token of that digest is still there and has not expired: kForbidden.
  Status check_token(const std::string& digest);
  // Forgets what is remembered, after tokens or the organization were changed. What another process
  // changes is noticed within kTokenCacheMsMax.
  void forget();
  // Writes down when tokens were last used, for each at most once a minute. Slow. What cannot be
  // written is kept for the next time.
  Status keep_uses();

 private:
  struct Known {
    std::optional<TokenRecord> record;
    std::shared_ptr<const Capabilities> capabilities;
    std::int64_t read_ns = 0;
  };
  Result<Known> look_up(const std::string& digest);
  Result<Known> look_up_valid(const std::string& digest, std::int64_t now);
  void note_use(const std::string& digest, const TokenRecord& record, std::int64_t now);
  Status check_organization(const HttpRequest& request);
  Result<std::string> known_organization();

  Definitions& definitions_;
  const bool enabled_;
  Mutex mutex_;
  // Number of calls of forget(): what was read before one is not remembered after it.
  std::uint64_t turn_ EVQ_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Known, std::less<>> known_ EVQ_GUARDED_BY(mutex_);
  std::string organization_ EVQ_GUARDED_BY(mutex_);  // empty: not known
  std::int64_t organization_read_ns_ EVQ_GUARDED_BY(mutex_) = 0;
  TokenUses uses_ EVQ_GUARDED_BY(mutex_);  // not kept yet
};

}  // namespace evq
