#include "store/column/dynamic.h"

#include <bit>
#include <cstring>
#include <utility>

#include "store/base/check.h"
#include "store/base/limits.h"

// Readers of the encoding. The walks recurse at most kDynamicDepthMax deep, which
// validate_dynamic and the parsers enforce.

namespace evq {
namespace {

static_assert(std::endian::native == std::endian::little, "the encoding is read in place");

constexpr std::size_t kTagBytes = 1;
constexpr std::size_t kSizeFieldBytes = 4;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kContainerHeaderBytes = kTagBytes + 2 * kSizeFieldBytes;

std::uint32_t load_size(const char* place) {
  std::uint32_t size = 0;
  std::memcpy(&size, place, sizeof(size));
  return size;
}

template <class T>
T load_number(const char* place) {
  T number = 0;
  std::memcpy(&number, place, sizeof(number));
  return number;
}

// Takes sizes and payloads off the front of untrusted bytes.
class Checker {
 public:
  explicit Checker(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

  bool value(std::size_t depth_left);

 private:
  bool skip(std::size_t size) {
    if (size > rest_.size()) {
      return false;
    }
    rest_.remove_prefix(size);
    return true;
  }

  bool take_size(std::size_t* size) {
    if (rest_.size() < kSizeFieldBytes) {
      return false;
    }
    *size = load_size(rest_.data());
    rest_.remove_prefix(kSizeFieldBytes);
    return true;
  }

  bool text() {
    std::size_t size = 0;
    return take_size(&size) && skip(size);
  }

  bool container(bool bag, std::size_t depth_left);

  std::string_view rest_;
};

bool Checker::container(bool bag, std::size_t depth_left) {
  std::size_t body = 0;
  std::size_t count = 0;
  if (depth_left == 0 || !take_size(&body) || !take_size(&count) || body > rest_.size()) {
    return false;
  }
  Checker inner(rest_.substr(0, body));
  for (std::size_t i = 0; i < count; ++i) {
    if ((bag && !inner.text()) || !inner.value(depth_left - 1)) {
      return false;
    }
  }
  return inner.at_end() && skip(body);
}

bool Checker::value(std::size_t depth_left) {
  if (rest_.empty()) {
    return false;
  }
  const auto tag = static_cast<DynamicTag>(static_cast<unsigned char>(rest_[0]));
  rest_.remove_prefix(kTagBytes);
  switch (tag) {
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return true;
    case DynamicTag::kLong:
    case DynamicTag::kReal:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return skip(kNumberBytes);
    case DynamicTag::kString:
      return text();
    case DynamicTag::kArray:
      return container(false, depth_left);
    case DynamicTag::kBag:
      return container(true, depth_left);
  }
  return false;
}

}  // namespace

bool validate_dynamic(std::string_view bytes) {
  Checker checker(bytes);
  return checker.value(kDynamicDepthMax) && checker.at_end();
}

std::size_t dynamic_size(std::string_view bytes) {
  switch (DynamicView(bytes).tag()) {
    case DynamicTag::kNull:
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return kTagBytes;
    case DynamicTag::kLong:
    case DynamicTag::kReal:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return kTagBytes + kNumberBytes;
    case DynamicTag::kString:
      return kTagBytes + kSizeFieldBytes + load_size(bytes.data() + kTagBytes);
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      return kContainerHeaderBytes + load_size(bytes.data() + kTagBytes);
  }
  EVQ_CHECK(false);
}

// ---------------------------------------------------------------- DynamicView

Type DynamicView::type() const {
  switch (tag()) {
    case DynamicTag::kNull:
      return Type::kNull;
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return Type::kBool;
    case DynamicTag::kLong:
      return Type::kLong;
    case DynamicTag::kReal:
      return Type::kReal;
    case DynamicTag::kString:
      return Type::kString;
    case DynamicTag::kDatetime:
      return Type::kDatetime;
    case DynamicTag::kTimespan:
      return Type::kTimespan;
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      return Type::kDynamic;
  }
  return Type::kNull;
}

std::int64_t DynamicView::as_integer() const {
  EVQ_DCHECK(bytes_.size() >= kTagBytes + kNumberBytes);
  return load_number<std::int64_t>(bytes_.data() + kTagBytes);
}

double DynamicView::as_real() const {
  if (tag() == DynamicTag::kLong) {
    return static_cast<double>(as_integer());
  }
  EVQ_DCHECK(tag() == DynamicTag::kReal);
  return load_number<double>(bytes_.data() + kTagBytes);
}

std::string_view DynamicView::as_string() const {
  EVQ_DCHECK(is_string());
  return bytes_.substr(kTagBytes + kSizeFieldBytes, load_size(bytes_.data() + kTagBytes));
}

std::size_t DynamicView::size() const {
  if (!is_array() && !is_bag()) {
    return 0;
  }
  return load_size(bytes_.data() + kTagBytes + kSizeFieldBytes);
}

DynamicView DynamicView::at(std::int64_t index) const {
  if (!is_array()) {
    return {};
  }
  const auto count = static_cast<std::int64_t>(size());
  if (index < -count || index >= count) {
    return {};
  }
  std::int64_t left = index < 0 ? index + count : index;
  Iterator elements(*this);
  while (elements.next()) {
    if (left == 0) {
      return elements.value();
    }
    --left;
  }
  return {};
}

std::optional<DynamicView> DynamicView::find(std::string_view key) const {
  if (!is_bag()) {
    return std::nullopt;
  }
  Iterator entries(*this);
  while (entries.next()) {
    if (entries.key() == key) {
      return entries.value();
    }
  }
  return std::nullopt;
}

DynamicView::Iterator::Iterator(DynamicView container)
    : left_(container.size()), bag_(container.is_bag()) {
  if (left_ != 0) {
    rest_ = container.bytes().substr(kContainerHeaderBytes);
  }
}

bool DynamicView::Iterator::next() {
  if (left_ == 0) {
    return false;
  }
  --left_;
  if (bag_) {
    const std::size_t size = load_size(rest_.data());
    key_ = rest_.substr(kSizeFieldBytes, size);
    rest_.remove_prefix(kSizeFieldBytes + size);
  }
  const std::size_t size = dynamic_size(rest_);
  value_ = DynamicView(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return true;
}

// ---------------------------------------------------------------- conversions

Value value_from_dynamic(DynamicView view) {
  switch (view.type()) {
    case Type::kNull:
      return Value::null();
    case Type::kBool:
      return Value::boolean(view.as_bool());
    case Type::kLong:
      return Value::integer(view.as_integer());
    case Type::kReal:
      return Value::real(view.as_real());
    case Type::kString:
      return Value::string(std::string(view.as_string()));
    case Type::kDatetime:
      return Value::datetime(view.as_integer());
    case Type::kTimespan:
      return Value::timespan(view.as_integer());
    case Type::kDynamic:
      return Value::dynamic(std::string(view.bytes()));
  }
  return {};
}

std::string dynamic_from_value(const Value& value) {
  DynamicBuilder builder;
  builder.add_value(value);
  return builder.take();
}

}  // namespace evq
