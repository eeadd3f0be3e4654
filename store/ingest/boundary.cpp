#include "store/ingest/boundary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "store/base/limits.h"
#include "store/base/simd_level.h"
#include "store/ingest/json_text.h"
#include "store/ingest/nested_value.h"

namespace evq {

namespace {

// Counts in bytes first, which vector instructions add 16 or more at a time, and sums up before a
// byte can overflow.
[[gnu::always_inline]] inline std::size_t count_in_lanes(std::string_view text) {
  constexpr std::size_t kLanes = 64;
  constexpr std::size_t kRoundsMax = 255;
  std::size_t total = 0;
  const char* p = text.data();
  std::size_t left = text.size();
  while (left >= kLanes) {
    const std::size_t rounds = std::min(left / kLanes, kRoundsMax);
    std::array<std::uint8_t, kLanes> counts{};
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        counts[lane] = static_cast<std::uint8_t>(counts[lane] + (p[lane] == '\n' ? 1 : 0));
      }
      p += kLanes;
    }
    left -= rounds * kLanes;
    for (const std::uint8_t count : counts) {
      total += count;
    }
  }
  for (; left > 0; --left) {
    total += *p++ == '\n' ? 1U : 0U;
  }
  return total;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::size_t count_avx2(std::string_view text) {
  return count_in_lanes(text);
}
#endif

}  // namespace

std::size_t count_line_feeds(std::string_view text) {
#if defined(__x86_64__)
  static const bool kWide = best_simd_level() != SimdLevel::kPortable;
  if (kWide) {
    return count_avx2(text);
  }
#endif
  return count_in_lanes(text);
}

std::optional<std::size_t> records_prefix(std::string_view text) {
  // Blanks may stand between these.
  constexpr std::string_view kTokens[] = {"{", "\"Records\"", ":", "[", "{"};
  std::size_t at = 0;
  std::size_t token_begin = 0;
  for (const std::string_view token : kTokens) {
    while (at < text.size() && is_json_blank(text[at])) {
      ++at;
    }
    token_begin = at;
    for (const char wanted : token) {
      if (at == text.size()) {
        return std::nullopt;
      }
      if (text[at] != wanted && (wanted != 'R' || text[at] != 'r')) {
        return 0;
      }
      ++at;
    }
  }
  return token_begin;
}

namespace {

class LineScanner : public BoundaryScanner {
 public:
  Status scan(std::string_view text, std::size_t events_max, bool at_end) override {
    const char* begin = text.data() + seen_;
    const char* end = text.data() + text.size();
    const std::size_t lines = count_line_feeds(text.substr(seen_));
    if (events_ + lines > events_max) {
      // Only as far as the last line that is wanted.
      const char* p = begin;
      while (events_ < events_max) {
        p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
        ++events_;
      }
      whole_bytes_ = static_cast<std::size_t>(p - text.data());
      seen_ = whole_bytes_;
      return {};
    }
    if (lines != 0) {
      events_ += lines;
      whole_bytes_ = text.rfind('\n') + 1;
    }
    seen_ = text.size();
    if (at_end && whole_bytes_ < text.size() && events_ < events_max) {
      ++events_;
      whole_bytes_ = text.size();
    }
    return {};
  }

  void drop(std::size_t bytes) override { forget(bytes); }
};

// Where 64 bytes of CSV have a quote, a line feed, and what may stand before a quote that opens a
// cell; a bit each.
struct RecordBlock {
  static constexpr std::size_t kBytes = 64;

  std::uint64_t quotes = 0;
  std::uint64_t line_feeds = 0;
  std::uint64_t openers = 0;  // a delimiter, a line feed, or a quote, of a doubled one
};

RecordBlock look_at_block(const char* text, char delimiter) {
  RecordBlock block;
  for (std::size_t i = 0; i < RecordBlock::kBytes; ++i) {
    const char c = text[i];
    block.quotes |= std::uint64_t{c == '"' ? 1U : 0U} << i;
    block.line_feeds |= std::uint64_t{c == '\n' ? 1U : 0U} << i;
    block.openers |= std::uint64_t{c == delimiter || c == '\n' || c == '"' ? 1U : 0U} << i;
  }
  return block;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::uint64_t bytes_equal(const __m256i (&halves)[2], char c) {
  const __m256i wanted = _mm256_set1_epi8(c);
  const auto low =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(halves[0], wanted)));
  const auto high =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(halves[1], wanted)));
  return std::uint64_t{low} | std::uint64_t{high} << 32;
}

__attribute__((target("avx2"))) RecordBlock look_at_block_avx2(const char* text, char delimiter) {
  const auto* from = reinterpret_cast<const __m256i*>(text);
  const __m256i halves[2] = {_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)};
  RecordBlock block;
  block.quotes = bytes_equal(halves, '"');
  block.line_feeds = bytes_equal(halves, '\n');
  block.openers = block.quotes | block.line_feeds | bytes_equal(halves, delimiter);
  return block;
}
#endif

using LookAtBlock = RecordBlock (*)(const char* text, char delimiter);

LookAtBlock best_look_at_block() {
#if defined(__x86_64__)
  if (best_simd_level() != SimdLevel::kPortable) {
    return look_at_block_avx2;
  }
#endif
  return look_at_block;
}

// Bit i: whether an odd number of bits up to and with i are set.
std::uint64_t odd_up_to(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) {
    bits ^= bits << shift;
  }
  return bits;
}

class RecordScanner : public BoundaryScanner {
 public:
  explicit RecordScanner(char delimiter) : delimiter_(delimiter) {}

  Status scan(std::string_view text, std::size_t events_max, bool at_end) override {
    while (seen_ < text.size() && events_ < events_max) {
      const std::size_t stop = std::min(text.size(), check_at_);
      if (!byte_by_byte_ && seen_ + RecordBlock::kBytes <= stop && pass_block(text, events_max)) {
        continue;
      }
      if (seen_ == check_at_ && break_off_record(text)) {
        continue;
      }
      step(text[seen_]);
      ++seen_;
      if (state_ == State::kRecordStart) {
        byte_by_byte_ = false;
        end_record();
      }
    }
    if (at_end && seen_ == text.size() && whole_bytes_ < text.size() && events_ < events_max) {
      end_record();
    }
    return {};
  }

  void drop(std::size_t bytes) override {
    // Of a record whose beginning is gone nothing can be read again.
    check_at_ = bytes > begin_ || check_at_ == kNever ? kNever : check_at_ - bytes;
    begin_ -= std::min(begin_, bytes);
    forget(bytes);
  }

 private:
  enum class State : std::uint8_t { kRecordStart, kCellStart, kPlain, kQuoted, kQuoteSeen };

  static constexpr std::size_t kNever = SIZE_MAX;
  // A cell that is longer cannot be a value, even if each byte of it is a doubled quote.
  static constexpr std::size_t kCellBytesMax = 2 * kFieldValueBytesMax;
  static constexpr std::size_t kFirstCheckBytes = 2 * kCellBytesMax;

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  // Takes the next 64 bytes at once, or fewer up to the last record that is wanted. Quotes come in
  // pairs where each that opens a cell stands at its very beginning; false, and nothing is done,
  // where one does not: the record has to be looked at byte by byte.
  bool pass_block(std::string_view text, std::size_t events_max) {
    static const LookAtBlock kLookAtBlock = best_look_at_block();
    const bool quoted = state_ == State::kQuoted;
    const RecordBlock block = kLookAtBlock(text.data() + seen_, delimiter_);
    const std::uint64_t inside = odd_up_to(block.quotes) ^ (quoted ? ~std::uint64_t{0} : 0);
    const bool opens = state_ != State::kPlain;
    const std::uint64_t openers = block.openers << 1 | (opens ? 1 : 0);
    if ((block.quotes & inside & ~openers) != 0) {
      byte_by_byte_ = true;
      return false;
    }
    const std::size_t begin = seen_;
    for (std::uint64_t ends = block.line_feeds & ~inside; ends != 0; ends &= ends - 1) {
      seen_ = begin + static_cast<std::size_t>(std::countr_zero(ends)) + 1;
      state_ = State::kRecordStart;
      end_record();
      if (events_ == events_max) {
        return true;
      }
    }
    seen_ = begin + RecordBlock::kBytes;
    state_ = state_after(text.substr(begin, RecordBlock::kBytes), inside >> 63 != 0);
    return true;
  }

  // The state behind a block that was passed.
  State state_after(std::string_view block, bool inside) const {
    if (inside) {
      return State::kQuoted;
    }
    std::size_t end = block.size();
    while (end > 0 && is_blank(block[end - 1]) && block[end - 1] != delimiter_) {
      --end;
    }
    if (end == 0) {
      return state_ == State::kRecordStart ? State::kCellStart
             : state_ == State::kQuoteSeen ? State::kPlain
                                           : state_;
    }
    const bool blanks = end < block.size();
    const char last = block[end - 1];
    if (last == '\n') {
      return blanks ? State::kCellStart : State::kRecordStart;
    }
    if (last == delimiter_) {
      return State::kCellStart;
    }
    return last == '"' && !blanks ? State::kQuoteSeen : State::kPlain;
  }

  void step(char c) {
    if (state_ == State::kQuoted) {
      state_ = c == '"' ? State::kQuoteSeen : State::kQuoted;
    } else if (c == '"' && state_ != State::kPlain) {
      state_ = State::kQuoted;  // one that opens the cell, or the second of a doubled one
    } else if (c == '\n') {
      state_ = State::kRecordStart;
    } else if (c == delimiter_ || (state_ == State::kRecordStart && is_blank(c))) {
      state_ = State::kCellStart;
    } else if (state_ == State::kQuoteSeen || !is_blank(c)) {
      state_ = State::kPlain;
    }
  }

  void end_record() {
    spans_.push_back({static_cast<std::uint32_t>(begin_),
                      static_cast<std::uint32_t>(seen_ - begin_), false, true});
    begin_ = seen_;
    whole_bytes_ = seen_;
    ++events_;
    check_at_ = seen_ + kFirstCheckBytes;
  }

  // Where a cell of the record was opened by a quote too long ago to be closed again: the record
  // ends with the last line that is there, and whoever reads it finds the lines in it. False where
  // it may go on. The bytes are looked at again when the record is twice as long, so that all looks
  // cost no more than twice its size.
  bool break_off_record(std::string_view text) {
    const std::size_t stopped = seen_;
    const std::size_t line_end = text.substr(begin_, stopped - begin_).rfind('\n');
    if (state_ != State::kQuoted || line_end == std::string_view::npos ||
        stopped - open_quote(text) <= kCellBytesMax) {
      check_at_ = stopped + (stopped - begin_);
      return false;
    }
    seen_ = begin_ + line_end + 1;
    state_ = State::kRecordStart;
    byte_by_byte_ = false;
    end_record();
    return true;
  }

  // Where the quote stands that opened the cell at hand.
  std::size_t open_quote(std::string_view text) const {
    RecordScanner again(delimiter_);
    std::size_t open = begin_;
    for (std::size_t i = begin_; i < seen_; ++i) {
      const State before = again.state_;
      again.step(text[i]);
      if (again.state_ == State::kQuoted && before != State::kQuoted &&
          before != State::kQuoteSeen) {
        open = i;
      }
    }
    return open;
  }

  std::size_t begin_ = 0;  // of the record at hand
  std::size_t check_at_ = kFirstCheckBytes;
  const char delimiter_;
  State state_ = State::kRecordStart;
  bool byte_by_byte_ = false;  // up to the end of the record
};

class ValueScanner : public BoundaryScanner {
 public:
  explicit ValueScanner(bool unwraps_records) : unwraps_records_(unwraps_records) {}

  Status scan(std::string_view text, std::size_t events_max, bool at_end) override {
    while (seen_ < text.size() && events_ < events_max) {
      switch (state_) {
        case State::kTop:
        case State::kElement:
        case State::kFirstElement:
          EVQ_TRY(find_value(text));
          break;
        case State::kNested:
          pass_value(text);
          break;
        case State::kString:
          pass_string(text);
          break;
        case State::kScalar:
          pass_scalar(text);
          break;
        case State::kAfterElement:
          EVQ_TRY(pass_separator(text[seen_]));
          break;
        case State::kMaybeWrapper:
          begin_object(text);
          break;
        case State::kWrapperEnd:
        case State::kWrapperRest:
          EVQ_TRY(close_wrapper(text));
          break;
      }
    }
    if (at_end && seen_ == text.size() && events_ < events_max) {
      return end_input(text);
    }
    return {};
  }

  void drop(std::size_t bytes) override {
    begin_ -= std::min(begin_, bytes);
    forget(bytes);
  }

 private:
  enum class State : std::uint8_t {
    kTop,           // before a top-level value
    kFirstElement,  // after `[`
    kElement,       // after `,` in an array
    kNested,        // in an object or array of a value
    kString,        // in a string that is a value
    kScalar,        // in a number, a word or something wrong
    kAfterElement,  // before `,` or `]`
    kMaybeWrapper,  // in a top-level object that may turn out to hold records
    kWrapperEnd,    // behind the array of records, before `,` or `}`
    kWrapperRest,   // in what follows it up to `}`
  };

  Status find_value(std::string_view text) {
    const char c = text[seen_];
    if (is_json_blank(c)) {
      ++seen_;
      whole_bytes_ = seen_;
      return {};
    }
    if (state_ == State::kTop && c == '[') {
      in_array_ = true;
      state_ = State::kFirstElement;
      ++seen_;
      whole_bytes_ = seen_;
      return {};
    }
    if (state_ == State::kFirstElement && c == ']') {
      close_array();
      return {};
    }
    if (in_array_ && (c == ',' || c == ']' || c == '}' || c == ':')) {
      return make_error(ErrorCode::kData, "expected a value in the array");
    }
    begin_ = seen_;
    if (state_ == State::kTop && c == '{' && unwraps_records_) {
      begin_object(text);
      return {};
    }
    ++seen_;
    if (c == '{' || c == '[') {
      nested_ = {.depth = 1};
      state_ = State::kNested;
    } else if (c == '"') {
      state_ = State::kString;
    } else if (c == ',' || c == ']' || c == '}') {
      end_value(true);
    } else {
      state_ = State::kScalar;
    }
    return {};
  }

  // At the end of the text so far, where that does not tell what the object is.
  void begin_object(std::string_view text) {
    const auto prefix = records_prefix(text.substr(begin_));
    if (!prefix) {
      state_ = State::kMaybeWrapper;
      seen_ = text.size();
    } else if (*prefix == 0) {
      state_ = State::kNested;
      nested_ = {.depth = 1};
      seen_ = begin_ + 1;
    } else {
      state_ = State::kFirstElement;
      in_array_ = true;
      wrapped_ = true;
      seen_ = begin_ + *prefix;
      whole_bytes_ = seen_;
    }
  }

  // Other members of the object, such as the MillisBehindLatest of Kinesis, are passed over.
  Status close_wrapper(std::string_view text) {
    if (state_ == State::kWrapperEnd) {
      const char c = text[seen_];
      if (c != ',' && c != '}' && !is_json_blank(c)) {
        return make_error(ErrorCode::kData, "expected ',' or '}' after the array of records",
                          "--format json takes the whole object as one event");
      }
      if (is_json_blank(c)) {
        ++seen_;
        whole_bytes_ = seen_;
        return {};
      }
      state_ = State::kWrapperRest;
      nested_ = {.depth = 1};
    }
    seen_ = pass_nested(text, seen_, &nested_);
    whole_bytes_ = seen_;
    if (nested_.depth == 0) {
      wrapped_ = false;
      state_ = State::kTop;
    }
    return {};
  }

  void pass_value(std::string_view text) {
    seen_ = pass_nested(text, seen_, &nested_);
    if (nested_.depth == 0) {
      end_value(true);
    }
  }

  void pass_string(std::string_view text) {
    while (seen_ < text.size()) {
      const char c = text[seen_++];
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        end_value(true);
        return;
      }
    }
  }

  void pass_scalar(std::string_view text) {
    while (seen_ < text.size()) {
      const char c = text[seen_];
      if (is_json_blank(c) || c == ',' || c == ']' || c == '}' || c == '{' || c == '[' ||
          c == '"') {
        end_value(true);
        return;
      }
      ++seen_;
    }
  }

  Status pass_separator(char c) {
    ++seen_;
    if (c == ',') {
      state_ = State::kElement;
    } else if (c == ']') {
      --seen_;
      close_array();
      return {};
    } else if (!is_json_blank(c)) {
      --seen_;
      return make_error(ErrorCode::kData, "expected ',' or ']' after an element of the array");
    }
    whole_bytes_ = seen_;
    return {};
  }

  void close_array() {
    ++seen_;
    whole_bytes_ = seen_;
    in_array_ = false;
    state_ = wrapped_ ? State::kWrapperEnd : State::kTop;
  }

  void end_value(bool whole) {
    spans_.push_back({static_cast<std::uint32_t>(begin_),
                      static_cast<std::uint32_t>(seen_ - begin_), in_array_, whole});
    ++events_;
    whole_bytes_ = seen_;
    escaped_ = false;
    state_ = in_array_ ? State::kAfterElement : State::kTop;
  }

  Status end_input(std::string_view text) {
    if (in_array_) {
      // A last number is whole only when something follows it; here the `]` is missing anyway.
      return make_error(ErrorCode::kData, "the array is not closed");
    }
    if (wrapped_) {
      return make_error(ErrorCode::kData, "the object around the records is not closed");
    }
    if (state_ != State::kTop) {
      end_value(state_ == State::kScalar);
    }
    whole_bytes_ = text.size();
    return {};
  }

  const bool unwraps_records_;
  State state_ = State::kTop;
  bool in_array_ = false;
  bool wrapped_ = false;  // the array is one of records, in an object
  bool escaped_ = false;
  NestedValue nested_;
  std::size_t begin_ = 0;  // of the value at hand
};

}  // namespace

std::unique_ptr<BoundaryScanner> make_line_scanner() {
  return std::make_unique<LineScanner>();
}

std::unique_ptr<BoundaryScanner> make_value_scanner(bool unwraps_records) {
  return std::make_unique<ValueScanner>(unwraps_records);
}

std::unique_ptr<BoundaryScanner> make_record_scanner(char delimiter) {
  return std::make_unique<RecordScanner>(delimiter);
}

}  // namespace evq
