#pragma once
// Beast and Asio for server and client: the names that they go by here. Their headers are costly,
// so only what does the network's work includes this.

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

namespace evq {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

// A coroutine that waits puts a failure into `error` and throws nothing.
inline auto quietly(error_code& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

}  // namespace evq
