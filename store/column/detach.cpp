// Vectors that share memory with what they were taken from, in memory of their own.

#include <algorithm>
#include <memory>

#include "store/column/physical.h"
#include "store/column/vector.h"

namespace evq {
namespace {

// A dictionary stays one with up to so many entries a row.
constexpr std::size_t kEntriesPerRowMax = 2;
// Memory of a quarter more than the texts in it is not worth a copy, nor is so much in all.
constexpr std::size_t kSpareShare = 4;
constexpr std::size_t kSpareBytesMax = 1024;

std::size_t text_bytes(const Values& values) {
  const auto* texts = values.data<std::string_view>();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bytes += texts[i].size();
  }
  return bytes;
}

}  // namespace

std::shared_ptr<const Values> copy_texts(const Values& from) {
  const auto* texts = from.data<std::string_view>();
  const std::size_t total = text_bytes(from);
  auto text = std::make_shared_for_overwrite<char[]>(total);
  auto to = Values::make(from.type(), from.size());
  auto* views = to->mutable_data<std::string_view>();
  char* at = text.get();
  for (std::size_t i = 0; i < from.size(); ++i) {
    views[i] = {at, texts[i].size()};
    at = std::copy_n(texts[i].data(), texts[i].size(), at);
  }
  if (const std::uint64_t* validity = from.validity()) {
    to->set_validity({validity, validity + bitmap_words(from.size())});
  }
  to->set_contiguous_text({text.get(), total});
  if (from.are_distinct()) {
    to->set_distinct();
  }
  to->add_owner({std::move(text), total});
  return to;
}

Vector Vector::detached() const {
  if (values_ == nullptr) {
    return *this;
  }
  const bool has_texts = physical_of(type()) == Physical::kView;
  if (is_dictionary()) {
    if (values_->size() <= size_ * kEntriesPerRowMax) {
      return *this;
    }
    const Vector rows = flatten();
    return has_texts ? flat(copy_texts(rows.values())) : rows;
  }
  if (!has_texts) {
    return *this;
  }
  const std::size_t needed = text_bytes(*values_);
  if (values_->owned_bytes() <= needed + needed / kSpareShare + kSpareBytesMax) {
    return *this;
  }
  return with_values(copy_texts(*values_));
}

}  // namespace evq
