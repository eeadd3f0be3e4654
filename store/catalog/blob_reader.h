#pragma once
// BlobReader: reads the blobs of one table, whole or in part, straight into the caller's memory. A
// statement's result is the whole blob, copied once more.
// https://www.sqlite.org/c3ref/blob_open.html
//
// The blob that was read last stays open, and with it the connection's read transaction: a reader
// must go before either does. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/base/result.h"
#include "store/catalog/sqlite.h"

struct sqlite3_blob;

namespace evq {

class BlobReader {
 public:
  // `table` has blobs in its column `data`; it must outlive the reader.
  BlobReader(Connection& connection, const char* table) : connection_(connection), table_(table) {}
  BlobReader(BlobReader&& other) noexcept;
  BlobReader& operator=(BlobReader&&) = delete;
  ~BlobReader();

  // Moves to the blob of row `id` and returns its size in bytes. kCorrupt when there is none.
  Result<std::size_t> find(std::uint64_t id);
  // Reads to.size() bytes of that blob from `offset` on, all of which it must have.
  Status read(std::size_t offset, std::span<char> to);

 private:
  Error failed(int code);

  Connection& connection_;
  const char* const table_;
  sqlite3_blob* handle_ = nullptr;
  std::uint64_t id_ = 0;  // of the open one
};

}  // namespace evq
