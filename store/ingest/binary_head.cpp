#include "store/ingest/binary_head.h"

#include <cstddef>
#include <utility>

namespace evq {

namespace {

constexpr std::size_t kUtf16HeadBytes = 4;

}  // namespace

std::string_view known_binary(std::string_view head) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {std::string_view("\xFF\xFE\0\0", 4),
       "UTF-32 text; convert it first: iconv -f UTF-32 -t UTF-8"},
      {std::string_view("\0\0\xFE\xFF", 4),
       "UTF-32 text; convert it first: iconv -f UTF-32 -t UTF-8"},
      {"BZh91AY&SY", "compressed by bzip2; unpack it first: bunzip2 -c"},
      {"\xFD"
       "7zXZ",
       "compressed by xz; unpack it first: xz -dc"},
      {"\x04\x22\x4D\x18", "compressed by lz4; unpack it first: lz4 -dc"},
      {"PK\x03\x04", "a ZIP archive; unpack it first: unzip -p"},
      {"PAR1", "a Parquet file; write it as NDJSON first"},
      {"SQLite format 3", "a SQLite database; write its tables as CSV first"},
  };
  for (const auto& [magic, kind] : kKinds) {
    if (head.starts_with(magic)) {
      return kind;
    }
  }
  constexpr std::size_t kTarMagicAt = 257;
  if (head.size() > kTarMagicAt && head.substr(kTarMagicAt).starts_with("ustar")) {
    return "a tar archive; unpack it first: tar -xOf FILE";
  }
  return {};
}

bool is_unmarked_utf16(std::string_view head) {
  // Every other byte is zero.
  const auto zero = [&](std::size_t at) { return head[at] == '\0'; };
  return head.size() >= kUtf16HeadBytes && zero(0) != zero(1) && zero(0) == zero(2) &&
         zero(1) == zero(3);
}

bool may_be_unmarked_utf16(std::string_view head) {
  // One of its first two bytes is zero.
  return head.size() < 2 ||
         (head.size() < kUtf16HeadBytes && head.substr(0, 2).find('\0') != std::string_view::npos);
}

}  // namespace evq
