#include "http/auth.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <doctest/doctest.h>

#include "http/api.h"
#include "http/limits.h"
#include "http/message.h"
#include "http/token_store.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/store.h"
#include "tests/support/temp_service.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

HttpRequest request_with(std::vector<std::pair<std::string, std::string>> headers) {
  HttpRequest request;
  request.headers = std::move(headers);
  return request;
}

struct Fixture {
  TempDirectory directory;
  std::unique_ptr<Store> store;
  Fixture() {
    StoreOptions options;
    options.directory = directory.path();
    Result<std::unique_ptr<Store>> opened = Store::open(options);
    REQUIRE(opened.ok());
    store = std::move(*opened);
  }
  CreatedToken make(bool personal, std::string capabilities = {},
                    std::optional<std::int64_t> expires = {}) {
    TokenSpec spec;
    spec.name = "t";
    spec.personal = personal;
    spec.capabilities = std::move(capabilities);
    spec.expires = expires;
    Result<CreatedToken> made = create_token(store->definitions(), spec);
    REQUIRE(made.ok());
    return *made;
  }
};

TEST_CASE("secrets have their prefix, 256 bits, and differ") {
  const std::string a = make_token_secret(false);
  CHECK(a.starts_with("xaat-"));
  CHECK(make_token_secret(true).starts_with("xapt-"));
  CHECK(a.size() == 5 + 36 + 1 + 36);
  CHECK(a != make_token_secret(false));
  CHECK(token_digest("abc").size() == 32);
}

TEST_CASE("capabilities: a dataset by name or by star, an organization's resource") {
  const Result<Capabilities> read = parse_capabilities(
      R"({"datasetCapabilities":{"logs":{"ingest":["create"]},"*":{"query":["read"]}},)"
      R"("orgCapabilities":{"datasets":["update"]},"viewCapabilities":null})");
  REQUIRE(read.ok());
  const Capabilities& may = read.value();
  CHECK(may.may("logs", "ingest", "create"));
  CHECK_FALSE(may.may("other", "ingest", "create"));
  CHECK(may.may("other", "query", "read"));
  CHECK(may.may_organization("datasets", "update"));
  CHECK_FALSE(may.may_organization("datasets", "delete"));
  CHECK(parse_capabilities("").ok());
  CHECK_FALSE(parse_capabilities("[]").ok());
  CHECK_FALSE(parse_capabilities(R"({"orgCapabilities":{"datasets":"update"}})").ok());
}

TEST_CASE("the only dataset of a token is one that it names for the same") {
  const struct {
    const char* datasets;
    std::optional<std::string> only;
  } rows[] = {
      {R"({"a":{"ingest":["create"]}})", "a"},
      {R"({"a":{"ingest":["create"]},"b":{"query":["read"]}})", "a"},
      {R"({"a":{"ingest":["create"]},"b":{"ingest":["create"]}})", {}},
      {R"({"*":{"ingest":["create"]}})", {}},
      {R"({"*":{"ingest":["create"]},"b":{"query":["read"]}})", {}},
      {R"({"*":{"ingest":["create"]},"a":{"ingest":["create"]},"b":{"query":["read"]}})", "a"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.datasets);
    const Result<Capabilities> read =
        parse_capabilities(R"({"datasetCapabilities":)" + std::string(row.datasets) + "}");
    REQUIRE(read.ok());
    Identity identity;
    identity.capabilities = std::make_shared<const Capabilities>(*read);
    CHECK(identity.only_dataset("ingest", "create") == row.only);
  }
}

TEST_CASE("capabilities: those of views let nobody in or out") {
  const std::string json = R"({"viewCapabilities":{"v":{"query":["read"],"share":null}}})";
  const Result<Capabilities> strict = parse_capabilities(json, OddViews::kRefused);
  REQUIRE(strict.ok());
  CHECK(strict->views.at("v") == Capabilities::Actions{{"query", {"read"}}});
  CHECK_FALSE(parse_capabilities(json)->may("v", "query", "read"));
  CHECK(parse_capabilities(json)->may_view("v", "query", "read"));
  CHECK_FALSE(parse_capabilities(json)->may_view("w", "query", "read"));
  CHECK(parse_capabilities("", OddViews::kRefused)->views.empty());
  const std::string odd =
      R"({"viewCapabilities":{"v":7}})";  // of a token made before they were read
  CHECK_FALSE(parse_capabilities(odd, OddViews::kRefused).ok());
  CHECK(parse_capabilities(odd).ok());
  CHECK(parse_capabilities(odd)->views.empty());
}

TEST_CASE("capabilities of another shape are refused") {
  for (const char* json :
       {"7", "{", R"({"datasetCapabilities":[]})", R"({"datasetCapabilities":{"d":7}})",
        R"({"datasetCapabilities":{"d":{"query":"read"}}})",
        R"({"datasetCapabilities":{"d":{"query":[1]}}})", R"({"orgCapabilities":[]})",
        R"({"orgCapabilities":{"datasets":[null]}})"}) {
    CAPTURE(json);
    const Result<Capabilities> bad = parse_capabilities(json);
    REQUIRE_FALSE(bad.ok());
    CHECK(bad.error().code == ErrorCode::kUsage);
    CHECK_FALSE(bad.error().message.empty());
  }
  const Result<Capabilities> none =
      parse_capabilities(R"({"datasetCapabilities":{"d":null,"e":{"query":null}}})");
  REQUIRE(none.ok());
  CHECK_FALSE(none->may("d", "query", "read"));
  CHECK_FALSE(none->may("e", "query", "read"));
}

TEST_CASE("a token that cannot be is refused before anything is stored") {
  Fixture f;
  const std::int64_t now = wall_clock_now_ns();
  const auto blanks = [](std::size_t count) { return std::string(count, ' '); };
  const TokenSpec refused[] = {{"", "", false, "", {}},
                               {std::string(kResourceNameBytesMax + 1, 'n'), "", false, "", {}},
                               {"n", std::string(kResourceTextBytesMax + 1, 'd'), false, "", {}},
                               {"n", "", false, "[]", {}},
                               {"n", "", false, blanks(kTokenCapabilitiesBytesMax - 1) + "{}", {}},
                               {"n", "", false, "", now - 1}};
  for (const TokenSpec& spec : refused) {
    const Result<CreatedToken> made = create_token(f.store->definitions(), spec);
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == ErrorCode::kUsage);
    CHECK_FALSE(made.error().message.empty());
  }
  CHECK(f.store->definitions().tokens().list()->empty());
  const TokenSpec limits{std::string(kResourceNameBytesMax, 'n'),
                         std::string(kResourceTextBytesMax, 'd'), false,
                         blanks(kTokenCapabilitiesBytesMax - 2) + "{}", now + kHourNs};
  CHECK(create_token(f.store->definitions(), limits).ok());
  CHECK(find_token(f.store->definitions(), "none").error().code == ErrorCode::kNotFound);
  CHECK(delete_token(f.store->definitions(), "none").error().code == ErrorCode::kNotFound);
}

// Permission to query as many datasets, of names of 100 bytes.
std::string capabilities_of(std::size_t datasets) {
  std::string text = R"({"datasetCapabilities":{)";
  for (std::size_t i = 0; i < datasets; ++i) {
    const std::string number = std::to_string(i);
    text.append(i == 0 ? "\"" : ",\"").append(100 - number.size(), 'd').append(number);
    text.append(R"(":{"query":["read"]})");
  }
  return text + "}}";
}

TEST_CASE(
    "a token with longer capabilities than new ones may have is replaced, by no longer ones") {
  constexpr std::size_t kDatasets = 600;
  const TempService service;
  HttpMetrics metrics;
  Api api(*service.operator->(), metrics, {});
  TokenRecord old;
  old.id = "old";
  old.digest = token_digest("secret");
  old.name = "n";
  old.kind = "api";
  old.capabilities = capabilities_of(kDatasets);
  REQUIRE(old.capabilities.size() > kTokenCapabilitiesBytesMax);
  REQUIRE(api.definitions().tokens().put(old).ok());
  const auto regenerate = [&](const std::string& more) {
    HttpRequest request;
    request.arguments["id"] = old.id;
    request.identity.full = true;
    REQUIRE(request.body.append(R"({"existingTokenExpiresAt":"2100-01-01T00:00:00Z")" + more + "}")
                .ok());
    return handle_token_regenerate(api, request);
  };
  const auto with_capabilities = [](const std::string& capabilities) {
    return R"(,"newToken":{"name":"n",)" + capabilities.substr(1);
  };
  const Result<HttpResponse> same = regenerate("");
  REQUIRE(same.ok());
  CHECK(same->body.find(old.capabilities.substr(1, old.capabilities.size() - 2)) !=
        std::string::npos);
  CHECK(regenerate(with_capabilities(old.capabilities)).ok());
  const Result<HttpResponse> more = regenerate(with_capabilities(capabilities_of(kDatasets + 1)));
  REQUIRE_FALSE(more.ok());
  CHECK(more.error().code == ErrorCode::kUsage);
  CHECK(api.definitions().tokens().list()->size() == 3);
}

TEST_CASE("bearer tokens: good, unknown, missing, twice, expired, revoked") {
  Fixture f;
  Authenticator auth(f.store->definitions(), true);
  const CreatedToken token = f.make(false, R"({"orgCapabilities":{"datasets":["read"]}})");
  const std::string bearer = "Bearer " + token.secret;
  const Result<Identity> good = auth.authenticate(request_with({{"authorization", bearer}}), {});
  REQUIRE(good.ok());
  CHECK(good.value().token_id == token.record.id);
  CHECK(good.value().may_organization("datasets", "read"));
  CHECK_FALSE(good.value().full);

  const std::vector<std::vector<std::pair<std::string, std::string>>> refused = {
      {},
      {{"authorization", "Bearer xaat-unknown"}},
      {{"authorization", token.secret}},
      {{"authorization", "Basic " + token.secret}},
      {{"authorization", "Bearer"}},
      {{"authorization", "Bearer  "}},
      {{"authorization", bearer}, {"authorization", bearer}}};
  for (const auto& headers : refused) {
    const Result<Identity> bad = auth.authenticate(request_with(headers), {});
    REQUIRE_FALSE(bad.ok());
    CHECK(bad.error().code == ErrorCode::kForbidden);
  }

  REQUIRE(delete_token(f.store->definitions(), token.record.id).ok());
  auth.forget();
  CHECK_FALSE(auth.authenticate(request_with({{"authorization", bearer}}), {}).ok());
}

TEST_CASE("uses that cannot be written are kept for the next time") {
  Fixture f;
  Authenticator auth(f.store->definitions(), true);
  const CreatedToken tokens[] = {f.make(false), f.make(false)};
  const auto all_used = [&f] {
    const auto list = f.store->definitions().tokens().list();
    REQUIRE(list.ok());
    return std::ranges::all_of(*list, [](const TokenRecord& t) { return t.last_used.has_value(); });
  };
  for (const CreatedToken& token : tokens) {
    REQUIRE(
        auth.authenticate(request_with({{"authorization", "Bearer " + token.secret}}), {}).ok());
  }
  const std::string catalog = f.directory.path() + "/catalog.db";
  std::filesystem::rename(catalog, catalog + ".away");
  CHECK_FALSE(auth.keep_uses().ok());
  std::filesystem::rename(catalog + ".away", catalog);
  CHECK_FALSE(all_used());
  REQUIRE(auth.keep_uses().ok());
  CHECK(all_used());
}

TEST_CASE("an expired token is refused") {
  Fixture f;
  Authenticator auth(f.store->definitions(), true);
  CreatedToken token = f.make(false);
  token.record.expires = wall_clock_now_ns() - 1;
  REQUIRE(f.store->definitions().tokens().put(token.record).ok());
  CHECK_FALSE(
      auth.authenticate(request_with({{"authorization", "Bearer " + token.secret}}), {}).ok());
}

TEST_CASE("personal tokens name the organization, and are refused where only API tokens may be") {
  Fixture f;
  Authenticator auth(f.store->definitions(), true);
  const std::string bearer = "Bearer " + f.make(true).secret;
  const std::string org = *organization_id(f.store->definitions());
  CHECK_FALSE(auth.authenticate(request_with({{"authorization", bearer}}), {}).ok());
  for (const char* name : {"x-service-org-id", "x-axiom-org-id"}) {
    CHECK(auth.authenticate(request_with({{"authorization", bearer}, {name, org}}), {}).ok());
    CHECK_FALSE(
        auth.authenticate(request_with({{"authorization", bearer}, {name, "other"}}), {}).ok());
  }
  AuthRules rules;
  rules.organization_optional = true;
  const Result<Identity> listed =
      auth.authenticate(request_with({{"authorization", bearer}}), rules);
  REQUIRE(listed.ok());
  CHECK(listed.value().full);
  rules.refuse_personal = true;
  CHECK_FALSE(auth.authenticate(request_with({{"authorization", bearer}}), rules).ok());
}

TEST_CASE("shippers' schemes carry the same secret, where they are allowed") {
  Fixture f;
  Authenticator auth(f.store->definitions(), true);
  const CreatedToken token = f.make(false);
  AuthRules rules;
  rules.other_schemes = true;
  const HttpRequest splunk = request_with({{"authorization", "Splunk " + token.secret}});
  CHECK(auth.authenticate(splunk, rules).ok());
  CHECK_FALSE(auth.authenticate(splunk, {}).ok());
  // "user:secret", "secret" alone and no base 64 at all.
  rules = {.other_schemes = true};
  for (const char* bad :
       {"Basic dTp4YWF0", "Basic eGFhdA==", "Basic !", "ApiKey", "Digest x", "x"}) {
    CAPTURE(bad);
    CHECK_FALSE(auth.authenticate(request_with({{"authorization", bad}}), rules).ok());
  }
}

TEST_CASE("without authentication everybody is the owner") {
  Fixture f;
  Authenticator auth(f.store->definitions(), false);
  const Result<Identity> anyone = auth.authenticate(request_with({}), {});
  REQUIRE(anyone.ok());
  CHECK(anyone.value().full);
}

}  // namespace
}  // namespace evq
