#pragma once
// A client's connection before its first request, where TLS is spoken: it is a plain socket until
// the whole of the client's first record is there, because a stream of TLS is more than 100 KiB of
// buffers. Then hands are shaken, and a connection goes on (connection.h). It lives on the IO
// thread of its socket.

#include <memory>
#include <optional>

#include "http/beast_support.h"

namespace evq {

// Waits for the client and serves it; `client` is nothing when it has gone already. On any thread;
// `shared` must outlive the IO threads' work.
void greet_over_tls(Shared& shared, tcp::socket socket, std::shared_ptr<asio::ssl::context> context,
                    const std::optional<tcp::endpoint>& client);

}  // namespace evq
