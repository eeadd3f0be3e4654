#include "http/auth.h"

#include <algorithm>
#include <array>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "http/limits.h"
#include "http/message.h"
#include "store/base/ascii.h"
#include "store/base/base64.h"
#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

// How exactly a store knows when a token was last used.
constexpr std::int64_t kTokenUseNsMin = kMinuteNs;
constexpr std::string_view kOrganizationSetting = "org.id";
// The organization of a store that was never asked for its id, and cannot keep one where its file
// system is only read: the same at each start.
constexpr std::string_view kOrganizationNotKept = "evq";

Error refused(std::string_view why) {
  return make_error(ErrorCode::kForbidden, "authentication failed: " + std::string(why));
}

std::string random_hex(std::size_t bytes) {
  std::array<unsigned char, 64> buffer{};
  EVQ_CHECK(bytes <= buffer.size());
  EVQ_CHECK(RAND_bytes(buffer.data(), static_cast<int>(bytes)) == 1);
  std::string text;
  append_hex({reinterpret_cast<const char*>(buffer.data()), bytes}, &text);
  return text;
}

std::string grouped(const std::string& hex) {
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

Status read_actions(DynamicView bag, Capabilities::Actions* actions) {
  const Error wrong = make_error(ErrorCode::kUsage, "capabilities are objects of lists of actions");
  if (bag.is_null()) {
    return Status::success();
  }
  if (!bag.is_bag()) {
    return wrong;
  }
  for (DynamicView::Iterator resources(bag); resources.next();) {
    if (resources.value().is_null()) {
      continue;
    }
    if (!resources.value().is_array()) {
      return wrong;
    }
    auto& allowed = (*actions)[std::string(resources.key())];
    for (DynamicView::Iterator list(resources.value()); list.next();) {
      if (!list.value().is_string()) {
        return wrong;
      }
      allowed.emplace(list.value().as_string());
    }
  }
  return Status::success();
}

// A member of capabilities that holds actions by dataset or view; none when it is not given.
Result<Capabilities::Named> read_named(DynamicView all, const std::string& member) {
  Capabilities::Named named;
  const auto given = all.find(member);
  if (!given.has_value() || given->is_null()) {
    return named;
  }
  if (!given->is_bag()) {
    return make_error(ErrorCode::kUsage, member + " is an object by name");
  }
  for (DynamicView::Iterator each(*given); each.next();) {
    EVQ_TRY(read_actions(each.value(), &named[std::string(each.key())]));
  }
  return named;
}

bool has(const Capabilities::Actions& actions, std::string_view resource, std::string_view action) {
  const auto found = actions.find(resource);
  return found != actions.end() && found->second.contains(action);
}

// The same by the name of what it is allowed on, where * is all.
bool has_named(const Capabilities::Named& named, std::string_view name, std::string_view resource,
               std::string_view action) {
  return std::ranges::any_of(std::array{name, std::string_view("*")}, [&](std::string_view each) {
    const auto found = named.find(each);
    return found != named.end() && has(found->second, resource, action);
  });
}

// The secret that an Authorization header carries; nothing when its scheme is not accepted.
std::optional<std::string> secret_of(std::string_view header, bool other_schemes) {
  const std::size_t blank = header.find(' ');
  if (blank == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view scheme = header.substr(0, blank);
  std::string_view value = header.substr(blank + 1);
  while (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  if (equals_ignoring_ascii_case(scheme, "Bearer")) {
    return std::string(value);
  }
  if (!other_schemes) {
    return std::nullopt;
  }
  if (equals_ignoring_ascii_case(scheme, "Splunk")) {
    return std::string(value);
  }
  const bool is_key = equals_ignoring_ascii_case(scheme, "ApiKey");
  if (is_key && (value.starts_with("xaat-") || value.starts_with("xapt-"))) {
    return std::string(value);  // some clients send a key as they are given it
  }
  if (is_key || equals_ignoring_ascii_case(scheme, "Basic")) {
    const std::optional<std::string> pair = base64_decode(value);
    const std::size_t colon = pair.has_value() ? pair->find(':') : std::string::npos;
    return colon == std::string::npos ? std::nullopt
                                      : std::optional<std::string>(pair->substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace

bool Capabilities::may(std::string_view dataset, std::string_view resource,
                       std::string_view action) const {
  return has_named(datasets, dataset, resource, action);
}

bool Capabilities::may_view(std::string_view view, std::string_view resource,
                            std::string_view action) const {
  return has_named(views, view, resource, action);
}

bool Capabilities::may_organization(std::string_view resource, std::string_view action) const {
  return has(organization, resource, action);
}

Result<Capabilities> parse_capabilities(std::string_view json, OddViews odd_views) {
  Capabilities capabilities;
  if (json.empty()) {
    return capabilities;
  }
  const std::optional<std::string> bytes = dynamic_from_json(json);
  if (!bytes.has_value() || !DynamicView(*bytes).is_bag()) {
    return make_error(ErrorCode::kUsage, "capabilities are a JSON object");
  }
  const DynamicView all(*bytes);
  EVQ_TRY_ASSIGN(capabilities.datasets, read_named(all, "datasetCapabilities"));
  if (const auto organization = all.find("orgCapabilities"); organization.has_value()) {
    EVQ_TRY(read_actions(*organization, &capabilities.organization));
  }
  Result<Capabilities::Named> views = read_named(all, "viewCapabilities");
  if (views.ok()) {
    capabilities.views = std::move(views).value();
  } else if (odd_views == OddViews::kRefused) {
    return std::move(views).take_error();
  }
  return capabilities;
}

bool Identity::may(std::string_view dataset, std::string_view resource,
                   std::string_view action) const {
  return full || (capabilities != nullptr && capabilities->may(dataset, resource, action));
}

bool Identity::may_organization(std::string_view resource, std::string_view action) const {
  return full || (capabilities != nullptr && capabilities->may_organization(resource, action));
}

bool Identity::may_view(std::string_view view, std::string_view resource,
                        std::string_view action) const {
  return may("*", resource, action) ||
         (capabilities != nullptr && capabilities->may_view(view, resource, action));
}

bool Identity::may_somewhere(std::string_view resource, std::string_view action) const {
  return full || (capabilities != nullptr &&
                  std::ranges::any_of(capabilities->datasets, [&](const auto& dataset) {
                    return has(dataset.second, resource, action);
                  }));
}

std::optional<std::string> Identity::only_dataset(std::string_view resource,
                                                  std::string_view action) const {
  std::optional<std::string> only;
  if (capabilities == nullptr) {
    return only;
  }
  for (const auto& [dataset, resources] : capabilities->datasets) {
    if (dataset != "*" && has(resources, resource, action)) {
      if (only.has_value()) {
        return std::nullopt;
      }
      only = dataset;
    }
  }
  return only;
}

std::string make_token_secret(bool personal) {
  return std::string(personal ? "xapt-" : "xaat-") + grouped(random_hex(16)) + "-" +
         grouped(random_hex(16));
}

std::string token_digest(std::string_view secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVQ_CHECK(EVP_Digest(secret.data(), secret.size(), digest.data(), &size, EVP_sha256(), nullptr) ==
            1);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string make_uuid() {
  return grouped(random_hex(16));
}

Result<std::string> organization_id(Definitions& definitions) {
  Result<std::string> id = definitions.setting_or(kOrganizationSetting, "evq-" + random_hex(4));
  const bool kept = id.ok() || id.error().code != ErrorCode::kReadOnly;
  return kept ? std::move(id) : std::string(kOrganizationNotKept);
}

Status set_organization_id(Definitions& definitions, std::string_view id) {
  const bool visible = std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~'; });
  if (id.empty() || id.size() > kResourceNameBytesMax || !visible) {
    return make_error(ErrorCode::kUsage,
                      "'" + std::string(id) + "' cannot be the id of an organization",
                      "it has 1 to " + std::to_string(kResourceNameBytesMax) +
                          " visible ASCII characters without blanks");
  }
  return definitions.put_setting(kOrganizationSetting, id);
}

void Authenticator::forget() {
  const MutexLock lock(mutex_);
  ++turn_;
  known_.clear();
  organization_.clear();
}

void Authenticator::note_use(const std::string& digest, const TokenRecord& record,
                             std::int64_t now) {
  const std::int64_t kept = record.last_used.value_or(INT64_MIN);
  if (now >= kept && now - kTokenUseNsMin < kept) {
    return;
  }
  const MutexLock lock(mutex_);
  uses_[digest] = now;
}

Status Authenticator::keep_uses() {
  TokenUses uses;
  {
    const MutexLock lock(mutex_);
    uses.swap(uses_);
  }
  if (uses.empty()) {
    return {};
  }
  Status kept = definitions_.tokens().note_uses(uses);
  if (!kept.ok()) {
    const MutexLock lock(mutex_);
    uses_.merge(uses);  // those of meanwhile are later
  }
  return kept;
}

Result<Authenticator::Known> Authenticator::look_up(const std::string& digest) {
  const std::int64_t now = monotonic_now_ns();
  std::uint64_t turn = 0;
  {
    const MutexLock lock(mutex_);
    turn = turn_;
    const auto found = known_.find(digest);
    if (found != known_.end() && now - found->second.read_ns < kTokenCacheMsMax * kMillisecondNs) {
      return found->second;
    }
  }
  Known known;
  known.read_ns = now;
  EVQ_TRY_ASSIGN(known.record, definitions_.tokens().find(digest));
  // Made-up tokens are looked up each time, so that they do not take the place of real ones.
  if (!known.record.has_value()) {
    return known;
  }
  EVQ_TRY_ASSIGN(Capabilities capabilities, parse_capabilities(known.record->capabilities));
  known.capabilities = std::make_shared<const Capabilities>(std::move(capabilities));
  const MutexLock lock(mutex_);
  if (turn == turn_) {
    if (known_.size() >= kTokenCacheEntriesMax && !known_.contains(digest)) {
      const auto next = known_.upper_bound(digest);  // any one: digests are as good as random
      known_.erase(next != known_.end() ? next : known_.begin());
    }
    known_.insert_or_assign(digest, known);
  }
  return known;
}

Result<std::string> Authenticator::known_organization() {
  const std::int64_t now = monotonic_now_ns();
  std::uint64_t turn = 0;
  {
    const MutexLock lock(mutex_);
    turn = turn_;
    if (!organization_.empty() && now - organization_read_ns_ < kTokenCacheMsMax * kMillisecondNs) {
      return organization_;
    }
  }
  EVQ_TRY_ASSIGN(const std::optional<std::string> known,
                 definitions_.setting(kOrganizationSetting));
  std::string id = known.value_or(std::string(kOrganizationNotKept));
  const MutexLock lock(mutex_);
  if (turn == turn_) {
    organization_ = id;
    organization_read_ns_ = now;
  }
  return id;
}

Status Authenticator::check_organization(const HttpRequest& request) {
  std::optional<std::string_view> given = request.header("x-service-org-id");
  if (!given.has_value()) {
    given = request.header("x-axiom-org-id");
  }
  if (!given.has_value()) {
    return refused("a personal token needs the x-service-org-id header");
  }
  EVQ_TRY_ASSIGN(const std::string id, known_organization());
  return id == *given ? Status::success() : Status(refused("unknown organization"));
}

Result<Authenticator::Known> Authenticator::look_up_valid(const std::string& digest,
                                                          std::int64_t now) {
  EVQ_TRY_ASSIGN(Known known, look_up(digest));
  if (!known.record.has_value()) {
    return refused("unknown token");
  }
  if (known.record->expires.has_value() && *known.record->expires <= now) {
    return refused("the token has expired");
  }
  return known;
}

Status Authenticator::check_token(const std::string& digest) {
  EVQ_TRY(look_up_valid(digest, wall_clock_now_ns()));
  return Status::success();
}

Result<Identity> Authenticator::authenticate(const HttpRequest& request, const AuthRules& rules) {
  Identity identity;
  if (!enabled_ || rules.open) {
    identity.full = !enabled_;
    return identity;
  }
  if (request.count_headers("authorization") > 1) {
    return refused("more than one Authorization header");
  }
  const auto header = request.header("authorization");
  if (!header.has_value()) {
    return refused("no Authorization header");
  }
  const std::optional<std::string> secret = secret_of(*header, rules.other_schemes);
  if (!secret.has_value()) {
    return refused("the Authorization header is not a bearer token");
  }
  const std::string digest = token_digest(*secret);
  const std::int64_t now = wall_clock_now_ns();
  EVQ_TRY_ASSIGN(const Known known, look_up_valid(digest, now));
  identity.personal = known.record->kind == "personal";
  identity.full = identity.personal;
  identity.token_id = known.record->id;
  identity.digest = digest;
  identity.name = known.record->name;
  identity.expires = known.record->expires;
  identity.capabilities = known.capabilities;
  if (identity.personal && rules.refuse_personal) {
    return refused("personal tokens may not be used here, an API token is needed");
  }
  if (identity.personal && !rules.organization_optional) {
    EVQ_TRY(check_organization(request));
  }
  note_use(digest, *known.record, now);
  return identity;
}

}  // namespace evq
