#include "store/catalog/sqlite_uri.h"

namespace evq {

std::string unchanging_uri(std::string_view path) {
  // Two slashes at the beginning of a path would begin a host.
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    switch (c) {
      case '%':
        uri += "%25";
        break;
      case '?':
        uri += "%3f";
        break;
      case '#':
        uri += "%23";
        break;
      default:
        uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace evq
