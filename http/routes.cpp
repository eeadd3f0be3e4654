// The table itself. A row: method, path, handler, scope with its permission, lane, body limit,
// rules for credentials, and a line for the manual.

#include <array>

#include "http/router.h"
#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::size_t kIngestBytes = kHttpIngestBodyBytesMax;
constexpr std::size_t kJsonBytes = kHttpQueryBodyBytesMax;
constexpr AuthRules kNormal{};
constexpr AuthRules kNoToken{.open = true};
constexpr AuthRules kNoPersonal{.refuse_personal = true};
constexpr AuthRules kNoOrganization{.organization_optional = true};
constexpr AuthRules kShippers{.organization_optional = true, .other_schemes = true};

constexpr Route kRoutes[] = {
    {"GET", "/healthz", handle_health, Scope::kOpen, "", "", Lane::kInline, kJsonBytes, kNoToken,
     false, "Answers 200 while the server is up."},
    {"GET", "/metrics", handle_metrics, Scope::kToken, "", "", Lane::kInline, kJsonBytes,
     kNoOrganization, false, "Counters in the text format of Prometheus."},

    {"POST", "/v1/ingest/{dataset}", handle_ingest, Scope::kDataset, "ingest", "create",
     Lane::kWrite, kIngestBytes, kNoPersonal, false,
     "Stores events: JSON, NDJSON or CSV, plain, gzip or zstd. All good events or none are kept."},
    {"POST", "/v1/datasets/{dataset}/ingest", handle_ingest, Scope::kDataset, "ingest", "create",
     Lane::kWrite, kIngestBytes, kNormal, false,
     "The same under the older path; personal tokens may use it."},

    {"POST", "/v1/query/_apl", handle_apl_query, Scope::kContent, "query", "read", Lane::kQuery,
     kJsonBytes, kNormal, true, "Runs an APL query; ?format=tabular or legacy."},
    {"POST", "/v1/datasets/_apl", handle_apl_query, Scope::kContent, "query", "read", Lane::kQuery,
     kJsonBytes, kNormal, true, "The same under its other path."},
};

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

}  // namespace evq
