// A stream of commits as a social network publishes it. Kinds of events, the shape of each and the
// skew of users, posts, words and languages follow what JSONBench's Bluesky files hold; every value
// is made up.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tests/bench/generators.h"
#include "tests/bench/random.h"

namespace evq::bench {
namespace {

constexpr std::string_view kIdAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kTimeAlphabet = "234567abcdefghijklmnopqrstuvwxyz";
constexpr std::uint32_t kFirehoseVocabulary = 8000;

enum Kind : std::uint32_t {
  kLike,
  kFollow,
  kPost,
  kRepost,
  kBlock,
  kDelete,
  kProfile,
  kListItem,
  kThreadGate,
  kDeclaration,
  kPostGate,
  kList,
  kStarterPack,
  kIdentity,
  kAccount,
};

constexpr std::array<std::string_view, 13> kCollections = {
    "app.bsky.feed.like",          "app.bsky.graph.follow",   "app.bsky.feed.post",
    "app.bsky.feed.repost",        "app.bsky.graph.block",    "",
    "app.bsky.actor.profile",      "app.bsky.graph.listitem", "app.bsky.feed.threadgate",
    "chat.bsky.actor.declaration", "app.bsky.feed.postgate",  "app.bsky.graph.list",
    "app.bsky.graph.starterpack"};

class Firehose {
 public:
  Firehose(Output& out, std::uint64_t count, std::uint64_t seed)
      : out_(out),
        text_(out.text()),
        random_(seed),
        count_(count),
        user_count_(static_cast<std::uint32_t>(
            std::min<std::uint64_t>(3000000, std::max<std::uint64_t>(20000, count / 2)))),
        users_(WeightedChoice::zipf(user_count_, 0.75, 20)),
        posts_(WeightedChoice::zipf(static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                        4000000, std::max<std::uint64_t>(20000, count))),
                                    0.85, 10)),
        words_(WeightedChoice::zipf(kFirehoseVocabulary, 1.0, 3)),
        languages_({50, 14, 9, 6, 4, 3, 3, 2, 2, 1}),
        kinds_(
            {44.5, 30.5, 9.2, 6.8, 2.4, 2.6, 0.75, 0.55, 0.25, 0.12, 0.12, 0.05, 0.05, 0.35, 0.3}),
        vocabulary_(make_words(kFirehoseVocabulary, 77)) {}

  void run() {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t time = event_time(i, count_, random_);
      const std::uint32_t user = users_.draw(random_);
      const std::uint32_t kind = kinds_.draw(random_);
      text_ += "{\"did\":\"";
      user_id(user);
      text_ += "\",\"time_us\":";
      text_ += std::to_string(time);
      if (kind >= kIdentity) {
        account_event(time, user, kind);
      } else {
        commit_event(time, user, kind);
      }
      out_.end_event();
    }
  }

 private:
  void account_event(std::uint64_t time, std::uint32_t user, std::uint32_t kind) {
    sequence_ += 1 + random_.below(9);
    const std::string_view name = kind == kIdentity ? "identity" : "account";
    text_ += ",\"kind\":\"";
    text_ += name;
    text_ += "\",\"";
    text_ += name;
    text_ += "\":{";
    if (kind == kAccount) {
      text_ +=
          random_.chance(0.95) ? "\"active\":true," : "\"active\":false,\"status\":\"deleted\",";
    }
    text_ += "\"did\":\"";
    user_id(user);
    text_ += "\",";
    if (kind == kIdentity) {
      text_ += "\"handle\":\"";
      text_ += vocabulary_[mix(user) % kFirehoseVocabulary];
      text_ += std::to_string(mix(user) % 9999);
      text_ += ".bsky.social\",";
    }
    text_ += "\"seq\":";
    text_ += std::to_string(sequence_);
    text_ += ",\"time\":\"";
    append_timestamp(text_, time - 200000, 3);
    text_ += "\"}}";
  }

  void commit_event(std::uint64_t time, std::uint32_t user, std::uint32_t kind) {
    constexpr std::array<std::uint32_t, 8> kDeleted = {kLike,   kLike, kLike,   kFollow,
                                                       kFollow, kPost, kRepost, kBlock};
    const bool deletes = kind == kDelete;
    const std::uint32_t what = deletes ? kDeleted[random_.below(kDeleted.size())] : kind;
    const bool updates = kind == kProfile && random_.chance(0.8);
    text_ += ",\"kind\":\"commit\",\"commit\":{\"rev\":\"";
    recent_id(time - 300000, 400000);
    text_ += "\",\"operation\":\"";
    text_ += deletes ? "delete" : updates ? "update" : "create";
    text_ += "\",\"collection\":\"";
    text_ += kCollections[what];
    text_ += "\",\"rkey\":\"";
    if (what == kProfile || what == kDeclaration) {
      text_ += "self";
    } else {
      recent_id(time - 900000, 900000);
    }
    if (deletes) {
      text_ += "\"}}";
      return;
    }
    text_ += "\",\"record\":{\"$type\":\"";
    text_ += kCollections[what];
    text_ += "\",";
    record(what, time, user);
    text_ += "},\"cid\":\"";
    content_id(random_.next(), "bafyrei");
    text_ += "\"}}";
  }

  void record(std::uint32_t kind, std::uint64_t time, std::uint32_t user) {
    switch (kind) {
      case kLike:
      case kRepost:
        created(time);
        text_ += ",\"subject\":";
        post_reference();
        break;
      case kFollow:
      case kBlock:
        created(time);
        text_ += ",\"subject\":\"";
        user_id(users_.draw(random_));
        text_ += '"';
        break;
      case kPost:
        post(time);
        break;
      case kProfile:
        profile(time, user);
        break;
      case kListItem:
        list_item(time, user);
        break;
      case kThreadGate:
        text_ += "\"allow\":[{\"$type\":\"app.bsky.feed.threadgate#mentionRule\"}],";
        created(time);
        own_post(time, user);
        break;
      case kDeclaration:
        text_ += "\"allowIncoming\":\"";
        text_ += random_.below(3) != 0 ? "all\"" : "none\"";
        break;
      case kPostGate:
        created(time);
        text_ += ",\"embeddingRules\":[{\"$type\":\"app.bsky.feed.postgate#disableRule\"}]";
        own_post(time, user);
        break;
      default:
        created(time);
        text_ += ",\"name\":\"";
        text_ += vocabulary_[words_.draw(random_)];
        text_ += "\",\"description\":\"";
        prose(0);
        text_ += "\",\"purpose\":\"app.bsky.graph.defs#curatelist\"";
        break;
    }
  }

  void post(std::uint64_t time) {
    constexpr std::array<std::string_view, 10> kLanguages = {"en", "ja", "pt", "en", "ja",
                                                             "es", "de", "fr", "ko", "tr"};
    const std::uint32_t language = languages_.draw(random_);
    created(time);
    embed(language);
    if (random_.chance(0.12)) {
      facet();
    }
    if (language != 3) {
      text_ += ",\"langs\":[\"";
      text_ += kLanguages[language];
      text_ += "\"]";
    }
    if (random_.chance(0.45)) {
      text_ += ",\"reply\":{\"parent\":";
      post_reference();
      text_ += ",\"root\":";
      post_reference();
      text_ += '}';
    }
    text_ += ",\"text\":\"";
    prose(language);
    text_ += '"';
  }

  void embed(std::uint32_t language) {
    const double kind = random_.unit();
    if (kind < 0.16) {
      text_ += ",\"embed\":{\"$type\":\"app.bsky.embed.images\",\"images\":[";
      const bool two = random_.below(5) == 0;
      const bool three = random_.below(12) == 0;
      const int images = 1 + static_cast<int>(two) + static_cast<int>(three);
      for (int i = 0; i < images; ++i) {
        text_ += i == 0 ? "" : ",";
        image(language);
      }
      text_ += "]}";
    } else if (kind < 0.26) {
      text_ += ",\"embed\":{\"$type\":\"app.bsky.embed.external\",\"external\":{\"description\":\"";
      prose(language);
      text_ += "\",\"title\":\"";
      prose(language);
      text_ += "\",\"uri\":\"https://";
      text_ += vocabulary_[words_.draw(random_)];
      text_ += ".example.com/";
      text_ += vocabulary_[words_.draw(random_)];
      text_ += '/';
      append_hex(text_, random_.next(), 10);
      text_ += "\"}}";
    } else if (kind < 0.33) {
      text_ += ",\"embed\":{\"$type\":\"app.bsky.embed.record\",\"record\":";
      post_reference();
      text_ += '}';
    }
  }

  void image(std::uint32_t language) {
    text_ += "{\"alt\":\"";
    if (random_.chance(0.3)) {
      prose(language);
    }
    text_ += "\",\"aspectRatio\":{\"height\":";
    text_ += std::to_string(600 + random_.below(1400));
    text_ += ",\"width\":";
    text_ += std::to_string(600 + random_.below(1400));
    text_ += "},\"image\":{\"$type\":\"blob\",\"ref\":{\"$link\":\"";
    content_id(random_.next(), "bafkrei");
    text_ += "\"},\"mimeType\":\"image/jpeg\",\"size\":";
    text_ += std::to_string(20000 + random_.below(950000));
    text_ += "}}";
  }

  void facet() {
    const std::uint32_t start = random_.below(60);
    text_ += ",\"facets\":[{\"features\":[{\"$type\":\"app.bsky.richtext.facet#tag\",\"tag\":\"";
    text_ += vocabulary_[words_.draw(random_)];
    text_ += "\"}],\"index\":{\"byteEnd\":";
    text_ += std::to_string(start + 5 + random_.below(12));
    text_ += ",\"byteStart\":";
    text_ += std::to_string(start);
    text_ += "}}]";
  }

  void profile(std::uint64_t time, std::uint32_t user) {
    text_ += "\"avatar\":{\"$type\":\"blob\",\"ref\":{\"$link\":\"";
    content_id(mix(user + 5), "bafkrei");
    text_ += "\"},\"mimeType\":\"image/jpeg\",\"size\":";
    text_ += std::to_string(9000 + mix(user) % 700000);
    text_ += "},";
    created(time);
    text_ += ",\"description\":\"";
    prose(0);
    text_ += "\",\"displayName\":\"";
    text_ += vocabulary_[mix(user) % kFirehoseVocabulary];
    text_ += '"';
  }

  void list_item(std::uint64_t time, std::uint32_t user) {
    created(time);
    text_ += ",\"list\":\"at://";
    user_id(user);
    text_ += "/app.bsky.graph.list/";
    time_id(kStartMicros - mix(user) % kDayMicros, 1);
    text_ += "\",\"subject\":\"";
    user_id(users_.draw(random_));
    text_ += '"';
  }

  void own_post(std::uint64_t time, std::uint32_t user) {
    text_ += ",\"post\":\"at://";
    user_id(user);
    text_ += "/app.bsky.feed.post/";
    time_id(time, 3);
    text_ += '"';
  }

  void post_reference() {
    const std::uint32_t post = posts_.draw(random_);
    text_ += "{\"cid\":\"";
    content_id(mix(post) * 7 + 3, "bafyrei");
    text_ += "\",\"uri\":\"at://";
    user_id(static_cast<std::uint32_t>(mix(post + 99) % user_count_));
    text_ += "/app.bsky.feed.post/";
    time_id(kStartMicros - (mix(post) % 172800) * 1000000, post);
    text_ += "\"}";
  }

  void created(std::uint64_t time) {
    text_ += "\"createdAt\":\"";
    append_timestamp(text_, time - random_.below(1500000), 3);
    text_ += '"';
  }

  void prose(std::uint32_t language) {
    constexpr std::array<std::string_view, 25> kJapanese = {
        "今日",       "は",         "いい",   "天気", "です",     "ね",     "おはよう",
        "ございます", "ありがとう", "猫",     "仕事", "終わった", "新しい", "写真",
        "を",         "見て",       "楽しい", "って", "ください", "お腹",   "すいた",
        "。",         "、",         "！",     "笑"};
    constexpr std::array<std::string_view, 6> kEmoji = {"😂", "🔥", "❤️", "🙏", "✨", "💙"};
    if (language == 1 || language == 4) {
      const std::uint32_t pieces = 6 + random_.below(30);
      for (std::uint32_t i = 0; i < pieces; ++i) {
        text_ += kJapanese[random_.below(kJapanese.size())];
      }
      return;
    }
    const std::uint32_t pieces = 3 + random_.below(34);
    for (std::uint32_t i = 0; i < pieces; ++i) {
      text_ += i == 0 ? "" : " ";
      const std::uint32_t ornament = random_.below(200);
      if (ornament == 0) {
        text_ += "\\n\\n";
      } else if (ornament == 1) {
        text_ += "\\\"";
      } else if (ornament < 4) {
        text_ += kEmoji[random_.below(kEmoji.size())];
      }
      text_ += vocabulary_[words_.draw(random_)];
      if (ornament > 190) {
        text_ += random_.below(2) != 0 ? '.' : ',';
      }
    }
  }

  void user_id(std::uint32_t user) {
    text_ += "did:plc:";
    append_base32(text_, mix(std::uint64_t{user * 2 + 1}), 12, kIdAlphabet);
    append_base32(text_, mix(std::uint64_t{user * 2 + 2}), 12, kIdAlphabet);
  }

  void recent_id(std::uint64_t before, std::uint32_t spread) {
    // The clock bits are drawn first.
    const std::uint32_t clock = random_.below(1024);
    time_id(before - random_.below(spread), clock);
  }

  void time_id(std::uint64_t micros, std::uint32_t clock) {
    const std::uint64_t bits = (micros << 10 | (clock & 1023)) & 0x7fffffffffffffffULL;
    append_base32(text_, bits, 13, kTimeAlphabet);
  }

  void content_id(std::uint64_t seed, std::string_view prefix) {
    text_ += prefix;
    for (std::uint64_t i = 0; i < 4; ++i) {
      append_base32(text_, mix(seed + i * 0x1234567ULL), 13, kIdAlphabet);
    }
  }

  Output& out_;
  std::string& text_;
  Random random_;
  std::uint64_t count_;
  std::uint64_t sequence_ = 2927000000ULL;
  std::uint32_t user_count_;
  WeightedChoice users_;
  WeightedChoice posts_;
  WeightedChoice words_;
  WeightedChoice languages_;
  WeightedChoice kinds_;
  std::vector<std::string> vocabulary_;
};

}  // namespace

void write_firehose(Output& out, std::uint64_t count, std::uint64_t seed) {
  Firehose(out, count, seed).run();
}

}  // namespace evq::bench
