#include "store/catalog/disk_reserve.h"

#include "store/base/file.h"
#include "store/base/limits.h"

namespace evq {

void keep_disk_reserve(const std::string& path) {
  if (disk_bytes_of(path) >= kDiskReserveFileBytes) {
    return;
  }
  Result<File> file = File::open_read_write(path);
  if (file.ok()) {
    static_cast<void>(file->reserve_room(kDiskReserveFileBytes));
  }
}

bool release_disk_reserve(const std::string& path) {
  return disk_bytes_of(path) != 0 && remove_file(path).ok();
}

}  // namespace evq
