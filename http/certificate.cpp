#include "http/certificate.h"

#include <utility>

#include <sys/stat.h>

#include "http/limits.h"
#include "store/base/time.h"

namespace evq {

Certificate::Certificate(std::string chain_file, std::string key_file)
    : chain_file_(std::move(chain_file)),
      key_file_(std::move(key_file)),
      context_(std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server)) {}

std::optional<Certificate::Versions> Certificate::look() const {
  Versions versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    struct stat file {};
    if (::stat((i == 0 ? chain_file_ : key_file_).c_str(), &file) != 0 || !S_ISREG(file.st_mode)) {
      return std::nullopt;
    }
    versions[i] = {file.st_dev, file.st_ino, file.st_size,
                   file.st_ctim.tv_sec * kSecondNs + file.st_ctim.tv_nsec};
  }
  return versions;
}

Status Certificate::load() {
  const bool is_first = !std::exchange(tried_, look()).has_value();
  is_usable_ = false;
  const auto made = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  asio::ssl::context& fresh = *made;
  error_code error;
  if (!is_first) {
    fresh.set_password_callback(
        [](std::size_t, asio::ssl::context::password_purpose) { return std::string(); }, error);
  }
  fresh.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                    asio::ssl::context::no_tlsv1_1);
  // Clients resume by tickets, which they keep themselves.
  SSL_CTX_set_session_cache_mode(fresh.native_handle(), SSL_SESS_CACHE_OFF);
  fresh.use_certificate_chain_file(chain_file_, error);
  const std::string* file = &chain_file_;
  if (!error) {
    fresh.use_private_key_file(key_file_, asio::ssl::context::pem, error);
    file = &key_file_;
  }
  if (error) {
    return make_error(ErrorCode::kUsage, "cannot use " + *file + " for TLS: " + error.message(),
                      "a chain of certificates and its private key, in PEM, are needed");
  }
  context_ = made;
  is_usable_ = true;
  return Status::success();
}

std::optional<Status> Certificate::renew(std::int64_t now_ns) {
  if (now_ns - looked_ns_ < kHttpCertificateLookMs * kMillisecondNs) {
    return std::nullopt;
  }
  looked_ns_ = now_ns;
  const std::optional<Versions> before = std::exchange(seen_, look());
  if (!seen_.has_value() || seen_ != before) {
    return std::nullopt;
  }
  const bool again = seen_ == tried_;
  if (again && (is_usable_ || now_ns - tried_ns_ < kHttpCertificateRetryMs * kMillisecondNs)) {
    return std::nullopt;
  }
  tried_ns_ = now_ns;
  Status loaded = load();
  return again && !loaded.ok() ? std::nullopt : std::optional(std::move(loaded));
}

}  // namespace evq
