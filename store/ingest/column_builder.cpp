#include "store/ingest/column_builder.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "store/base/number.h"
#include "store/base/release_memory.h"
#include "store/base/text_hash.h"
#include "store/column/dynamic.h"
#include "store/ingest/csv_value.h"

namespace evq {

namespace {

// Above this many distinct values a dictionary's table leaves the fast caches.
constexpr std::size_t kDictionaryEntriesMax = 4096;
// From here on at least one value for eight new ones must have been there before …
constexpr std::size_t kDictionaryProbeEntries = 256;
constexpr std::size_t kDictionaryProbeShare = 8;
// … and from here on the values must repeat at least as often as they are new.
constexpr std::size_t kDictionaryTrialEntries = 1024;
constexpr std::size_t kTextSlotsMin = 64;
constexpr std::size_t kWordBits = 64;

void set_bit(std::vector<std::uint64_t>& words, std::size_t i) {
  if (words.size() <= i / kWordBits) {
    words.resize(i / kWordBits + 1, 0);
  }
  words[i / kWordBits] |= std::uint64_t{1} << (i % kWordBits);
}

bool test_bit(const std::vector<std::uint64_t>& words, std::size_t i) {
  return i / kWordBits < words.size() && ((words[i / kWordBits] >> (i % kWordBits)) & 1) != 0;
}

// `count` set bits, then clear ones; room for `words_expected`.
std::vector<std::uint64_t> ones(std::size_t count, std::size_t words_expected) {
  std::vector<std::uint64_t> words;
  words.reserve(std::max(words_expected, count / kWordBits + 1));
  words.resize(count / kWordBits + 1, 0);
  std::fill_n(words.begin(), count / kWordBits, ~std::uint64_t{0});
  words[count / kWordBits] = (std::uint64_t{1} << (count % kWordBits)) - 1;
  return words;
}

[[gnu::always_inline]] inline TextHead cell_head(const Cell& cell) {
  return cell.readable ? head_of_readable(cell.view()) : head_of(cell.view());
}

}  // namespace

// ---------------------------------------------------------------- appending

[[gnu::always_inline]] inline void ColumnBuilder::note_value() {
  if (!validity_.empty()) [[unlikely]] {
    set_bit(validity_, rows_);
  }
  ++rows_;
}

void ColumnBuilder::append(std::size_t row, const Cell& cell) {
  if (rows_ != row) {
    pad_to(row);
  }
  if (state_ == State::kDictionary && cell.kind == CellKind::kText) {
    append_dictionary(cell.view(), false);
  } else if (state_ == State::kLong && cell.kind == CellKind::kLong) {
    longs_.push_back(cell.integer);
  } else if (state_ == State::kReal && cell.kind == CellKind::kReal) {
    reals_.push_back(cell.real);
  } else if (state_ == State::kPlain && cell.kind == CellKind::kText) {
    raw_classes_ |= kRawIsText;
    append_plain(cell.view());
  } else {
    append_otherwise(row, cell);
  }
  note_value();
}

// The rarer pairs of state and value.
void ColumnBuilder::append_otherwise(std::size_t row, const Cell& cell) {
  if (state_ == State::kEmpty) {
    start(cell);
    if (rows_ != row) {
      pad_to(row);
    }
  }
  const bool text = cell.kind == CellKind::kText || cell.kind == CellKind::kRawText;
  const bool raw = cell.kind == CellKind::kRawText;
  if (state_ == State::kRawLong) {
    if (const auto value = raw ? read_csv_long(cell.view()) : std::nullopt) {
      longs_.push_back(*value);
      return;
    }
    make_raw_text();
  }
  if (state_ == State::kDictionary && text) {
    append_dictionary(cell.view(), raw);
  } else if (state_ == State::kPlain && text) {
    raw_classes_ |= raw ? classify_csv_value(cell.view()) : kRawIsText;
    append_plain(cell.view());
  } else if (state_ == State::kBool && cell.kind == CellKind::kBool) {
    bools_.push_back(static_cast<std::uint8_t>(cell.integer));
  } else if (state_ == State::kLong && cell.kind == CellKind::kLong) {
    longs_.push_back(cell.integer);
  } else if (cell.kind == CellKind::kReal &&
             (state_ == State::kReal || (state_ == State::kLong && make_real()))) {
    reals_.push_back(cell.real);
  } else if (state_ == State::kReal && cell.kind == CellKind::kLong && integers_ == Type::kLong &&
             is_exact_as_real(cell.integer)) {
    set_bit(was_long_, rows_);
    reals_.push_back(static_cast<double>(cell.integer));
  } else {
    make_tagged();
    append_tagged(cell);
  }
}

// ---------------------------------------------------------------- many at once

void ColumnBuilder::settle() {
  for (std::size_t i = 0; i < queue_.size();) {
    const std::size_t begin = i;
    const CellKind kind = queue_[i].cell.kind;
    const bool text = kind == CellKind::kText || kind == CellKind::kRawText;
    if (state_ == State::kDictionary && text) {
      i = settle_dictionary(i, kind);
    } else if (state_ == State::kRawLong) {
      i = settle_raw_longs(i);
    } else if (state_ == State::kLong) {
      i = settle_numbers(i, longs_);
    } else if (state_ == State::kReal) {
      i = settle_numbers(i, reals_);
    } else if (state_ == State::kPlain && text) {
      i = settle_texts(i, kind);
    } else if (state_ == State::kTagged) {
      i = settle_texts(i, CellKind::kDynamic);
    }
    if (i == begin) {
      append(queue_[i].row, queue_[i].cell);
      ++i;
    }
  }
  queue_.clear();
}

// Where in the queue the cells from `begin` on are no longer of this kind.
std::size_t ColumnBuilder::end_of(CellKind kind, std::size_t begin) const {
  std::size_t end = begin;
  while (end < queue_.size() && queue_[end].cell.kind == kind) {
    ++end;
  }
  return end;
}

// Says so of the rows of these cells; those between them are null.
void ColumnBuilder::mark_valid(std::size_t begin, std::size_t end) {
  const std::size_t rows = std::size_t{queue_[end - 1].row} + 1;
  if (validity_.empty()) {
    if (rows - rows_ == end - begin) {
      return;
    }
    validity_ = ones(rows_, words_known_);
  }
  if (validity_.size() * kWordBits < rows) {
    validity_.resize((rows + kWordBits - 1) / kWordBits, 0);
  }
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t row = queue_[i].row;
    validity_[row / kWordBits] |= std::uint64_t{1} << (row % kWordBits);
  }
}

// The texts of one kind from `begin` on, up to a cell of another, or one that made the column
// something else than a dictionary; where it stopped.
std::size_t ColumnBuilder::settle_dictionary(std::size_t begin, CellKind kind) {
  const std::size_t end = end_of(kind, begin);
  keys_.resize(std::max(keys_.size(), end - begin));
  TextKey* const keys = keys_.data();
  const Slot* const slots = slots_.data();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = begin; i < end; ++i) {
    const Cell& cell = queue_[i].cell;
    const TextHead head = cell_head(cell);
    const std::uint64_t hash = hash_text(cell.view(), head, seed_);
    keys[i - begin] = {head, hash};
    __builtin_prefetch(&slots[hash & mask]);
  }
  const std::size_t rows = std::size_t{queue_[end - 1].row} + 1;
  if (rows - rows_ != end - begin) {
    need_null_code();
  }
  codes_.resize(rows, static_cast<Code>(null_code_ - 1));  // where there are no nulls, all are set
  Code* const codes = codes_.data();
  std::size_t counted = begin;  // cells that are in the entries or in repeats_
  for (std::size_t i = begin; i < end; ++i) {
    const auto& [row, cell] = queue_[i];
    const auto& [head, hash] = keys[i - begin];
    std::uint32_t code = find_entry(cell.view(), head, hash);
    if (code == 0) [[unlikely]] {
      repeats_ += i - counted;
      counted = i + 1;
      if (!take_entry(cell.view(), head, hash, kind == CellKind::kRawText)) {
        codes_.resize(row);
        rows_ = row;
        make_plain();
        append_plain(cell.view());
        note_value();
        return i + 1;
      }
      code = static_cast<std::uint32_t>(entries_.size());
    }
    codes[row] = static_cast<Code>(code - 1);
  }
  repeats_ += end - counted;
  rows_ = rows;
  return end;
}

template <class T>
std::size_t ColumnBuilder::settle_numbers(std::size_t begin, std::vector<T>& slots) {
  constexpr CellKind kKind = std::is_same_v<T, double> ? CellKind::kReal : CellKind::kLong;
  const std::size_t end = end_of(kKind, begin);
  if (end == begin) {
    return begin;
  }
  mark_valid(begin, end);
  rows_ = std::size_t{queue_[end - 1].row} + 1;
  slots.resize(rows_);
  for (std::size_t i = begin; i < end; ++i) {
    const auto& [row, cell] = queue_[i];
    if constexpr (kKind == CellKind::kReal) {
      slots[row] = cell.real;
    } else {
      slots[row] = cell.integer;
    }
  }
  return end;
}

// CSV text up to the first that is no long.
std::size_t ColumnBuilder::settle_raw_longs(std::size_t begin) {
  const std::size_t limit = end_of(CellKind::kRawText, begin);
  std::size_t end = begin;
  for (; end < limit; ++end) {
    const auto& [row, cell] = queue_[end];
    const std::optional<std::int64_t> value = read_csv_long(cell.view());
    if (!value) {
      break;
    }
    longs_.resize(row);
    longs_.push_back(*value);
  }
  if (end > begin) {
    mark_valid(begin, end);
    rows_ = longs_.size();
  }
  return end;
}

// Texts of a column without a dictionary, or the bytes of dynamic values.
std::size_t ColumnBuilder::settle_texts(std::size_t begin, CellKind kind) {
  const std::size_t end = end_of(kind, begin);
  if (end == begin) {
    return begin;
  }
  mark_valid(begin, end);
  raw_classes_ |= kind == CellKind::kText ? kRawIsText : 0;
  // One that is text makes the column text, whatever the others are.
  const bool raw = kind == CellKind::kRawText;
  for (std::size_t i = begin; raw && i < end && (raw_classes_ & kRawIsText) == 0; ++i) {
    raw_classes_ |= classify_csv_value(queue_[i].cell.view());
  }
  std::size_t next = rows_;
  rows_ = std::size_t{queue_[end - 1].row} + 1;
  ends_.resize(rows_);
  for (std::size_t i = begin; i < end; ++i) {
    const auto& [row, cell] = queue_[i];
    for (; next < row; ++next) {
      ends_[next] = static_cast<std::uint32_t>(text_.size());
    }
    text_.append(cell.view());
    ends_[next++] = static_cast<std::uint32_t>(text_.size());
  }
  return end;
}

// ---------------------------------------------------------------- one value

void ColumnBuilder::start(const Cell& cell) {
  switch (cell.kind) {
    case CellKind::kBool:
      state_ = State::kBool;
      break;
    case CellKind::kLong:
      state_ = State::kLong;
      break;
    case CellKind::kReal:
      state_ = State::kReal;
      break;
    case CellKind::kRawText:
      if (tries_raw_longs_ && read_csv_long(cell.view())) {
        state_ = State::kRawLong;
        break;
      }
      [[fallthrough]];
    case CellKind::kText:
      state_ = tries_dictionary_ ? State::kDictionary : State::kPlain;
      if (state_ == State::kDictionary) {
        slots_.assign(std::max(kTextSlotsMin, slots_known_), {});
      }
      break;
    case CellKind::kDynamic:
      state_ = State::kTagged;
      break;
  }
}

// Fills the rows before `row` with nulls.
void ColumnBuilder::pad_to(std::size_t row) {
  if (state_ == State::kEmpty) {
    return;
  }
  if (state_ == State::kDictionary) {
    need_null_code();
    codes_.resize(row, static_cast<Code>(null_code_ - 1));
    rows_ = row;
    return;
  }
  if (validity_.empty()) {
    validity_ = ones(rows_, words_known_);
  }
  switch (state_) {
    case State::kBool:
      bools_.resize(row);
      break;
    case State::kLong:
    case State::kRawLong:
      longs_.resize(row);
      break;
    case State::kReal:
      reals_.resize(row);
      break;
    case State::kPlain:
    case State::kTagged:
      ends_.resize(row, static_cast<std::uint32_t>(text_.size()));
      break;
    case State::kEmpty:
    case State::kDictionary:
      break;
  }
  rows_ = row;
}

void ColumnBuilder::append_plain(std::string_view text) {
  text_.append(text);
  ends_.push_back(static_cast<std::uint32_t>(text_.size()));
}

// Whether the dictionary should take another entry.
bool ColumnBuilder::dictionary_pays() const {
  const std::size_t entries = entries_.size();
  if (entries < kDictionaryProbeEntries) {
    return true;
  }
  const std::size_t share = entries < kDictionaryTrialEntries ? kDictionaryProbeShare : 1;
  return entries < kDictionaryEntriesMax && repeats_ * share >= entries;
}

void ColumnBuilder::need_null_code() {
  if (null_code_ == 0) {
    entries_.push_back({{}, static_cast<std::uint32_t>(text_.size()), 0});
    null_code_ = static_cast<std::uint32_t>(entries_.size());
  }
}

void ColumnBuilder::append_dictionary(std::string_view text, bool raw) {
  const TextHead head = head_of(text);
  const std::uint64_t hash = hash_text(text, head, seed_);
  if (const std::uint32_t code = find_entry(text, head, hash); code != 0) {
    codes_.push_back(static_cast<Code>(code - 1));
    ++repeats_;
  } else if (take_entry(text, head, hash, raw)) {
    codes_.push_back(static_cast<Code>(entries_.size() - 1));
  } else {
    make_plain();
    append_plain(text);
  }
}

// A text that was not there; false when the dictionary does not pay.
bool ColumnBuilder::take_entry(std::string_view text, const TextHead& head, std::uint64_t hash,
                               bool raw) {
  raw_classes_ |= raw ? classify_csv_value(text) : kRawIsText;
  if (!dictionary_pays()) {
    return false;
  }
  add_entry(text, head, hash);
  return true;
}

void ColumnBuilder::add_entry(std::string_view text, const TextHead& head, std::uint64_t hash) {
  if ((entries_.size() + 1) * 2 > slots_.size()) {
    grow_slots();
  }
  entries_.push_back(
      {head, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size())});
  text_.append(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].code != 0) {
    i = (i + 1) & mask;
  }
  slots_[i] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(entries_.size())};
}

void ColumnBuilder::grow_slots() {
  slots_.assign(slots_.size() * 2, {});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t code = 0; code < entries_.size(); ++code) {
    if (code + 1 == null_code_) {
      continue;
    }
    const Entry& entry = entries_[code];
    const std::uint64_t hash = hash_text(text_of(entry), entry.head, seed_);
    std::size_t i = hash & mask;
    while (slots_[i].code != 0) {
      i = (i + 1) & mask;
    }
    slots_[i] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(code + 1)};
  }
}

// ---------------------------------------------------------------- changing state

bool ColumnBuilder::valid_at(std::size_t row) const {
  if (state_ == State::kDictionary) {
    return codes_[row] + std::uint32_t{1} != null_code_;
  }
  return validity_.empty() || test_bit(validity_, row);
}

// A row that is not null, as it came.
Cell ColumnBuilder::cell_at(std::size_t row) const {
  switch (state_) {
    case State::kBool:
      return Cell::of_bool(bools_[row] != 0);
    case State::kLong:
    case State::kRawLong:
      return Cell::of_long(longs_[row]);
    case State::kReal:
      return test_bit(was_long_, row) ? Cell::of_long(static_cast<std::int64_t>(reals_[row]))
                                      : Cell::of_real(reals_[row]);
    case State::kDictionary: {
      return Cell::of_text(CellKind::kText, text_of(entries_[codes_[row]]));
    }
    case State::kPlain:
    case State::kTagged:
    case State::kEmpty:
      break;
  }
  const std::uint32_t begin = row == 0 ? 0 : ends_[row - 1];
  return Cell::of_text(state_ == State::kPlain ? CellKind::kText : CellKind::kDynamic,
                       {text_.data() + begin, ends_[row] - begin});
}

// What came as longs so far becomes the text that it was. The queue stays.
void ColumnBuilder::make_raw_text() {
  ColumnBuilder text(seed_, integers_);
  text.tries_dictionary_ = tries_dictionary_;
  text.batches_plain_ = batches_plain_;
  text.slots_known_ = slots_known_;
  text.words_known_ = words_known_;
  text.tries_raw_longs_ = false;
  std::array<char, kNumberTextBytesMax> digits;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (valid_at(row)) {
      const char* end = write_int(longs_[row], digits.data());
      const std::string_view value(digits.data(), static_cast<std::size_t>(end - digits.data()));
      text.append(row, Cell::of_text(CellKind::kRawText, value));
    }
  }
  if (text.rows_ != rows_) {
    text.pad_to(rows_);
  }
  text.queue_ = std::move(queue_);
  *this = std::move(text);
}

void ColumnBuilder::make_plain() {
  TextBuffer run;
  std::vector<std::uint32_t> ends;
  ends.reserve(codes_.size() * 2);
  std::vector<std::uint64_t> validity;
  if (null_code_ != 0) {
    validity.assign(codes_.size() / kWordBits + 1, 0);
  }
  for (std::size_t row = 0; row < codes_.size(); ++row) {
    if (valid_at(row)) {
      run.append(cell_at(row).view());
      if (null_code_ != 0) {
        set_bit(validity, row);
      }
    }
    ends.push_back(static_cast<std::uint32_t>(run.size()));
  }
  text_ = std::move(run);
  ends_ = std::move(ends);
  validity_ = std::move(validity);
  // Not needed for a while, and there may be a thousand columns.
  release_memory(codes_);
  release_memory(entries_);
  release_memory(slots_);
  release_memory(keys_);
  null_code_ = 0;
  tries_dictionary_ = false;
  batches_plain_ = 0;
  state_ = State::kPlain;
}

// False when a long would change its value, or what it stands for.
bool ColumnBuilder::make_real() {
  if (integers_ != Type::kLong || !std::all_of(longs_.begin(), longs_.end(), is_exact_as_real)) {
    return false;
  }
  reals_.reserve(longs_.size() + 1);
  for (std::size_t row = 0; row < longs_.size(); ++row) {
    reals_.push_back(static_cast<double>(longs_[row]));
  }
  was_long_ = ones(longs_.size(), words_known_);
  longs_.clear();
  state_ = State::kReal;
  return true;
}

void ColumnBuilder::make_tagged() {
  if (state_ == State::kTagged) {
    return;
  }
  ColumnBuilder tagged(seed_, integers_);
  tagged.state_ = State::kTagged;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (valid_at(row)) {
      tagged.pad_to(row);
      tagged.append_tagged(cell_at(row));
      tagged.note_value();
    }
  }
  tagged.pad_to(rows_);
  clear();
  state_ = State::kTagged;
  rows_ = tagged.rows_;
  text_ = std::move(tagged.text_);
  ends_ = std::move(tagged.ends_);
  validity_ = std::move(tagged.validity_);
}

void ColumnBuilder::append_tagged(const Cell& cell) {
  DynamicBuilder value;
  switch (cell.kind) {
    case CellKind::kBool:
      value.add_bool(cell.integer != 0);
      break;
    case CellKind::kLong:
      integers_ == Type::kTimespan ? value.add_timespan(cell.integer)
                                   : value.add_long(cell.integer);
      break;
    case CellKind::kReal:
      value.add_real(cell.real);
      break;
    case CellKind::kText:
    case CellKind::kRawText:
      value.add_string(cell.view());
      break;
    case CellKind::kDynamic:
      append_plain(cell.view());
      return;
  }
  append_plain(value.bytes());
}

}  // namespace evq
