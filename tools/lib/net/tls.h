// SPDX-License-Identifier: MIT
// TLS by OpenSSL: at least version 1.2, the server's certificate verified for its host name against the trusted
// certificates, without OpenSSL's configuration file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/deadline.h"
#include "net/transport.h"

namespace piship {

enum class VerifyPeer : std::uint8_t { kYes, kNo };

// Which certificates are trusted. The first source that is given decides: `pem` and `files`; else `environment_file`
// and `environment_directory`; else the first system places that exist (kSystemCertificateFiles, and directories in
// OpenSSL's hashed form).
struct TlsSettings {
  VerifyPeer verify = VerifyPeer::kYes;
  std::vector<std::string> pem;          // texts, each with one or more certificates (npm's "ca")
  std::vector<std::string> files;        // npm's "cafile"
  std::string environment_file;          // SSL_CERT_FILE
  std::string environment_directory;     // SSL_CERT_DIR; several separated by ":"
  std::vector<std::string> extra_files;  // NODE_EXTRA_CA_CERTS: added to the second or third source; may be missing
};

// Certificate bundles of Debian, Fedora, openSUSE, older Red Hat, current Red Hat, Alpine and the BSDs, in this order.
extern const std::vector<std::string> kSystemCertificateFiles;
extern const std::vector<std::string> kSystemCertificateDirectories;

class TlsContext {
 public:
  // Reads the certificates. kTlsFailed where a source that was named can't be read or none is found.
  static Result<std::shared_ptr<TlsContext>> Create(const TlsSettings& settings);
  ~TlsContext();

  // Speaks TLS over `lower` to `host` (a name, sent as SNI, or an address). kTlsFailed where the certificate is not
  // acceptable.
  Result<std::unique_ptr<Transport>> Handshake(std::unique_ptr<Transport> lower, const std::string& host,
                                               Deadline deadline) const;

 private:
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace piship
