// Page views as a web analytics counter stores them: flat rows of many small numbers, a few texts
// of many distinct values, and keys that nearly every row has for itself. Which columns there are
// and how skewed their values are follows what ClickBench's table holds; every value is made up.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/generators.h"
#include "tests/bench/random.h"

namespace evq::bench {
namespace {

constexpr std::uint32_t kVocabulary = 6000;
// Views are spread over a month, however many there are.
constexpr std::uint64_t kSpanMicros = 30 * kDayMicros;

class PageViews {
 public:
  PageViews(Output& out, std::uint64_t count, std::uint64_t seed)
      : out_(out),
        text_(out.text()),
        random_(seed),
        count_(count),
        users_(WeightedChoice::zipf(kUsers, 0.8, 30)),
        sites_(WeightedChoice::zipf(5000, 1.1, 1)),
        regions_(WeightedChoice::zipf(4000, 0.9, 5)),
        pages_(WeightedChoice::zipf(300000, 0.9, 20)),
        phrases_(WeightedChoice::zipf(60000, 0.8, 5)),
        words_(make_words(kVocabulary, 91)) {}

  void run() {
    for (std::uint64_t i = 0; i < count_; ++i) {
      text_ += "{\"_time\":\"";
      append_timestamp(text_, view_time(i), 3);
      text_ += '"';
      keys();
      flags();
      visitor();
      page();
      text_ += '}';
      out_.end_event();
    }
  }

 private:
  static constexpr std::uint32_t kUsers = 180000;

  // Nearly ascending: a few seconds of disorder, as when several servers write one log.
  std::uint64_t view_time(std::uint64_t index) {
    const auto step =
        static_cast<std::uint64_t>(static_cast<double>(kSpanMicros) * static_cast<double>(index) /
                                   static_cast<double>(count_));
    return kStartMicros + step + random_.below(4000000);
  }

  void number(std::string_view name, std::uint64_t value) {
    text_ += ",\"";
    text_ += name;
    text_ += "\":";
    text_ += std::to_string(value);
  }

  // What is appended between the two is the value; it must need no escape.
  void begin_text(std::string_view name) {
    text_ += ",\"";
    text_ += name;
    text_ += "\":\"";
  }
  void end_text() { text_ += '"'; }

  // 53 bits, which every JSON reader keeps exactly.
  static std::uint64_t identity(std::uint64_t value) { return mix(value) >> 11U; }

  void keys() {
    user_ = users_.draw(random_);
    site_ = sites_.draw(random_);
    number("view_id", identity(random_.next()));
    number("user_id", identity(user_));
    number("site", site_);
    number("region", mix(regions_.draw(random_)) % 100000);
    number("address", mix(user_ * 3ULL + random_.below(3)) & 0xffffffffULL);
  }

  void flags() {
    number("refresh", random_.chance(0.15) ? 1 : 0);
    number("link", random_.chance(0.05) ? 1 : 0);
    number("download", random_.chance(0.01) ? 1 : 0);
    number("uncounted", random_.chance(0.06) ? 1 : 0);
    number("source", random_.below(6));
    number("campaign", random_.chance(0.05) ? 1 + random_.below(60) : 0);
  }

  void visitor() {
    constexpr std::array<std::uint32_t, 7> kWidths = {360, 768, 1280, 1366, 1440, 1600, 1920};
    number("width", kWidths[mix(user_) % kWidths.size()]);
    number("window_width", mix(user_ + 1ULL) % 120 * 16);
    number("window_height", random_.below(900));
    const bool phone = mix(user_ + 2ULL) % 8 == 0;
    number("phone", phone ? 1 + mix(user_ + 3ULL) % 90 : 0);
    begin_text("phone_model");
    if (phone) {
      text_ += words_[mix(user_ + 4ULL) % 160];
    }
    end_text();
  }

  void page() {
    const std::uint32_t page = pages_.draw(random_);
    number("engine", random_.chance(0.3) ? random_.below(100) : 0);
    phrase();
    number("url_hash", identity(page));
    begin_text("url");
    text_ += "http://";
    address_of(page);
    end_text();
    begin_text("title");
    append_words(page, 2 + mix(page) % 6);
    end_text();
    referer();
  }

  void phrase() {
    begin_text("phrase");
    if (random_.below(6) == 0) {
      const std::uint64_t phrase = phrases_.draw(random_);
      append_words(phrase, 1 + mix(phrase) % 4);
    }
    end_text();
  }

  void append_words(std::uint64_t seed, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      text_ += i == 0 ? "" : " ";
      text_ += words_[mix(seed * 8 + i) % kVocabulary];
    }
  }

  void referer() {
    const bool none = random_.below(3) == 0;
    const std::uint32_t page = none ? 0 : pages_.draw(random_);
    number("referer_hash", none ? 0 : identity(page));
    begin_text("referer");
    if (!none) {
      text_ += mix(page) % 5 == 0 ? "https://www." : "https://";
      address_of(page);
    }
    end_text();
  }

  void address_of(std::uint64_t page) {
    constexpr std::array<std::string_view, 4> kSections = {"news", "catalog", "item", "page"};
    text_ += words_[mix(page) % 3000];
    text_ += ".example/";
    text_ += kSections[mix(page + 1) % kSections.size()];
    text_ += '/';
    text_ += words_[mix(page + 2) % kVocabulary];
    text_ += "?id=";
    text_ += std::to_string(page);
  }

  Output& out_;
  std::string& text_;
  Random random_;
  std::uint64_t count_;
  std::uint32_t user_ = 0;
  std::uint32_t site_ = 0;
  WeightedChoice users_;
  WeightedChoice sites_;
  WeightedChoice regions_;
  WeightedChoice pages_;
  WeightedChoice phrases_;
  std::vector<std::string> words_;
};

}  // namespace

void write_page_views(Output& out, std::uint64_t count, std::uint64_t seed) {
  PageViews(out, count, seed).run();
}

}  // namespace evq::bench
