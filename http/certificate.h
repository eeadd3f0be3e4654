#pragma once
// Certificate: what a server shows who connects over TLS, from a chain of certificates and its
// private key in PEM files. Whoever renews certificates replaces the files, which is seen and needs
// no new start: new connections get the new certificate, open ones keep theirs. One thread at a
// time.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/beast_support.h"
#include "store/base/result.h"

namespace evq {

class Certificate {
 public:
  // Both names empty: the server is without TLS, and nothing of the following may be called.
  Certificate(std::string chain_file, std::string key_file);

  bool is_wanted() const { return !chain_file_.empty(); }
  // kUsage when a file cannot be read, is no PEM, or the key is not the certificate's; what was
  // loaded before stays then. A key with a passphrase is asked for on the terminal, but only the
  // first time: nobody waits there later.
  Status load();
  // To be called now and then. Loads the files when they are others than those that load() saw last
  // and have stayed the same for kHttpCertificateLookMs: two files are not replaced at once. What
  // failed is tried again after kHttpCertificateRetryMs, as for want of descriptors it may.
  // Returns what load() says, or nothing where it was not called or failed again.
  std::optional<Status> renew(std::int64_t now_ns);
  // For streams of new connections, which may be made when another is in use.
  const std::shared_ptr<asio::ssl::context>& context() const { return context_; }

 private:
  // What tells a file from the one that had its name before: changes with every write and with its
  // permissions.
  struct FileVersion {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t bytes = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileVersion&) const = default;
  };
  using Versions = std::array<FileVersion, 2>;

  // Of both files; nothing while one of them is absent or, like a pipe, no regular file.
  std::optional<Versions> look() const;

  const std::string chain_file_;
  const std::string key_file_;
  std::shared_ptr<asio::ssl::context> context_;
  std::optional<Versions> tried_;  // when load() was called last
  bool is_usable_ = false;         // what it was called for
  std::int64_t tried_ns_ = 0;
  std::optional<Versions> seen_;  // at the last look
  std::int64_t looked_ns_ = 0;
};

}  // namespace evq
