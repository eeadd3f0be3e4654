#pragma once
// What a server listens with: its certificate and key, and its address. Before anything is served;
// errors name the file or the address and what is wanted.

#include "http/beast_support.h"

namespace evq {

// kUsage when a file cannot be read, is no PEM, or the key is not the certificate's.
Status use_certificate(const HttpServerOptions& options, asio::ssl::context* tls);
// Binds and listens; accepting does not block. kUsage for a host that cannot be resolved, kIo for
// an address that is taken.
Status listen_at(const HttpServerOptions& options, tcp::acceptor* acceptor);

}  // namespace evq
