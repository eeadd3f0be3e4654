#pragma once
// GeoDatabase: where an IP address is, from a file in MaxMind's format that the user names (such
// as GeoLite2-City.mmdb). Opened once, then immutable: lookups may come from any thread.

#include <memory>
#include <string>

#include "apl/functions/ip_address.h"
#include "store/base/result.h"

namespace evq {

struct GeoPlace {
  std::string country;
  std::string country_iso;
  std::string state;
  std::string city;
  std::string time_zone;
  double latitude = 0;
  double longitude = 0;
  bool has_position = false;
};

class GeoDatabase {
 public:
  // kUsage with the path when the file cannot be used.
  static Result<std::unique_ptr<GeoDatabase>> open(const std::string& path);
  ~GeoDatabase();
  GeoDatabase(const GeoDatabase&) = delete;
  GeoDatabase& operator=(const GeoDatabase&) = delete;

  // Looks up an address, mapped if `ipv4`; nullopt if it is not listed. Unknown members stay empty.
  std::optional<GeoPlace> find(const IpAddress& address, bool ipv4) const;

 private:
  struct File;
  explicit GeoDatabase(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace evq
