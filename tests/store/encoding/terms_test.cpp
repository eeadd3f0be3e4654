#include "store/encoding/terms.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/ascii.h"
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

std::vector<std::uint64_t> fast_hashes(const std::vector<std::string_view>& texts,
                                       SimdLevel level = best_simd_level()) {
  TermHasher hasher(level);
  std::vector<std::uint64_t> hashes;
  hasher.add(texts, [&hashes](std::span<const std::uint64_t> some) {
    hashes.insert(hashes.end(), some.begin(), some.end());
  });
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

// All that this machine has.
std::vector<SimdLevel> levels() {
  std::vector<SimdLevel> all = {SimdLevel::kPortable};
  if (best_simd_level() != SimdLevel::kPortable) {
    all.push_back(SimdLevel::kAvx2);
  }
  if (best_simd_level() == SimdLevel::kAvx512) {
    all.push_back(SimdLevel::kAvx512);
  }
  return all;
}

// The terms of the texts that the filter denies: none, ever.
std::vector<std::string> denied_terms(std::string_view filter,
                                      const std::vector<std::string_view>& texts) {
  std::vector<std::string> denied;
  for (const std::string_view text : texts) {
    for (const std::string& term : fold_terms(text)) {
      if (!may_have_term(filter, term)) {
        denied.push_back(term);
      }
    }
  }
  return denied;
}

bool is_ranges(std::string_view filter) {
  return !filter.empty() && filter[0] == static_cast<char>(kTermRangesVersion);
}

// `count` in base 32, seven digits, in letters that ascend by their bytes.
std::string sortable_id(std::uint64_t count) {
  std::string id(7, '2');
  for (std::size_t i = id.size(); i-- > 0; count /= 32) {
    id[i] = "234567abcdefghijklmnopqrstuvwxyz"[count % 32];
  }
  return id;
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
    for (const SimdLevel level : levels()) {
      CHECK(fast_hashes(texts, level) == exact_hashes(texts));
    }
  }
}

TEST_CASE("texts that begin as the one before them keep their terms") {
  std::vector<std::string> owned = {
      "at://did:plc:one/app.feed/3a", "at://did:plc:one/app.feed/3b",
      "at://did:plc:one/app.feed/3",  "at://did:plc:one/app.feed/",
      "at://did:plc:one/app.feed",    "at://did:plc:one/app.feedback"};
  for (const char* separator : {" ", "é", "→", "\xFF", "-", ""}) {
    for (int i = 0; i < 40; ++i) {
      owned.push_back("2025-05-31T23:59" + std::string(separator) + std::to_string(i * 7919));
    }
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  for (const SimdLevel level : levels()) {
    CHECK(fast_hashes(texts, level) == exact_hashes(texts));
  }
}

TEST_CASE("terms of every length are hashed, wherever they stand") {
  const std::string letters(200, 'k');
  for (std::size_t size = 1; size < letters.size(); ++size) {
    const std::string term = letters.substr(0, size);
    std::vector<std::string> owned;
    for (std::size_t before = 0; before < 70; ++before) {
      owned.push_back(std::string(before, ' ') + term + (before % 3 == 0 ? "" : "-x"));
    }
    owned.push_back(letters);
    const std::vector<std::string_view> texts(owned.begin(), owned.end());
    for (const SimdLevel level : levels()) {
      CHECK(fast_hashes(texts, level) == exact_hashes(texts));
    }
  }
}

TEST_CASE("texts longer than a window are cut too") {
  const std::string wide(70000, 'q');
  const std::string edge = std::string(65535, 'x') + " é";
  const std::string full(65536, 'Y');
  const std::string part(16383, 'p');
  const std::vector<std::string_view> texts = {"one", wide, edge, full, "two", "",   part, "q",
                                               "",    "r",  part, part, full,  wide, "",   "two"};
  CHECK(fast_hashes(texts) == exact_hashes(texts));
}

TEST_CASE("long texts are cut where no term is, and their hashes are handed over on the way") {
  std::mt19937_64 random(17);
  std::vector<std::string> owned(8);
  for (std::size_t i = 0; i < owned.size(); ++i) {
    while (owned[i].size() < 200000) {
      owned[i] += std::to_string(random() % 1000000) + (random() % 64 == 0 ? "é" : "");
      owned[i] += i % 2 == 0 || random() % 5000 == 0 ? " " : "→";
    }
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  for (const SimdLevel level : levels()) {
    CHECK(fast_hashes(texts, level) == exact_hashes(texts));
  }
  // The memory that they take in between does not depend on how many texts there are.
  std::size_t greatest = 0;
  TermHasher().add(texts, [&greatest](std::span<const std::uint64_t> some) {
    greatest = std::max(greatest, some.size());
  });
  CHECK(greatest < 50000);
}

TEST_CASE("filters admit every term of their texts") {
  std::vector<std::string> owned;
  for (int i = 0; i < 5000; ++i) {
    owned.push_back("Key-" + std::to_string(i * 17) + " ÜBER");
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  const std::string filter = make_token_filter(texts);
  CHECK(denied_terms(filter, texts).empty());
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
  CHECK(bits >= 7 * terms);
  CHECK(bits <= 13 * terms);
}

TEST_CASE("a filter of ids spends what their number needs") {
  std::vector<std::string> owned;
  for (std::uint64_t i = 0; i < 65536; ++i) {
    owned.push_back("id" + std::to_string(i * 40503 % 65536) + "z");
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  const double bits = static_cast<double>(make_token_filter(texts).size()) * 8;
  CHECK(bits >= 7.0 * 65536);
  CHECK(bits <= 7.5 * 65536);
}

TEST_CASE("ids that grow with time have ranges, which admit each of them") {
  std::mt19937_64 random(5);
  for (const bool upper : {false, true}) {
    std::vector<std::string> owned;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      // Neighbours change places; one text in a hundred is of another form.
      owned.push_back(i % 100 == 7 ? "self" : sortable_id(5000000 + 100 * i + random() % 9000));
      if (upper) {
        std::transform(owned.back().begin(), owned.back().end(), owned.back().begin(), to_upper);
      }
    }
    owned.emplace_back("Not-a key");
    const std::vector<std::string_view> texts(owned.begin(), owned.end());
    const std::string filter = make_token_filter(texts);
    REQUIRE(is_ranges(filter));
    CHECK(filter.size() < 500);
    CHECK(denied_terms(filter, texts).empty());
    CHECK(!may_have_term(filter, sortable_id(4999999)));
    CHECK(!may_have_term(filter, sortable_id(7100000)));
    CHECK(!may_have_term(filter, "sel"));
    CHECK(!may_have_term(filter, "selfs"));
    CHECK(!may_have_term(filter, sortable_id(6000000) + "2"));
  }
}

TEST_CASE("ranges of the times between leave out the times of a gap") {
  std::vector<std::string> owned;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    owned.push_back(sortable_id(1000000 + i + (i < 2048 ? 0 : 500000)));
  }
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  const std::string filter = make_token_filter(texts);
  REQUIRE(is_ranges(filter));
  CHECK(may_have_term(filter, owned[2047]));
  CHECK(may_have_term(filter, owned[2048]));
  CHECK(!may_have_term(filter, sortable_id(1300000)));
}

TEST_CASE("texts that no ranges tell have term bits") {
  const auto filter_of = [](auto text_of) {
    std::vector<std::string> owned;
    for (std::uint64_t i = 0; i < 4096; ++i) {
      owned.push_back(text_of(i));
    }
    const std::vector<std::string_view> texts(owned.begin(), owned.end());
    std::string filter = make_token_filter(texts);
    CHECK(denied_terms(filter, texts).empty());
    return filter;
  };
  CHECK(is_ranges(filter_of([](std::uint64_t i) { return sortable_id(i); })));
  // Random and falling order; one late among the early ones; more than one term; both cases; too
  // many exceptions; sizes that vary.
  CHECK(!is_ranges(filter_of([](std::uint64_t i) { return sortable_id(i * 40503 % 65536); })));
  CHECK(!is_ranges(filter_of([](std::uint64_t i) { return sortable_id(9999 - i); })));
  CHECK(!is_ranges(filter_of([](std::uint64_t i) { return sortable_id(i == 100 ? 3000 : i); })));
  CHECK(!is_ranges(filter_of([](std::uint64_t i) { return "a " + sortable_id(i); })));
  CHECK(!is_ranges(
      filter_of([](std::uint64_t i) { return (i < 2000 ? "A" : "b") + sortable_id(i); })));
  CHECK(!is_ranges(filter_of(
      [](std::uint64_t i) { return i % 64 == 0 ? "odd" + std::to_string(i) : sortable_id(i); })));
  CHECK(!is_ranges(filter_of([](std::uint64_t i) { return std::to_string(i * i); })));
}

TEST_CASE("bytes that are no filter admit everything") {
  const auto bits = [](std::uint8_t version, char blocks, std::size_t bytes) {
    return std::string({static_cast<char>(version), blocks}) + std::string(bytes, '\0');
  };
  for (const std::uint8_t version : {kNarrowTermBitsVersion, kTermBitsVersion}) {
    CHECK(may_have_term(bits(version, 2, 32), "x"));
    CHECK_FALSE(may_have_term(bits(version, 1, 32), "x"));
  }
  CHECK(may_have_term("", "x"));
  CHECK(may_have_term("\x01", "x"));
  CHECK(may_have_term(bits(7, 1, 32), "x"));
  const std::string ranges(
      "\x02\x01\x01"
      "a\x01"
      "c",
      6);
  CHECK(may_have_term(ranges, "b"));
  CHECK_FALSE(may_have_term(ranges, "x"));
  for (std::size_t size = 1; size < ranges.size(); ++size) {
    CHECK(may_have_term(ranges.substr(0, size), "x"));
  }
  CHECK(may_have_term(ranges + "y", "x"));
  CHECK(may_have_term(std::string("\x02\x00", 2), "x"));
}

TEST_CASE("filters of the first version, of eight words, are read") {
  // The filter of "alpha" and "beta", one block, as the first version wrote it.
  std::string filter("\x01\x01", 2);
  filter.append(32, '\0');
  constexpr std::array<std::uint32_t, 8> kSalts = {0x47B6137BU, 0x44974D91U, 0x8824AD5BU,
                                                   0xA2B7289DU, 0x705495C7U, 0x2DF1424BU,
                                                   0x9EFC4947U, 0x5C6BFB31U};
  for (const std::string_view term : {"alpha", "beta"}) {
    for (std::size_t word = 0; word < kSalts.size(); ++word) {
      const std::uint32_t bit = (static_cast<std::uint32_t>(term_hash(term)) * kSalts[word]) >> 27;
      char& byte = filter[2 + 4 * word + bit / 8];
      byte = static_cast<char>(byte | (1 << (bit % 8)));
    }
  }
  CHECK(may_have_term(filter, "alpha"));
  CHECK(may_have_term(filter, "beta"));
  CHECK_FALSE(may_have_term(filter, "gamma"));
}

TEST_CASE("hashes of terms are part of the format") {
  // A change of these values makes every stored filter deny terms that are there.
  CHECK(term_hash("timeout") == 7524398847193994042U);
  CHECK(term_hash("zanzibar") == 2156674208564797757U);
  CHECK(term_hash("3782f608dcd26b7032647003725b6ed3") == 2549396516756208889U);
}

}  // namespace evq
