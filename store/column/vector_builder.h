#pragma once
// VectorBuilder: append-only construction of a flat Vector of one type, strings copied into an
// arena of its own. For decoders that know their size up front, Values::make is faster.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "store/column/dynamic.h"
#include "store/column/vector.h"

namespace evq {

class VectorBuilder {
 public:
  explicit VectorBuilder(Type type) : type_(type) {}

  Type type() const { return type_; }
  std::size_t size() const { return size_; }
  void reserve(std::size_t rows);

  void append_null();
  void append_bool(bool value);
  // long, datetime (ns) and timespan (ns).
  void append_integer(std::int64_t value);
  void append_real(double value);
  // string, or dynamic bytes: copied.
  void append_text(std::string_view text);
  // The view must outlive the vector: pass the values it is of to keep_alive() once.
  void append_view(std::string_view text);
  void keep_alive(const Values& values) {
    owners_.insert(owners_.end(), values.owners().begin(), values.owners().end());
  }
  // Converts by the rules of Vector::widen.
  void append(const Value& value);
  // Row `row` of `from`, of the same type or widened.
  void append_row(const Vector& from, std::size_t row);

  // Bytes held so far.
  std::size_t size_bytes() const;
  // The rows appended so far; the builder is empty afterwards.
  Vector finish();

 private:
  void note_valid();

  Type type_;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
  std::vector<std::string_view> views_;
  std::vector<std::uint64_t> validity_;  // empty until the first null
  std::shared_ptr<StringArena> arena_;
  std::vector<TextOwner> owners_;
};

}  // namespace evq
