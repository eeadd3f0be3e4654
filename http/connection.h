#pragma once
// A client's connection: requests are read from it and answered one after the other until it ends,
// of which nobody needs to know. It lives on the IO thread that its stream belongs to.

#include <optional>

#include "http/beast_support.h"

namespace evq {

// Start serving a client, with whom hands are shaken where it speaks TLS; `client` is nothing when
// it has gone already. On any thread; `shared` must outlive the IO threads' work.
void start_connection(Shared& shared, PlainStream stream,
                      const std::optional<tcp::endpoint>& client);
void start_connection(Shared& shared, TlsStream stream, const std::optional<tcp::endpoint>& client);

}  // namespace evq
