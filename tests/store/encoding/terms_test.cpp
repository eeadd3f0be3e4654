#include "store/encoding/terms.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "store/encoding/token_filter.h"

namespace evq {
namespace {

// The slow twin: every text by code points.
std::vector<std::uint64_t> exact_hashes(const std::vector<std::string_view>& texts) {
  std::vector<std::uint64_t> hashes;
  for (const std::string_view text : texts) {
    for (const std::string& term : fold_terms(text)) {
      hashes.push_back(term_hash(term));
    }
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

std::vector<std::uint64_t> fast_hashes(const std::vector<std::string_view>& texts) {
  TermHasher hasher;
  std::vector<std::uint64_t> hashes;
  hasher.add(texts, [&hashes](std::span<const std::uint64_t> some) {
    hashes.insert(hashes.end(), some.begin(), some.end());
  });
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

}  // namespace

TEST_CASE("terms are folded runs of letters and digits") {
  using Terms = std::vector<std::string>;
  CHECK(fold_terms("Hello, World-42!") == Terms{"hello", "world", "42"});
  CHECK(fold_terms("ÄRGER straße→ß") == Terms{"ärger", "straße", "ß"});
  CHECK(fold_terms("  --  ").empty());
  CHECK(fold_terms("").empty());
  CHECK(fold_terms("a_b") == Terms{"a", "b"});
}

TEST_CASE("the fast hasher finds what the exact one finds") {
  std::mt19937_64 random(11);
  const char* const pieces[] = {"a",
                                "Z",
                                "9",
                                " ",
                                "-",
                                "é",
                                "→",
                                "Ω",
                                "request",
                                "ms",
                                "42",
                                "\xFF",
                                "__",
                                "İ",
                                "\n",
                                "\u212A",
                                "longerwordthanmost"};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> owned(random() % 400);
    for (std::string& text : owned) {
      for (std::size_t i = random() % 40; i > 0; --i) {
        text += pieces[random() % (round % 2 == 0 ? 5 : 17)];
      }
    }
    const std::vector<std::string_view> texts(owned.begin(), owned.end());
    CHECK(fast_hashes(texts) == exact_hashes(texts));
  }
}

TEST_CASE("texts longer than a window are cut too") {
  const std::string wide(70000, 'q');
  const std::string edge = std::string(65535, 'x') + " é";
  const std::string full(65536, 'Y');
  const std::vector<std::string_view> texts = {"one", wide, edge, full, "two", ""};
  CHECK(fast_hashes(texts) == exact_hashes(texts));
}

TEST_CASE("filters admit every term of their texts") {
  std::vector<std::string> owned;
  for (int i = 0; i < 5000; ++i) {
    owned.push_back("Key-" + std::to_string(i * 17) + " ÜBER");
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  const std::string filter = make_token_filter(texts);
  for (const std::uint64_t hash : exact_hashes(texts)) {
    CHECK(may_have_term(filter, hash));
  }
  CHECK(may_have_term(filter, "über"));
  int admitted = 0;
  for (int i = 0; i < 10000; ++i) {
    admitted += may_have_term(filter, "absent" + std::to_string(i)) ? 1 : 0;
  }
  CHECK(admitted < 600);
}

TEST_CASE("a filter's size follows the distinct terms, not the text") {
  std::vector<std::string> owned;
  for (int i = 0; i < 20000; ++i) {
    owned.push_back("request " + std::to_string(i % 512) + " took a while and then some more");
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  const std::size_t terms = exact_hashes(texts).size();
  const std::size_t bits = make_token_filter(texts).size() * 8;
  CHECK(bits >= 8 * terms);
  CHECK(bits <= 14 * terms);
}

TEST_CASE("a filter of ids spends what their number needs") {
  std::vector<std::string> owned;
  for (int i = 0; i < 65536; ++i) {
    owned.push_back("id" + std::to_string(i) + "z");
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  const double bits = static_cast<double>(make_token_filter(texts).size()) * 8;
  CHECK(bits >= 8.0 * 65536);
  CHECK(bits <= 8.5 * 65536);
}

TEST_CASE("bytes that are no filter admit everything") {
  CHECK(may_have_term("", "x"));
  CHECK(may_have_term("\x01", "x"));
  CHECK(may_have_term(std::string("\x01\x02", 2) + std::string(32, '\0'), "x"));
  CHECK(may_have_term(std::string("\x07\x01", 2) + std::string(32, '\0'), "x"));
  CHECK_FALSE(may_have_term(std::string("\x01\x01", 2) + std::string(32, '\0'), "x"));
}

TEST_CASE("hashes of terms are part of the format") {
  // A change of these values makes every stored filter deny terms that are there.
  CHECK(term_hash("timeout") == 7524398847193994042U);
  CHECK(term_hash("zanzibar") == 2156674208564797757U);
  CHECK(term_hash("3782f608dcd26b7032647003725b6ed3") == 2549396516756208889U);
}

}  // namespace evq
