#include "apl/functions/geo_database.h"

#include <cstring>
#include <utility>

#include <maxminddb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace evq {
namespace {

using Path = const char* const*;

bool find_value(const MMDB_lookup_result_s& result, Path path, MMDB_entry_data_s* data) {
  MMDB_entry_s entry = result.entry;
  return MMDB_aget_value(&entry, data, path) == MMDB_SUCCESS && data->has_data;
}

std::string text_at(const MMDB_lookup_result_s& result, Path path) {
  MMDB_entry_data_s data{};
  if (!find_value(result, path, &data) || data.type != MMDB_DATA_TYPE_UTF8_STRING) {
    return {};
  }
  return {data.utf8_string, data.data_size};
}

bool read_degrees(const MMDB_lookup_result_s& result, Path path, double* degrees) {
  MMDB_entry_data_s data{};
  if (!find_value(result, path, &data) || data.type != MMDB_DATA_TYPE_DOUBLE) {
    return false;
  }
  *degrees = data.double_value;
  return true;
}

constexpr const char* kCountry[] = {"country", "names", "en", nullptr};
constexpr const char* kCountryIso[] = {"country", "iso_code", nullptr};
constexpr const char* kState[] = {"subdivisions", "0", "names", "en", nullptr};
constexpr const char* kCity[] = {"city", "names", "en", nullptr};
constexpr const char* kTimeZone[] = {"location", "time_zone", nullptr};
constexpr const char* kLatitude[] = {"location", "latitude", nullptr};
constexpr const char* kLongitude[] = {"location", "longitude", nullptr};

}  // namespace

struct GeoDatabase::File {
  MMDB_s database{};
  ~File() { MMDB_close(&database); }
};

GeoDatabase::GeoDatabase(std::unique_ptr<File> file) : file_(std::move(file)) {}
GeoDatabase::~GeoDatabase() = default;

Result<std::unique_ptr<GeoDatabase>> GeoDatabase::open(const std::string& path) {
  MMDB_s database{};
  const int status = MMDB_open(path.c_str(), MMDB_MODE_MMAP, &database);
  if (status != MMDB_SUCCESS) {
    return make_error(ErrorCode::kUsage,
                      "cannot open the geographic database " + path + ": " + MMDB_strerror(status),
                      "name a file in MaxMind's format, such as GeoLite2-City.mmdb");
  }
  auto file = std::make_unique<File>();
  file->database = database;
  return std::unique_ptr<GeoDatabase>(new GeoDatabase(std::move(file)));
}

std::optional<GeoPlace> GeoDatabase::find(const IpAddress& address, bool ipv4) const {
  sockaddr_storage storage{};
  if (ipv4) {
    sockaddr_in plain{};
    plain.sin_family = AF_INET;
    plain.sin_addr.s_addr = htonl(ipv4_of(address));
    std::memcpy(&storage, &plain, sizeof plain);
  } else {
    sockaddr_in6 plain{};
    plain.sin6_family = AF_INET6;
    std::memcpy(&plain.sin6_addr, address.bytes.data(), address.bytes.size());
    std::memcpy(&storage, &plain, sizeof plain);
  }
  int error = MMDB_SUCCESS;
  const MMDB_lookup_result_s result =
      MMDB_lookup_sockaddr(&file_->database, reinterpret_cast<const sockaddr*>(&storage), &error);
  if (error != MMDB_SUCCESS || !result.found_entry) {
    return std::nullopt;
  }
  GeoPlace place;
  place.country = text_at(result, kCountry);
  place.country_iso = text_at(result, kCountryIso);
  place.state = text_at(result, kState);
  place.city = text_at(result, kCity);
  place.time_zone = text_at(result, kTimeZone);
  place.has_position = read_degrees(result, kLatitude, &place.latitude) &&
                       read_degrees(result, kLongitude, &place.longitude);
  return place;
}

}  // namespace evq
