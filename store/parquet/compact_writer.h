#pragma once
// CompactWriter: Thrift's compact protocol, the half that writes: what the metadata of a Parquet
// file is coded in. Fields of a struct are written in ascending order of their ids.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
// One thread; cannot fail.

#include <cstdint>
#include <string_view>
#include <vector>

#include "store/base/bytes.h"

namespace evq {

class CompactWriter {
 public:
  explicit CompactWriter(ByteWriter& out) : out_(out) {}

  // A struct that is the value of field `id`, or with id 0 the outermost one or an element.
  void begin_struct(int id = 0);
  void end_struct();
  void i32(int id, std::int32_t value);
  void i64(int id, std::int64_t value);
  void boolean(int id, bool value);
  void binary(int id, std::string_view value);
  // A list's elements follow: structs by begin_struct(), or the two below.
  void begin_struct_list(int id, std::size_t size);
  void i32_list(int id, const std::vector<std::int32_t>& values);
  void binary_list(int id, const std::vector<std::string_view>& values);

 private:
  void field(int id, std::uint8_t type);
  void list(int id, std::uint8_t type, std::size_t size);

  ByteWriter& out_;
  std::vector<int> last_ids_;  // of the structs that are open
};

}  // namespace evq
