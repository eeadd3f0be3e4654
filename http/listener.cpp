#include "http/listener.h"

namespace evq {

Status use_certificate(const HttpServerOptions& options, asio::ssl::context* tls) {
  error_code error;
  tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                   asio::ssl::context::no_tlsv1_1);
  tls->use_certificate_chain_file(options.tls_certificate, error);
  const std::string* file = &options.tls_certificate;
  if (!error) {
    tls->use_private_key_file(options.tls_key, asio::ssl::context::pem, error);
    file = &options.tls_key;
  }
  if (error) {
    return make_error(ErrorCode::kUsage, "cannot use " + *file + " for TLS: " + error.message(),
                      "a chain of certificates and its private key, in PEM, are needed");
  }
  return {};
}

Status listen_at(const HttpServerOptions& options, tcp::acceptor* acceptor) {
  error_code error;
  tcp::resolver resolver(acceptor->get_executor());
  const auto found = resolver.resolve(options.host, std::to_string(options.port), error);
  if (error || found.empty()) {
    return make_error(ErrorCode::kUsage, "cannot resolve the address " + options.host);
  }
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor->open(endpoint.protocol(), error);
  if (!error) {
    acceptor->set_option(asio::socket_base::reuse_address(true), error);
    acceptor->bind(endpoint, error);
  }
  if (!error) {
    acceptor->listen(asio::socket_base::max_listen_connections, error);
  }
  if (!error) {
    acceptor->non_blocking(true, error);
  }
  if (error) {
    const bool taken = error == asio::error::address_in_use;
    return make_error(ErrorCode::kIo,
                      "cannot listen on " + options.host + ":" + std::to_string(options.port) +
                          ": " + error.message(),
                      taken ? "another server is there; --listen names another port" : "");
  }
  return {};
}

}  // namespace evq
