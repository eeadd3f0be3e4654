#include "store/catalog/blob_reader.h"

#include <utility>

#include <sqlite3.h>

#include "store/base/check.h"

namespace evq {

BlobReader::BlobReader(BlobReader&& other) noexcept
    : connection_(other.connection_),
      table_(other.table_),
      handle_(std::exchange(other.handle_, nullptr)),
      id_(other.id_) {}

BlobReader::~BlobReader() {
  sqlite3_blob_close(handle_);
}

// A handle that failed once is of no more use.
Error BlobReader::failed(int code) {
  // SQLite's word for a row that is not there, or has no blob.
  Error error = code == SQLITE_ERROR
                    ? make_error(ErrorCode::kCorrupt, connection_.path() + ": a blob is missing",
                                 "run 'evq check' to see what is damaged")
                    : connection_.error(code);
  sqlite3_blob_close(std::exchange(handle_, nullptr));
  return error;
}

Result<std::size_t> BlobReader::find(std::uint64_t id) {
  if (handle_ == nullptr || id != id_) {
    const auto row = static_cast<sqlite3_int64>(id);
    const int code = handle_ != nullptr ? sqlite3_blob_reopen(handle_, row)
                                        : sqlite3_blob_open(connection_.handle_, "main", table_,
                                                            "data", row, 0, &handle_);
    if (code != SQLITE_OK) {
      return failed(code);
    }
    id_ = id;
  }
  return static_cast<std::size_t>(sqlite3_blob_bytes(handle_));
}

Status BlobReader::read(std::size_t offset, std::span<char> to) {
  EVQ_CHECK(handle_ != nullptr);
  const int code =
      sqlite3_blob_read(handle_, to.data(), static_cast<int>(to.size()), static_cast<int>(offset));
  return code == SQLITE_OK ? Status() : failed(code);
}

}  // namespace evq
