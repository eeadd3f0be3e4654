#include "store/column/vector.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "store/base/allocation_meter.h"
#include "store/base/large_pages.h"
#include "store/column/dynamic.h"
#include "store/column/physical.h"

// Everything a column does to its rows as a whole: one gather kernel per physical width, used with
// a row list (gather), with codes (flatten) and with runs (slice).

namespace evq {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlackBytes = 64;
// What an allocator keeps beside a piece of memory, and a shared one beside its value.
constexpr std::size_t kPieceBytes = 32;
// What values and codes take beside their slots: of short columns, most of it.
constexpr std::size_t kValuesBytes =
    sizeof(Values) + kAlignment + kSlackBytes + sizeof(void*) + 2 * kPieceBytes;
constexpr std::size_t kCodesBytes = kSlackBytes + kPieceBytes;
constexpr std::size_t kSlabBytesMin = std::size_t{4} << 10;
constexpr std::size_t kSlabBytesMax = std::size_t{1} << 20;

std::size_t width_of(Type type) {
  switch (physical_of(type)) {
    case Physical::kNone:
      return 0;
    case Physical::kByte:
      return sizeof(std::uint8_t);
    case Physical::kInt64:
      return sizeof(std::int64_t);
    case Physical::kDouble:
      return sizeof(double);
    case Physical::kView:
      return sizeof(std::string_view);
  }
  return 0;
}

// Slots slot_of(0), slot_of(1), … of `from` as new values.
template <class SlotOf>
std::shared_ptr<Values> gather_values(const Values& from, std::size_t count, SlotOf slot_of) {
  auto to = Values::make(from.type(), count);
  with_physical(from.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = from.data<T>();
    T* target = to->template mutable_data<T>();
    for (std::size_t i = 0; i < count; ++i) {
      target[i] = source[slot_of(i)];
    }
  });
  if (const std::uint64_t* validity = from.validity()) {
    to->set_validity(gather_bits(validity, count, slot_of));
  }
  to->add_owners_of(from);
  return to;
}

// The run that holds the strings of rows [begin, begin + count) of values with contiguous text.
std::string_view contiguous_slice(const Values& from, std::size_t begin, std::size_t count) {
  if (from.contiguous_text().empty()) {
    return {};
  }
  const std::string_view* views = from.data<std::string_view>();
  std::size_t first = begin;
  std::size_t last = begin + count;
  while (first < last && views[first].empty()) {
    ++first;
  }
  while (last > first && views[last - 1].empty()) {
    --last;
  }
  if (first == last) {
    return {};
  }
  const char* end = views[last - 1].data() + views[last - 1].size();
  return {views[first].data(), static_cast<std::size_t>(end - views[first].data())};
}

std::shared_ptr<const Values> slice_values(const Values& from, std::size_t begin,
                                           std::size_t count) {
  auto to = gather_values(from, count, [begin](std::size_t i) { return begin + i; });
  to->set_contiguous_text(contiguous_slice(from, begin, count));
  return to;
}

void add_encoded(const Values& from, std::size_t i, DynamicBuilder* builder) {
  switch (from.type()) {
    case Type::kBool:
      return builder->add_bool(from.data<std::uint8_t>()[i] != 0);
    case Type::kLong:
      return builder->add_long(from.data<std::int64_t>()[i]);
    case Type::kReal:
      return builder->add_real(from.data<double>()[i]);
    case Type::kString:
      return builder->add_string(from.data<std::string_view>()[i]);
    case Type::kDatetime:
      return builder->add_datetime(from.data<std::int64_t>()[i]);
    case Type::kTimespan:
      return builder->add_timespan(from.data<std::int64_t>()[i]);
    case Type::kNull:
    case Type::kDynamic:
      break;
  }
  EVQ_CHECK(false);
}

// The slots' nulls, which a conversion of type never changes.
void copy_validity(const Values& from, Values* to) {
  if (const std::uint64_t* validity = from.validity()) {
    to->set_validity(Bits(validity, validity + bitmap_words(from.size())));
  }
}

std::shared_ptr<const Values> values_to_real(const Values& from) {
  auto to = Values::make(Type::kReal, from.size());
  const std::int64_t* source = from.data<std::int64_t>();
  double* target = to->mutable_data<double>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    target[i] = static_cast<double>(source[i]);
  }
  copy_validity(from, to.get());
  return to;
}

std::shared_ptr<const Values> values_to_dynamic(const Values& from) {
  auto to = Values::make(Type::kDynamic, from.size());
  auto arena = std::make_shared<StringArena>();
  std::string_view* target = to->mutable_data<std::string_view>();
  DynamicBuilder builder;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from.is_null(i)) {
      target[i] = {};
      continue;
    }
    builder.clear();
    add_encoded(from, i, &builder);
    target[i] = arena->copy(builder.bytes());
  }
  copy_validity(from, to.get());
  to->add_owner(std::move(arena));
  return to;
}

}  // namespace

// ---------------------------------------------------------------- StringArena

char* StringArena::allocate(std::size_t size) {
  if (size <= capacity_ - used_ && capacity_ != 0) {
    char* place = slabs_.back().get() + used_;
    used_ += size;
    return place;
  }
  const std::size_t slab = std::clamp(size_bytes_, kSlabBytesMin, kSlabBytesMax);
  const std::size_t allocated = std::max(size, slab);
  AllocationMeter::charge(allocated);
  auto memory = std::make_unique_for_overwrite<char[]>(allocated);
  char* place = memory.get();
  size_bytes_ += allocated;
  if (size > slab / 4 && !slabs_.empty()) {
    // A large string in a slab of its own leaves the room of the current slab to later ones.
    slabs_.insert(slabs_.end() - 1, std::move(memory));
    return place;
  }
  slabs_.push_back(std::move(memory));
  used_ = size;
  capacity_ = allocated;
  return place;
}

std::string_view StringArena::copy(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  char* place = allocate(text.size());
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

// ---------------------------------------------------------------- Values

// Allocators keep small pieces of memory at hand for each thread, but not aligned ones, so slots
// are aligned here; the address of their memory stands right before them.
void Values::Free::operator()(std::byte* p) const {
  void* memory = nullptr;
  std::memcpy(&memory, p - sizeof memory, sizeof memory);
  ::operator delete(memory);
}

Values::Values(Type type, std::size_t size) : type_(type), size_(size) {
  const std::size_t bytes = size * width_of(type) + kSlackBytes;
  std::size_t room = bytes + kAlignment;
  void* memory = ::operator new(room + sizeof memory);
  if (room >= 2 * kLargePageBytes) {
    use_large_pages(memory, room);
  }
  void* slots = static_cast<std::byte*>(memory) + sizeof memory;
  std::align(kAlignment, bytes, slots, room);
  slots_.reset(static_cast<std::byte*>(slots));
  std::memcpy(slots_.get() - sizeof memory, &memory, sizeof memory);
}

std::shared_ptr<Values> Values::make(Type type, std::size_t size) {
  // Where std::make_shared can see it: one piece of memory instead of two.
  struct Made final : Values {
    Made(Type made_type, std::size_t made_size) : Values(made_type, made_size) {}
  };
  AllocationMeter::charge(size * width_of(type) + kValuesBytes);
  return std::make_shared<Made>(type, size);
}

std::shared_ptr<Values> Values::make_constant(const Value& value) {
  auto values = make(value.type(), 1);
  if (value.is_null()) {
    values->set_null(0);
    return values;
  }
  switch (physical_of(value.type())) {
    case Physical::kNone:
      break;
    case Physical::kByte:
      *values->mutable_data<std::uint8_t>() = value.as_bool() ? 1 : 0;
      break;
    case Physical::kInt64:
      *values->mutable_data<std::int64_t>() = value.as_integer();
      break;
    case Physical::kDouble:
      *values->mutable_data<double>() = value.as_real();
      break;
    case Physical::kView: {
      auto text = std::make_shared<const std::string>(value.as_text());
      *values->mutable_data<std::string_view>() = *text;
      const std::size_t bytes = sizeof *text + text->size();
      values->add_owner({std::move(text), bytes});
      break;
    }
  }
  return values;
}

void Values::set_null(std::size_t i) {
  EVQ_DCHECK(i < size_);
  if (type_ == Type::kNull) {
    return;
  }
  if (validity_.empty()) {
    validity_.assign(bitmap_words(size_), ~std::uint64_t{0});
  }
  validity_[i >> 6] &= ~(std::uint64_t{1} << (i & 63));
  with_physical(type_, [&](auto zero) { mutable_data<decltype(zero)>()[i] = zero; });
}

void Values::add_owner(std::shared_ptr<const StringArena> arena) {
  const std::size_t bytes = arena->size_bytes();
  owners_.push_back({std::move(arena), bytes});
}

void Values::add_owners_of(const Values& other) {
  owners_.insert(owners_.end(), other.owners_.begin(), other.owners_.end());
}

std::size_t Values::owned_bytes() const {
  std::size_t bytes = 0;
  for (const TextOwner& owner : owners_) {
    bytes += owner.size_bytes;
  }
  return bytes;
}

std::size_t Values::size_bytes() const {
  return size_ * width_of(type_) + validity_.size() * sizeof(std::uint64_t) + kValuesBytes;
}

std::shared_ptr<Code[]> make_codes(std::size_t size) {
  AllocationMeter::charge(size * sizeof(Code) + kCodesBytes);
  return std::make_shared_for_overwrite<Code[]>(size + kSlackBytes / sizeof(Code));
}

// ---------------------------------------------------------------- Vector

Vector Vector::flat(std::shared_ptr<const Values> values) {
  Vector vector;
  vector.size_ = values->size();
  vector.values_ = std::move(values);
  return vector;
}

Vector Vector::constant(std::shared_ptr<const Values> value, std::size_t size) {
  EVQ_CHECK(value->size() == 1);
  Vector vector;
  vector.shape_ = Shape::kConstant;
  vector.size_ = size;
  vector.values_ = std::move(value);
  return vector;
}

// Nulls of a type are one object: thousands of fields may be absent from a block.
Vector Vector::constant(const Value& value, std::size_t size) {
  if (!value.is_null()) {
    return constant(Values::make_constant(value), size);
  }
  static const std::array<std::shared_ptr<const Values>, kTypeCount> kNulls = [] {
    std::array<std::shared_ptr<const Values>, kTypeCount> nulls;
    for (std::size_t type = 0; type < nulls.size(); ++type) {
      nulls[type] = Values::make_constant(Value::null(static_cast<Type>(type)));
    }
    return nulls;
  }();
  return constant(kNulls[static_cast<std::size_t>(value.type())], size);
}

Vector Vector::dictionary(std::shared_ptr<const Values> entries,
                          std::shared_ptr<const Code[]> codes, std::size_t size) {
  Vector vector;
  vector.shape_ = Shape::kDictionary;
  vector.size_ = size;
  vector.values_ = std::move(entries);
  vector.codes_ = std::move(codes);
  return vector;
}

Value Vector::value(std::size_t i) const {
  EVQ_DCHECK(i < size_);
  if (is_null(i)) {
    return Value::null(type());
  }
  switch (type()) {
    case Type::kNull:
      break;
    case Type::kBool:
      return Value::boolean(at<std::uint8_t>(i) != 0);
    case Type::kLong:
      return Value::integer(at<std::int64_t>(i));
    case Type::kReal:
      return Value::real(at<double>(i));
    case Type::kString:
      return Value::string(std::string(at<std::string_view>(i)));
    case Type::kDatetime:
      return Value::datetime(at<std::int64_t>(i));
    case Type::kTimespan:
      return Value::timespan(at<std::int64_t>(i));
    case Type::kDynamic:
      return Value::dynamic(std::string(at<std::string_view>(i)));
  }
  return {};
}

Vector Vector::flatten() const {
  if (is_flat()) {
    return *this;
  }
  if (is_constant()) {
    return flat(gather_values(*values_, size_, [](std::size_t) { return std::size_t{0}; }));
  }
  const Code* codes = codes_.get();
  return flat(gather_values(*values_, size_, [codes](std::size_t i) { return codes[i]; }));
}

Vector Vector::gather(std::span<const std::uint32_t> rows) const {
  if (is_constant()) {
    return constant(values_, rows.size());
  }
  if (is_dictionary()) {
    std::shared_ptr<Code[]> codes = make_codes(rows.size());
    const Code* source = codes_.get();
    Code* target = codes.get();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      target[i] = source[rows[i]];
    }
    return dictionary(values_, std::move(codes), rows.size());
  }
  if (values_ == nullptr) {
    EVQ_CHECK(rows.empty());
    return *this;
  }
  return flat(gather_values(*values_, rows.size(), [rows](std::size_t i) { return rows[i]; }));
}

Vector Vector::slice(std::size_t begin, std::size_t count) const {
  EVQ_CHECK(begin <= size_ && count <= size_ - begin);
  if (count == size_) {
    return *this;
  }
  if (is_constant()) {
    return constant(values_, count);
  }
  if (is_dictionary()) {
    // The new codes are a window into the old ones and keep them alive.
    return dictionary(values_, std::shared_ptr<const Code[]>(codes_, codes_.get() + begin), count);
  }
  return flat(slice_values(*values_, begin, count));
}

Vector Vector::with_values(std::shared_ptr<const Values> values) const {
  EVQ_CHECK(values_ != nullptr && values->size() == values_->size());
  Vector vector = *this;
  vector.values_ = std::move(values);
  return vector;
}

Vector Vector::widen(Type target) const {
  if (type() == target) {
    return *this;
  }
  if (type() == Type::kNull) {
    return constant(Value::null(target), size_);
  }
  if (target == Type::kReal && type() == Type::kLong) {
    return with_values(values_to_real(*values_));
  }
  EVQ_CHECK(target == Type::kDynamic);
  return with_values(values_to_dynamic(*values_));
}

std::size_t Vector::size_bytes() const {
  if (values_ == nullptr) {
    return 0;
  }
  if (is_constant() && values_->is_null(0)) {
    return sizeof *this;
  }
  std::size_t bytes = sizeof *this + values_->size_bytes();
  if (is_dictionary()) {
    bytes += size_ * sizeof(Code) + kCodesBytes;
  }
  if (physical_of(type()) == Physical::kView) {
    const std::string_view* views = values_->data<std::string_view>();
    for (std::size_t i = 0; i < values_->size(); ++i) {
      bytes += views[i].size();
    }
  }
  return bytes;
}

}  // namespace evq
